// What Markdown comes to on GitHub: reads a JSON list of texts, writes for each what could be live in it.
import { text } from 'node:stream/consumers'
import remarkGfm from 'remark-gfm'
import remarkGithub from 'remark-github'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

const github = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkGithub, { repository: 'octo-org/evals' })

function walk(node, visit) {
  visit(node)
  for (const child of node.children ?? []) walk(child, visit)
}

function look(markdown) {
  const found = { types: {}, links: [], html: [], text: [] }
  walk(github.runSync(github.parse(markdown)), (node) => {
    found.types[node.type] = (found.types[node.type] ?? 0) + 1
    if ('url' in node) found.links.push(node.url)
    if (node.type === 'html') found.html.push(node.value)
    if (node.type === 'text') found.text.push(node.value)
  })
  return found
}

process.stdout.write(JSON.stringify(JSON.parse(await text(process.stdin)).map(look)))
