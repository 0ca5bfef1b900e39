import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, historyKeymap } from '@codemirror/commands';
import { lintKeymap } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';

import { loadWorkbench } from '~/text';
import {
  conflictsIn,
  editorKeys,
  keysOf,
  matches,
  type Shortcut,
  type ShortcutId,
  shortcutIds,
  shortcuts,
} from './shortcuts';

function on(platform: string): void {
  Object.defineProperty(globalThis, 'navigator', { value: { platform }, configurable: true });
}

const key = (typed: string, held: Partial<KeyboardEvent> = {}) =>
  ({ key: typed, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }) as KeyboardEvent;

test('no shortcut hides another', () => {
  assert.deepEqual(conflictsIn(shortcuts), []);
});

test('conflicts are found in a place, around it, and on keyboards without ⌘', () => {
  const at = (keys: string, where: Shortcut['where']): Shortcut => ({ keys, where, text: () => '' });
  const found = (a: Shortcut, b: Shortcut) => conflictsIn({ a, b }).length > 0;
  assert(found(at('mod+k', 'code'), at('mod+k', 'code')));
  assert(found(at('mod+k', 'editor'), at('mod+k', 'everywhere')));
  assert(found(at('mod+k', 'project'), at('ctrl+k', 'tree')));
  assert(found(at('shift+mod+f', 'code'), at('mod+shift+f', 'code')));
  assert(!found(at('escape', 'chat'), at('escape', 'editing')));
  assert(!found(at('mod+k', 'code'), at('mod+j', 'code')));
});

test('no shortcut takes a key that browsers keep for themselves', () => {
  const kept = ['mod+n', 'mod+t', 'mod+w', 'mod+shift+n', 'mod+shift+t', 'mod+shift+w', 'mod+tab', 'mod+q', 'mod+l'];
  for (const id of shortcutIds) assert(!kept.includes(shortcuts[id].keys), id);
});

test('every shortcut has words and keys', async () => {
  await loadWorkbench();
  for (const platform of ['Linux x86_64', 'MacIntel']) {
    on(platform);
    for (const id of shortcutIds) {
      assert(shortcuts[id].text().length > 2, id);
      assert(/^((Ctrl|Alt|Shift)\+)*[^+]+$|^[⌃⌥⇧⌘]*[^+]+$/.test(keysOf(id)), id);
    }
  }
});

test('labels are those of the keyboard', () => {
  on('Linux x86_64');
  assert.deepEqual(
    [keysOf('palette'), keysOf('search'), keysOf('pane1'), keysOf('stop'), keysOf('newLine')],
    ['Ctrl+K', 'Ctrl+Shift+F', 'Alt+1', 'Esc', 'Shift+Enter'],
  );
  on('MacIntel');
  assert.deepEqual(
    [keysOf('palette'), keysOf('search'), keysOf('pane1'), keysOf('goToLine'), keysOf('lineUp')],
    ['⌘K', '⇧⌘F', '⌥1', '⌃G', '⌥↑'],
  );
});

test('a key counts with exactly its modifiers', () => {
  on('Linux x86_64');
  assert(matches(key('k', { ctrlKey: true }), 'mod+k'));
  assert(matches(key('K', { ctrlKey: true }), 'mod+k'));
  assert(!matches(key('k', { metaKey: true }), 'mod+k'));
  assert(!matches(key('k', { ctrlKey: true, shiftKey: true }), 'mod+k'));
  assert(!matches(key('k', { ctrlKey: true, altKey: true }), 'mod+k'));
  assert(!matches(key('k'), 'mod+k'));
  on('MacIntel');
  assert(matches(key('k', { metaKey: true }), 'mod+k'));
  assert(!matches(key('k', { ctrlKey: true }), 'mod+k'));
  assert(matches(key('g', { ctrlKey: true }), 'ctrl+g'));
});

test('a key is found on other layouts', () => {
  on('Linux x86_64');
  assert(matches(key('л', { code: 'KeyK', ctrlKey: true }), 'mod+k'));
  assert(!matches(key('j', { code: 'KeyK', ctrlKey: true }), 'mod+k'));
  assert(matches(key('&', { code: 'Digit1', altKey: true }), 'alt+1'));
  assert(matches(key('?', { code: 'Minus', shiftKey: true }), '?'));
  assert(matches(key('?', { code: 'Slash' }), '?'));
  on('MacIntel');
  assert(matches(key('∑', { code: 'KeyW', altKey: true }), 'alt+w'));
});

test('the editor has the keys that the list names', () => {
  const all = [...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap].map(
    ({ key }) => key,
  );
  const bound = ['goToLine', 'definition', 'format'];
  for (const id of shortcutIds.filter((id) => shortcuts[id].where === 'editor' && !bound.includes(id)))
    assert(all.includes(editorKeys(id)), `${id}: ${editorKeys(id)}`);
  assert.deepEqual(
    bound.map((id) => editorKeys(id as ShortcutId)),
    ['Ctrl-g', 'F12', 'Shift-Alt-f'],
  );
});
