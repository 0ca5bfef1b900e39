import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Box, freePlace } from './place';

const room = { width: 1000, height: 800 };
const size = { width: 300, height: 40 };

const covers = ({ left, top }: { left: number; top: number }, box: Box) =>
  left < box.right && left + size.width > box.left && top < box.bottom && top + size.height > box.top;

test('an empty window has room at the bottom, in the middle', () => {
  assert.deepEqual(freePlace(size, room, []), { left: 350, top: 744 });
});

test('a field at the bottom moves the box to its side', () => {
  const field = { left: 0, top: 700, right: 600, bottom: 800 };
  const at = freePlace(size, room, [field]);
  assert.deepEqual(at, { left: 684, top: 744 });
  assert.equal(covers(at, field), false);
});

test('a bar across the window moves the box above it', () => {
  const bar = { left: 0, top: 740, right: 1000, bottom: 800 };
  const at = freePlace(size, room, [bar]);
  assert.equal(covers(at, bar), false);
  assert(at.top > 680);
});

test('a full window has the least of it covered', () => {
  const all = { left: 0, top: 0, right: 1000, bottom: 800 };
  const button = { left: 0, top: 600, right: 1000, bottom: 800 };
  assert.equal(covers(freePlace(size, room, [all, button]), button), false);
});
