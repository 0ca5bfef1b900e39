import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ToolItem } from './log';
import { stepsOf } from './todo';

const call = (args: Record<string, unknown>, state: ToolItem['state'] = 'done', tool = 'todo'): ToolItem => ({
  kind: 'tool',
  key: 1,
  id: '1',
  tool,
  args,
  state,
  output: '',
  files: [],
  frames: [],
});

test('the newest list that was not refused is shown', () => {
  const first = call({ items: [{ text: 'one', state: 'doing' }] });
  const second = call({ items: [{ text: 'one', state: 'done' }, { text: 'two' }] }, 'running');
  const refused = call({ items: [{ text: 'three', state: 'open' }] }, 'failed');
  assert.deepEqual(stepsOf([first, second, refused, call({ path: 'a' }, 'done', 'read_file')]), [
    { text: 'one', state: 'done' },
    { text: 'two', state: 'open' },
  ]);
});

test('what is no list shows nothing', () => {
  for (const items of [undefined, null, 7, 'one', [], [null, 7, 'one', {}, { text: 7 }, { text: ' ' }]])
    assert.deepEqual(stepsOf([call({ items })]), []);
  assert.deepEqual(stepsOf([]), []);
});
