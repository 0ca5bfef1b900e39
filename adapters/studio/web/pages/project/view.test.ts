import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isKeptView, View } from './view';

const shown = ({ pane, chatShown, narrow }: View) => [pane.value, chatShown.value, narrow.value];

test('a window that was narrow shows the chat again', () => {
  const view = new View({}, false);
  view.fit(true);
  view.show('data');
  assert.deepEqual(shown(view), ['data', false, true]);
  view.fit(false);
  assert.deepEqual(shown(view), ['data', true, false]);
});

test('a chat that was closed stays closed', () => {
  const view = new View({}, false);
  view.chatShown.value = false;
  view.fit(true);
  view.chatShown.value = true;
  view.fit(false);
  assert.deepEqual(shown(view), ['preview', false, false]);
});

test('a window that opened narrow grows to both', () => {
  const view = new View({}, true);
  view.show('code');
  view.fit(true);
  assert.deepEqual(shown(view), ['code', false, true]);
  view.fit(false);
  assert.deepEqual(shown(view), ['code', true, false]);
});

test('a window that becomes narrow keeps the pane that was chosen', () => {
  const view = new View({}, false);
  view.show('data');
  view.fit(true);
  assert.deepEqual(shown(view), ['data', false, true]);
  view.fit(false);
  assert.deepEqual(shown(new View(view.kept(), false)), ['data', true, false]);
  const reloaded = new View(view.kept(), false);
  reloaded.fit(true);
  assert.deepEqual(shown(reloaded), ['data', false, true]);
});

test('a reload keeps what both widths showed', () => {
  const view = new View({}, false);
  view.fit(true);
  view.show('code');
  const kept = JSON.parse(JSON.stringify(view.kept()));
  assert.equal(isKeptView(kept), true);
  assert.deepEqual(shown(new View(kept, true)), ['code', false, true]);
  assert.deepEqual(shown(new View(kept, false)), ['code', true, false]);
  const closed = new View({}, false);
  closed.chatShown.value = false;
  assert.deepEqual(shown(new View(closed.kept(), false)), ['preview', false, false]);
  assert.deepEqual(shown(new View({ pane: 'nonsense' }, false)), ['preview', true, false]);
});

test('a change of the page is marked until a narrow window shows it', () => {
  const view = new View({}, true);
  view.change();
  assert.equal(view.changed.value, true);
  view.show('code');
  assert.equal(view.changed.value, true);
  view.show('preview');
  assert.equal(view.changed.value, false);
  view.change();
  assert.equal(view.changed.value, false);
});

test('a window with both marks nothing', () => {
  const view = new View({}, false);
  view.change();
  assert.equal(view.changed.value, false);
  view.fit(true);
  view.chatShown.value = true;
  view.change();
  view.fit(false);
  assert.equal(view.changed.value, false);
});
