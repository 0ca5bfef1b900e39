/** CodeKey is a command of the code pane. */
export type CodeKey = 'quick' | 'search' | 'save' | 'close';

/** codeKey returns the command of a key, or null. It does not depend on the focus. */
export function codeKey(event: KeyboardEvent): CodeKey | null {
  const mod = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (mod && !event.shiftKey && key === 'p') return 'quick';
  if (mod && event.shiftKey && key === 'f') return 'search';
  if (mod && key === 's') return 'save';
  if (event.altKey && !mod && event.code === 'KeyW') return 'close';
  return null;
}
