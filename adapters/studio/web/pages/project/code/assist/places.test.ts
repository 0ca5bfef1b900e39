import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState, Text } from '@codemirror/state';

import { offsetOf, speaks } from './places';
import { changesOf, completesAt, placeOf, rangeOf } from './spans';

const doc = Text.of(['const 𝒳 = 1;', '', 'last']);

test('places and positions are the same in both directions', () => {
  for (let offset = 0; offset <= doc.length; offset++) {
    const { line, column } = placeOf(doc, offset);
    assert.equal(offsetOf(doc, line, column), offset);
  }
});

test('a place outside the text is moved into it', () => {
  assert.equal(offsetOf(doc, 0, 0), 0);
  assert.equal(offsetOf(doc, 1, 99), 13);
  assert.equal(offsetOf(doc, 99, 99), doc.length);
  assert.deepEqual(rangeOf(doc, { line: 3, column: 4, endLine: 1, endColumn: 1 }), { from: 18, to: 18 });
});

test('edits of one answer are about the same text', () => {
  const state = EditorState.create({
    doc: 'function f() {\nreturn 1\n}',
    extensions: EditorState.lineSeparator.of('\n'),
  });
  const at = (line: number, column: number) => ({ line, column, endLine: line, endColumn: column });
  const changes = changesOf(state.doc, [
    { ...at(1, 1), text: 'import x;\r\n' },
    { ...at(2, 1), text: '  ' },
    { ...at(2, 9), text: ';' },
  ]);
  assert.equal(state.update({ changes }).state.doc.toString(), 'import x;\nfunction f() {\n  return 1;\n}');
});

test('files are known by their ending', () => {
  for (const path of ['a.ts', 'b.tsx', 'c/d.mts', 'e.cjs', 'f.jsx', 'g.d.ts']) assert(speaks(path), path);
  for (const path of ['a.css', 'ts', 'a.json', 'b.mtsx', 'c.vue']) assert(!speaks(path), path);
});

test('completions come where a name may follow', () => {
  for (const before of ['us', 'props.', 'x?.', '<', '  <But', "import { a } from './", 'import("', '$'])
    assert(completesAt(before), before);
  for (const before of ['', ' ', 'f(', '12', '1.', "const a = '", 'a = ', 'x;']) assert(!completesAt(before), before);
});
