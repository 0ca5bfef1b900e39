// The keyboard shortcuts of the studio. Which key does what is written in this table alone:
// the pages bind functions to its ids (keys.ts), and the palette, the labels and the list of
// shortcuts read the keys from here.

import { t } from '~/text';

/** Place is a part of the studio with shortcuts of its own. */
export type Place =
  | 'everywhere'
  | 'project'
  | 'following'
  | 'chat'
  | 'message'
  | 'editing'
  | 'code'
  | 'tree'
  | 'editor';

interface PlaceRule {
  /** in is the place around it. */
  in: Place | null;
  /** within selects the element that must have the focus. */
  within?: string;
  /** loose also takes keys while nothing has the focus. */
  loose?: boolean;
  /** first takes its keys before anything else on the page. */
  first?: boolean;
}

/** places are in the order in which they are listed. */
export const places: Record<Place, PlaceRule> = {
  following: { in: 'project', first: true },
  editing: { in: 'project', within: '.preview', loose: true },
  editor: { in: 'code', within: '.cm-editor' },
  tree: { in: 'code', within: '.tree' },
  code: { in: 'project' },
  message: { in: 'chat', within: '.composer' },
  chat: { in: 'project', within: '.chat' },
  project: { in: 'everywhere' },
  everywhere: { in: null },
};

/** Shortcut is an entry of the table. */
export interface Shortcut {
  /**
   * keys is a key with its modifiers: ctrl, alt, shift, and mod, which is ⌘ on Macs and Ctrl
   * elsewhere.
   */
  keys: string;
  where: Place;
  text: () => string;
  /** own is true if the focused element handles the key itself, as editors and lists do. */
  own?: boolean;
  /** notInFields leaves the key to text fields. So do all keys without a modifier but Escape. */
  notInFields?: boolean;
  /** overDialogs is true if an open dialog does not disable it. */
  overDialogs?: boolean;
}

const panes = [1, 2, 3, 4, 5] as const;
type PaneId = `pane${(typeof panes)[number]}`;

const table = {
  palette: { keys: 'mod+k', where: 'everywhere', text: () => t.shell.palette, overDialogs: true },
  shortcuts: { keys: '?', where: 'everywhere', text: () => t.keys.title },

  ...(Object.fromEntries(
    panes.map((at) => [`pane${at}`, { keys: `alt+${at}`, where: 'project', text: () => t.keys.pane(at) }]),
  ) as Record<PaneId, Shortcut>),
  toggleChat: { keys: 'alt+0', where: 'project', text: () => t.project.toggleChat },

  unfollow: { keys: 'escape', where: 'following', text: () => t.keys.unfollow },

  stop: { keys: 'escape', where: 'chat', text: () => t.chat.stop },
  send: { keys: 'enter', where: 'message', text: () => t.keys.send, own: true },
  newLine: { keys: 'shift+enter', where: 'message', text: () => t.keys.newLine, own: true },
  recall: { keys: 'arrowup', where: 'message', text: () => t.keys.recall, own: true },

  toParent: { keys: 'arrowup', where: 'editing', text: () => t.keys.toParent },
  toChild: { keys: 'arrowdown', where: 'editing', text: () => t.keys.toChild },
  toPrevious: { keys: 'arrowleft', where: 'editing', text: () => t.keys.toPrevious },
  toNext: { keys: 'arrowright', where: 'editing', text: () => t.keys.toNext },
  undo: { keys: 'mod+z', where: 'editing', text: () => t.preview.edit.undo, notInFields: true },
  redo: { keys: 'mod+shift+z', where: 'editing', text: () => t.preview.edit.redo, notInFields: true },
  moveEarlier: { keys: 'alt+arrowup', where: 'editing', text: () => t.preview.edit.earlier, notInFields: true },
  moveLater: { keys: 'alt+arrowdown', where: 'editing', text: () => t.preview.edit.later, notInFields: true },
  duplicate: { keys: 'mod+d', where: 'editing', text: () => t.preview.edit.duplicate, notInFields: true },
  deleteElement: { keys: 'delete', where: 'editing', text: () => t.preview.edit.delete },
  leaveEditing: { keys: 'escape', where: 'editing', text: () => t.preview.edit.leave },

  quickOpen: { keys: 'mod+p', where: 'code', text: () => t.code.quickOpen },
  search: { keys: 'mod+shift+f', where: 'code', text: () => t.code.search },
  save: { keys: 'mod+s', where: 'code', text: () => t.shell.save },
  closeFile: { keys: 'alt+w', where: 'code', text: () => t.code.closeCurrent },

  rename: { keys: 'f2', where: 'tree', text: () => t.code.renameMove, own: true },
  remove: { keys: 'delete', where: 'tree', text: () => t.code.delete, own: true },

  find: { keys: 'mod+f', where: 'editor', text: () => t.keys.find, own: true },
  goToLine: { keys: 'ctrl+g', where: 'editor', text: () => t.code.editor['Go to line'], own: true },
  complete: { keys: 'ctrl+space', where: 'editor', text: () => t.code.editor.Completions, own: true },
  comment: { keys: 'mod+/', where: 'editor', text: () => t.keys.comment, own: true },
  selectSame: { keys: 'mod+d', where: 'editor', text: () => t.keys.selectSame, own: true },
  lineUp: { keys: 'alt+arrowup', where: 'editor', text: () => t.keys.lineUp, own: true },
  lineDown: { keys: 'alt+arrowdown', where: 'editor', text: () => t.keys.lineDown, own: true },
  definition: { keys: 'f12', where: 'editor', text: () => t.keys.definition, own: true },
  nextProblem: { keys: 'f8', where: 'editor', text: () => t.keys.nextProblem, own: true },
  format: { keys: 'shift+alt+f', where: 'editor', text: () => t.code.format, own: true },
  undoText: { keys: 'mod+z', where: 'editor', text: () => t.preview.edit.undo, own: true },
} satisfies Record<string, Shortcut>;

export type ShortcutId = keyof typeof table;

/** shortcuts is the table. */
export const shortcuts: Record<ShortcutId, Shortcut> = table;

export const shortcutIds = Object.keys(table) as ShortcutId[];

/** isMac reports whether the keyboard has ⌘ where others have Ctrl. */
export function isMac(): boolean {
  return /^(Mac|iPhone|iPad|iPod)/.test(navigator.platform ?? '');
}

/** matches reports whether an event is a key with exactly these modifiers. */
export function matches(event: KeyboardEvent, keys: string): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1)!;
  const mod = isMac() ? event.metaKey : event.ctrlKey;
  const other = isMac() ? event.ctrlKey : event.metaKey;
  if (mod !== (parts.includes('mod') || (!isMac() && parts.includes('ctrl')))) return false;
  if (other !== (isMac() && parts.includes('ctrl'))) return false;
  if (event.altKey !== parts.includes('alt')) return false;
  // Which key has the question mark, and whether with Shift, depends on the layout.
  if (key === '?') return event.key === '?';
  if (event.shiftKey !== parts.includes('shift')) return false;
  return isKey(event, key);
}

// isKey compares the character. With Alt, Macs type another one, and other scripts have none
// of the Latin ones; the key's place on the keyboard counts then.
function isKey(event: KeyboardEvent, key: string): boolean {
  const typed = event.key.toLowerCase();
  if (typed === key) return true;
  if (!event.altKey && /^[\x20-\x7e]/.test(typed)) return false;
  return event.code === `Key${key.toUpperCase()}` || event.code === `Digit${key}`;
}

/** keysOf returns the keys of a shortcut as they are on the user's keyboard. */
export function keysOf(id: ShortcutId): string {
  const parts = shortcuts[id].keys.split('+');
  const key = parts.at(-1)!;
  const modifiers = (['ctrl', 'alt', 'shift', 'mod'] as const).filter((name) => parts.slice(0, -1).includes(name));
  const shown = (t.keys.names as Record<string, string>)[key] ?? key.toUpperCase();
  if (isMac()) return modifiers.map((name) => ({ ctrl: '⌃', alt: '⌥', shift: '⇧', mod: '⌘' })[name]).join('') + shown;
  const words = { ctrl: t.keys.names.ctrl, mod: t.keys.names.ctrl, alt: t.keys.names.alt, shift: t.keys.names.shift };
  const order = (['ctrl', 'mod', 'alt', 'shift'] as const).filter((name) => modifiers.includes(name));
  return [...order.map((name) => words[name]), shown].join('+');
}

/** editorKeys returns the keys of a shortcut in CodeMirror's notation, such as Ctrl-g. */
export function editorKeys(id: ShortcutId): string {
  const names: Record<string, string> = { mod: 'Mod', ctrl: 'Ctrl', alt: 'Alt', shift: 'Shift', space: 'Space' };
  const ways: Record<string, string> = { arrowup: 'ArrowUp', arrowdown: 'ArrowDown' };
  return shortcuts[id].keys
    .split('+')
    .map((part) => names[part] ?? ways[part] ?? part.replace(/^f\d/, (key) => key.toUpperCase()))
    .join('-');
}

/**
 * conflictsIn finds shortcuts whose keys are taken in the same place or in one around it, so
 * that one hides the other.
 */
export function conflictsIn(entries: Record<string, Shortcut>): [string, string][] {
  const around = (place: Place | null): Place[] => (place ? [place, ...around(places[place].in)] : []);
  const clash = (a: Shortcut, b: Shortcut) =>
    same(a.keys) === same(b.keys) && (around(a.where).includes(b.where) || around(b.where).includes(a.where));
  const all = Object.entries(entries);
  return all.flatMap(([one, a], index) =>
    all
      .slice(index + 1)
      .filter(([, b]) => clash(a, b))
      .map(([other]): [string, string] => [one, other]),
  );
}

// same makes keys comparable: mod and ctrl are one key on most keyboards.
function same(keys: string): string {
  return keys.replace('mod', 'ctrl').split('+').sort().join('+');
}
