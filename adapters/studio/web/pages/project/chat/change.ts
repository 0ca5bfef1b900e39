/** around is the number of context lines. */
const around = 2;

/** changeLines formats the change of a text as lines of a patch. */
export function changeLines(before: string, after: string): string {
  const old = before.split('\n');
  const next = after.split('\n');
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  return [
    ...old.slice(Math.max(0, head - around), head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...next.slice(head, next.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + around).map((line) => ` ${line}`),
  ].join('\n');
}
