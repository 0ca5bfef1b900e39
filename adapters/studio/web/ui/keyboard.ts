/**
 * enterSends reports whether Enter sends the text of a multi-line field. It does on a
 * hardware keyboard, where Shift+Enter adds a line. Phones have no other key for a new
 * line.
 */
export function enterSends(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && hasKeyboard();
}

/**
 * hasKeyboard reports whether the device has a hardware keyboard. A phone's keyboard covers
 * the page.
 */
export function hasKeyboard(): boolean {
  return !matchMedia('(pointer: coarse)').matches;
}
