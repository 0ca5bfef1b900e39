// Links in the text of a mail.

/** Piece is a part of a text, with the address that it leads to. */
export interface Piece {
  text: string;
  href?: string;
}

// A link to the application is stored as its path, because the preview may move.
const links = /https?:\/\/[^\s<>"]+|(?<![^\s(])\/[\w@][^\s<>"]*/g;

/** piecesOf divides a text by its links. Those to the application lead to where it is now; until that is known they are text. */
export function piecesOf(text: string, address: string | null): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(links)) {
    const found = match[0].replace(/[.,;:!?)\]]+$/, '');
    const href = found.startsWith('/') ? address && address + found : found;
    if (!href) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ text: found, href });
    from = match.index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
