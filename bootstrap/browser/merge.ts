// Holds the studio's merge of lines to its laws, on texts made at random, and says
// what came of it in the page's title.

import { diffLines, unified } from './lines'
import { merge } from './merge'

let seed = 7
const dice = (sides: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % sides
const text = () => Array.from({ length: dice(12) }, () => 'abcdef'[dice(6)]!)
const spoken = (lines: unknown) => JSON.stringify(lines)

function check(is: boolean, what: string, ...texts: unknown[]): void {
  if (!is) throw new Error(what + ': ' + texts.map(spoken).join(' '))
}

// applied is what the hunks between two texts make of the first.
function applied(a: string[], b: string[]): string[] {
  const out: string[] = []
  let line = 0
  for (const { from, to, at, until } of diffLines(a, b)) {
    out.push(...a.slice(line, from), ...b.slice(at, until))
    line = to
  }
  return [...out, ...a.slice(line)]
}

// longest is the number of lines that two texts have in common, in order.
function longest(a: string[], b: string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const line of a) {
    const next = [0]
    b.forEach((other, j) => next.push(line === other ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)))
    row = next
  }
  return row[b.length]!
}

try {
  let merged = 0
  for (let round = 0; round < 5000; round++) {
    const [base, mine, theirs] = [text(), text(), text()]
    check(spoken(applied(base, mine)) === spoken(mine), 'the hunks do not lead to the other text', base, mine)
    const gone = diffLines(base, mine).reduce((sum, { from, to }) => sum + to - from, 0)
    check(base.length - gone === longest(base, mine), 'the hunks are not the smallest', base, mine)
    check(spoken(merge(base, mine, base)) === spoken(mine), 'what one changed is lost', base, mine)
    check(spoken(merge(base, base, mine)) === spoken(mine), 'what the other changed is lost', base, mine)
    check(spoken(merge(base, mine, mine)) === spoken(mine), 'the same change clashes', base, mine)
    const both = merge(base, mine, theirs)
    check(spoken(both) === spoken(merge(base, theirs, mine)), 'the order matters', base, mine, theirs)
    for (const line of both ?? []) check([...base, ...mine, ...theirs].includes(line), 'a line comes from nowhere', base, mine, theirs)
    if (both) merged++
  }
  check(merged > 500, 'too few merges', merged)
  check(spoken(merge(['a', 'b', 'c'], ['A', 'b', 'c'], ['a', 'b', 'C'])) === spoken(['A', 'b', 'C']), 'distant lines clash')
  check(merge(['a', 'b'], ['x', 'b'], ['y', 'b']) === null, 'one of two changes of a line is lost')
  check(merge(['a', 'b'], ['a', 'x', 'b'], ['a', 'y', 'b']) === null, 'two insertions in one place are put in some order')
  const long = Array.from({ length: 20000 }, (_, line) => `line ${line}`)
  check(diffLines(long, long.map((line) => line + '!')).length === 1, 'texts with nothing in common are not one hunk')
  check(unified(['a', 'b', 'c'], ['a', 'x', 'c']) === '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c', 'the patch is wrong', unified(['a', 'b', 'c'], ['a', 'x', 'c']))
  document.title = 'the laws hold'
} catch (error) {
  document.title = String(error)
}
