// Is the answer brief? A scorer in Node.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, output } = JSON.parse(line);
  const sentences = output.split(/[.!?]+\s/).filter(Boolean).length;
  const passed = sentences <= 2;
  const reason = passed ? "" : `${sentences} sentences, at most 2 wanted`;
  console.log(JSON.stringify({ id, score: passed ? 1 : 0, reason }));
}
