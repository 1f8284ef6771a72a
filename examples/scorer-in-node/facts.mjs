// Does the text keep every fact, and is it short enough?
// One JSON object comes in on stdin; one JSON object goes out on stdout. Nothing else is printed.
import { readFileSync } from "node:fs";

const { output, expected } = JSON.parse(readFileSync(0, "utf8"));

const text = output.toLowerCase();
const missing = expected.mention.filter((fact) => !text.includes(fact.toLowerCase()));
const words = output.split(/\s+/).filter(Boolean).length;
const tooLong = words > expected.at_most_words;

const reasons = [];
if (missing.length) reasons.push(`left out ${missing.join(", ")}`);
if (tooLong) reasons.push(`${words} words, at most ${expected.at_most_words} wanted`);

process.stdout.write(
  JSON.stringify({
    score: 1 - missing.length / expected.mention.length,
    passed: reasons.length === 0,
    reason: reasons.join("; "),
  }),
);
