import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadWorkbench } from '~/text';
import { bind, here, press } from './keys';

// Spot is an element inside others, named by their selectors.
class Spot {
  constructor(private readonly around: string[]) {}
  closest(selector: string): this | null {
    return this.around.some((name) => selector.includes(name)) ? this : null;
  }
}

const body = new Spot([]);
let dialog = false;
let done: string[] = [];
Object.assign(globalThis, {
  Element: Spot,
  document: { body, documentElement: {}, querySelector: () => (dialog ? {} : null) },
});
Object.defineProperty(globalThis, 'navigator', { value: { platform: 'Linux' }, configurable: true });

const event = (key: string, held: object = {}, target: unknown = body) => ({
  ...{ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
  ...{ defaultPrevented: false, stopped: false, target, ...held },
  preventDefault() {
    this.defaultPrevented = true;
  },
  stopPropagation() {
    this.stopped = true;
  },
});

const hit = (made: ReturnType<typeof event>, first = false) => press(made as unknown as KeyboardEvent, first);

const does = (name: string) => () => void done.push(name);

// clean is a page without a dialog on which nothing has been done.
function clean(): void {
  done = [];
  dialog = false;
}

test('a key does what the page has bound to it, as long as it is bound', () => {
  clean();
  const free = bind({ palette: does('palette') });
  const pressed = event('k', { ctrlKey: true });
  assert.equal(hit(pressed), true);
  assert.equal(pressed.defaultPrevented, true);
  free();
  assert.equal(hit(event('k', { ctrlKey: true })), false);
  assert.deepEqual(done, ['palette']);
});

test('the latest binding counts', () => {
  clean();
  const outer = bind({ save: does('outer') });
  const inner = bind({ save: { text: 'Save', run: does('inner') } });
  hit(event('s', { ctrlKey: true }));
  inner();
  hit(event('s', { ctrlKey: true }));
  outer();
  assert.deepEqual(done, ['inner', 'outer']);
});

test('keys that somebody types, composes or has handled do nothing', () => {
  clean();
  const free = bind({ shortcuts: does('help'), undo: does('undo'), pane1: does('pane'), stop: does('stop') });
  const field = new Spot(['textarea', '.preview', '.chat']);
  assert.equal(hit(event('?', { shiftKey: true }, field)), false);
  assert.equal(hit(event('z', { ctrlKey: true }, field)), false);
  assert.equal(hit(event('?', { defaultPrevented: true })), false);
  assert.equal(hit(event('?', { isComposing: true })), false);
  assert.equal(hit(event('1', { altKey: true }, field)), true);
  assert.equal(hit(event('Escape', {}, field)), true);
  free();
  assert.deepEqual(done, ['pane', 'stop']);
});

test('a place has its keys where the focus is in it', () => {
  clean();
  const free = bind({ stop: does('stop'), leaveEditing: does('leave') });
  hit(event('Escape', {}, new Spot(['.chat'])));
  hit(event('Escape', {}, new Spot(['.preview'])));
  hit(event('Escape'));
  hit(event('Escape', {}, new Spot(['.bar'])));
  free();
  assert.deepEqual(done, ['stop', 'leave', 'leave']);
});

test('a dialog keeps the keys but the palette’s', () => {
  clean();
  const free = bind({ palette: does('palette'), shortcuts: does('help'), quickOpen: does('quick') });
  dialog = true;
  assert.equal(hit(event('?')), false);
  assert.equal(hit(event('p', { ctrlKey: true })), false);
  assert.equal(hit(event('k', { ctrlKey: true })), true);
  free();
});

test('following ends before anything else on the page has the key', () => {
  clean();
  const free = bind({ unfollow: does('unfollow'), stop: does('stop') });
  const pressed = event('Escape', {}, new Spot(['.chat']));
  assert.equal(hit(pressed, true), true);
  assert.equal(pressed.stopped, true);
  assert.equal(hit(pressed), false);
  free();
  assert.deepEqual(done, ['unfollow']);
});

test('the list shows the places of the page, and what is there although it does nothing now', async () => {
  await loadWorkbench();
  const names = () => here().map(([place]) => place);
  const general = bind({ palette: does(''), shortcuts: does('') });
  assert.deepEqual(names(), ['everywhere']);
  const project = bind({ pane1: { text: 'Preview', run: does('') }, stop: null });
  assert.deepEqual(names(), ['message', 'chat', 'project', 'everywhere']);
  const code = bind({ quickOpen: does('') });
  assert.deepEqual(names(), ['editor', 'tree', 'code', 'message', 'chat', 'project', 'everywhere']);
  const listed = new Map(here().flatMap(([, list]) => list.map(({ id, text }) => [id, text] as const)));
  assert.equal(listed.get('pane1'), 'Preview');
  assert(listed.has('stop') && !listed.has('pane2') && !listed.has('save'));
  assert.equal(hit(event('Escape', {}, new Spot(['.chat']))), false);
  for (const free of [general, project, code]) free();
  assert.deepEqual(names(), []);
});
