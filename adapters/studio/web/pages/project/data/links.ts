// Finds the links in the text of a mail.

/** Piece is a part of a text, with an address if it is a link. */
export interface Piece {
  text: string;
  href?: string;
}

// Links to the application are stored as paths, because the preview's address may change.
const links = /https?:\/\/[^\s<>"]+|(?<![^\s(])\/[\w@][^\s<>"]*/g;

/**
 * piecesOf splits a text at its links. Links to the application use its current address.
 * They stay text until the address is known.
 */
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
