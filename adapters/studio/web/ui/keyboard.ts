/** enterSends reports whether Enter alone sends the text of a box of several lines.
 * It does with a machine's keys, where Shift and Enter make a new line; a phone's
 * keyboard has no other key for one. */
export function enterSends(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && hasKeyboard();
}

/** hasKeyboard distinguishes a machine with keys from a phone, whose keyboard covers the page. */
export function hasKeyboard(): boolean {
  return !matchMedia('(pointer: coarse)').matches;
}
