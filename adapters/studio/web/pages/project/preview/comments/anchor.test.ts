import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FileEntry } from '~/api/types';
import type { Picked } from '../messages';
import { anchorOf, pageOf, referenceOf } from './anchor';

const picked = (fields: Partial<Picked>) =>
  ({ tag: 'h1', loc: '', path: 'body > h1', says: 'Hello', ...fields }) as Picked;
const files = [{ path: 'index.html' }, { path: 'src/App.tsx' }] as FileEntry[];

test('a page is a path with its query, and a fragment only if that is a route', () => {
  assert.equal(pageOf('/about?tab=2#team'), '/about?tab=2');
  assert.equal(pageOf('/#/about'), '/#/about');
  assert.equal(pageOf('/'), '/');
});

test('an anchor has the place in the sources, if that is known', () => {
  assert.deepEqual(anchorOf('/a#b', 389.6, picked({ loc: 'src/App.tsx:4:7' })), {
    page: '/a',
    width: 390,
    element: { tag: 'h1', selector: 'body > h1', text: 'Hello', path: 'src/App.tsx', line: 4, column: 7 },
  });
  for (const loc of ['', 'src/App.tsx', 'src/App.tsx:0:1', 'a:1234567:1'])
    assert.deepEqual(anchorOf('/', 0, picked({ loc })), {
      page: '/',
      width: 1,
      element: { tag: 'h1', selector: 'body > h1', text: 'Hello' },
    });
  assert.equal(anchorOf('/', 1e9, null).width, 20_000);
});

test('the agent is told where the element is now', () => {
  const anchor = anchorOf('/', 1, picked({ loc: 'src/App.tsx:4:7' }));
  const at = (line: number) => [{ type: 'element', tag: 'h1', path: 'src/App.tsx', line, column: 7 }];
  assert.deepEqual(referenceOf(anchor, '', files), at(4));
  assert.deepEqual(referenceOf(anchor, 'src/App.tsx:9:7', files), at(9));
  assert.deepEqual(referenceOf(anchor, '', [files[0]!]), [{ type: 'file', path: 'index.html' }]);
  assert.deepEqual(referenceOf(anchorOf('/', 1, picked({})), '', files), [{ type: 'file', path: 'index.html' }]);
  assert.deepEqual(referenceOf(anchorOf('/', 1, null), '', files), []);
});
