import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noWish, partsOf, patternOf, queryOf, replaceAll, within } from './query';

const wish = (text: string, more = {}) => ({ ...noWish, text, ...more });

test('text is searched as it is, unless it is a regular expression', () => {
  assert.equal(queryOf(wish('a.b(c)')), '(?i)a\\.b\\(c\\)');
  assert.equal(queryOf(wish('a.b', { regex: true, anyCase: false })), 'a.b');
  assert.equal(patternOf(wish('(', { regex: true })), null);
});

test('a match is within the first characters of what is shown', () => {
  const text = `        <p className="a very long list of classes">text</p>`;
  const column = text.indexOf('text') + 1;
  const [before, found, after] = partsOf({ path: 'a', line: 1, column, text }, patternOf(wish('text')));
  assert.deepEqual([before, found, after], ['…f classes">', 'text', '</p>']);
  assert([...before].length <= 12);
  assert.deepEqual(partsOf({ path: 'a', line: 1, column: 3, text: '  text' }, patternOf(wish('text'))), [
    '',
    'text',
    '',
  ]);
});

test('a cut divides no character, and columns are bytes', () => {
  const text = `${'😀'.repeat(20)}x`;
  const [before, found] = partsOf({ path: 'a', line: 1, column: 81, text }, patternOf(wish('x')));
  assert.deepEqual([before, found], [`…${'😀'.repeat(11)}`, 'x']);
});

test('a match that the browser does not find is shown without a mark', () => {
  assert.deepEqual(partsOf({ path: 'a', line: 1, column: 1, text: 'ab' }, null), ['', '', 'ab']);
});

test('paths are included and excluded', () => {
  const paths = ['index.html', 'src/App.tsx', 'src/lib/App.css', 'docs/src.md', 'src/lib/deep/a.ts'];
  const kept = (include: string, exclude = '') => paths.filter(within({ include, exclude }));
  assert.deepEqual(kept(''), paths);
  assert.deepEqual(kept('*.tsx, *.css'), ['src/App.tsx', 'src/lib/App.css']);
  assert.deepEqual(kept('src'), ['src/App.tsx', 'src/lib/App.css', 'src/lib/deep/a.ts']);
  assert.deepEqual(kept('src/lib'), ['src/lib/App.css', 'src/lib/deep/a.ts']);
  assert.deepEqual(kept('./src/lib/'), ['src/lib/App.css', 'src/lib/deep/a.ts']);
  assert.deepEqual(kept('src/**/*.ts'), ['src/lib/deep/a.ts']);
  assert.deepEqual(kept('src/**/App.*'), ['src/App.tsx', 'src/lib/App.css']);
  assert.deepEqual(kept('a?p.tsx'), ['src/App.tsx']);
  assert.deepEqual(kept('', 'lib, *.md'), ['index.html', 'src/App.tsx']);
  assert.deepEqual(kept('src', '*.css'), ['src/App.tsx', 'src/lib/deep/a.ts']);
  assert.deepEqual(kept('src/(', '[x'), []);
});

test('all matches are replaced, and nothing else changes', () => {
  const { text, count, lines } = replaceAll('\ufeffa A\r\nb\na\n', wish('a'), '$&');
  assert.equal(text, '\ufeff$& $&\r\nb\n$&\n');
  assert.equal(count, 3);
  assert.deepEqual(lines, [
    { line: 1, before: '\ufeffa A', after: '\ufeff$& $&' },
    { line: 3, before: 'a', after: '$&' },
  ]);
});

test('a regular expression has groups, and its lines end where the search sees them end', () => {
  const { text } = replaceAll('get(a)\r\nget(b)\n', wish('get\\((\\w)\\)$', { regex: true }), 'read $1!');
  assert.equal(text, 'read a!\r\nread b!\n');
});

test('what replaces a match with itself is no change', () => {
  assert.deepEqual(replaceAll('a\n', wish('a'), 'a'), { text: 'a\n', count: 0, lines: [] });
  assert.deepEqual(replaceAll('a\n', wish(''), 'b'), { text: 'a\n', count: 0, lines: [] });
  assert.deepEqual(replaceAll('a\n', wish('(', { regex: true }), 'b'), { text: 'a\n', count: 0, lines: [] });
});
