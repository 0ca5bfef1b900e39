/**
 * shorten returns the first words of a text, at most so many characters. An ellipsis says that
 * it is cut.
 */
export function shorten(text: string, most: number): string {
  const characters = [...text.replace(/[\p{C}\s]+/gu, ' ').trim()];
  if (characters.length <= most) return characters.join('');
  const cut = characters.slice(0, most).join('');
  const words = cut.slice(0, Math.max(0, cut.lastIndexOf(' '))) || characters.slice(0, most - 1).join('');
  return `${words.replace(/[\s.,;:–—-]+$/u, '')}…`;
}
