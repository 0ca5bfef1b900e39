// What a user types in the composer: commands at the beginning, and files after an @. Pure.

/** Token is the part of a text for which there are suggestions. */
export interface Token {
  kind: 'command' | 'file';
  query: string;
  from: number;
  to: number;
}

/** tokenAt returns the token at the caret, or null. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const to = caret + /^\S*/.exec(text.slice(caret))![0].length;
  const command = /^\/([a-z0-9-]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1]!, from: 0, to };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  return file ? { kind: 'file', query: file[1]!, from: caret - file[1]!.length - 1, to } : null;
}

/** filled returns the text with a token replaced, and the place of the caret behind it. */
export function filled(text: string, { from, to }: Token, by: string): { text: string; caret: number } {
  const rest = text.slice(to).replace(/^ /, '');
  return { text: `${text.slice(0, from)}${by} ${rest}`, caret: from + by.length + 1 };
}

/** Part is a piece of a text: words, or a file after its @. */
export type Part = { words: string } | { file: string };

/** partsOf splits a text at the files that it names. A file may be followed by punctuation. */
export function partsOf(text: string, isFile: (path: string) => boolean): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const match of text.matchAll(/(?<=^|\s)@(\S+)/g)) {
    let path = match[1]!;
    while (path && !isFile(path)) path = /[.,;:!?)\]}"'»”]$/.test(path) ? path.slice(0, -1) : '';
    if (!path) continue;
    if (match.index > done) parts.push({ words: text.slice(done, match.index) });
    parts.push({ file: path });
    done = match.index + 1 + path.length;
  }
  if (done < text.length) parts.push({ words: text.slice(done) });
  return parts;
}

/** filesIn returns the files that a text names, each once. */
export function filesIn(text: string, isFile: (path: string) => boolean): string[] {
  return [...new Set(partsOf(text, isFile).flatMap((part) => ('file' in part ? [part.file] : [])))];
}

/** without returns a text without the mentions of a file. */
export function without(text: string, file: string): string {
  return partsOf(text, (path) => path === file)
    .map((part) => ('file' in part ? '' : part.words))
    .join('')
    .replace(/ {2,}/g, ' ');
}

/** Recalled is a text of the history in the composer. at counts back from the newest; -1 selects none. */
export interface Recalled {
  at: number;
  text: string;
}

/**
 * recall returns what an arrow key brings into the composer: earlier messages, newest first,
 * if it is empty or shows one already. It returns null if the key keeps its meaning.
 */
export function recall(messages: string[], text: string, at: number, key: string): Recalled | null {
  const shows = at >= 0 && messages[at] === text;
  if (key === 'ArrowUp' && (text === '' || shows)) {
    const next = shows ? at + 1 : 0;
    return next < messages.length ? { at: next, text: messages[next]! } : null;
  }
  if (key === 'ArrowDown' && shows) return { at: at - 1, text: messages[at - 1] ?? '' };
  return null;
}
