import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applyPatch } from '../patch';
import { contrast, type Rgb, weakPairs } from './contrast';
import { diffOf, rulesOf, tokensOf, withToken, withTokens } from './sheet';

const plain = `/* :root { --no: #fff } */
:root {
  --page: #fff;
  --text: light-dark(#222, rgb(1, 2, 3));
  --gap: 8px;
}
.card { --page: #000; }
@media (min-width: 10px) { :root { --gap: 9px; } }
`;

test('tokens are custom properties of the root, with their values in dark mode', () => {
  const brief = tokensOf(plain).map(({ name, kind, light, dark }) => [name, kind, light, dark]);
  assert.deepEqual(brief, [
    ['page', 'color', '#fff', null],
    ['text', 'color', '#222', 'rgb(1, 2, 3)'],
    ['gap', 'length', '8px', null],
  ]);
});

test('a value is set where it is', () => {
  assert.equal(withToken(plain, 'gap', 'light', '4px'), plain.replace('--gap: 8px', '--gap: 4px'));
  assert.equal(withToken(plain, 'text', 'dark', '#eee'), plain.replace('rgb(1, 2, 3)', '#eee'));
  assert.equal(
    withToken(plain, 'page', 'dark', '#000'),
    plain.replace('--page: #fff', '--page: light-dark(#fff, #000)'),
  );
  const theme = '@import "tailwindcss";\n@theme {\n  --color-a: #fff;\n  --color-b: #111\n}\n';
  const once = withToken(theme, 'color-a', 'dark', '#000');
  assert.equal(once, `${theme}\n@media (prefers-color-scheme: dark) {\n  :root {\n    --color-a: #000;\n  }\n}\n`);
  assert.equal(
    withToken(once, 'color-b', 'dark', '#eee'),
    once.replace('--color-a: #000;', '--color-a: #000;\n    --color-b: #eee;'),
  );
  const byClass = '@custom-variant dark (&:where(.dark, .dark *));\n@theme { --color-a: #fff; }\n';
  assert.equal(withToken(byClass, 'color-a', 'dark', '#000'), `${byClass}\n.dark {\n  --color-a: #000;\n}\n`);
  assert.equal(withToken(plain, 'unknown', 'light', '#000'), plain);
});

test('values are shown where they are, without the layers around them', () => {
  const sheet =
    '@theme { --a: #fff; --b: #000; }\n@media (prefers-color-scheme: dark) { @layer base { :root { --a: #111; } } }\n';
  assert.equal(
    rulesOf(sheet, new Set(['a'])),
    ':root { --a: #fff; }\n@media (prefers-color-scheme: dark) { :root { --a: #111; } }',
  );
});

test('first tokens come after the imports', () => {
  const after = withTokens('@import "tailwindcss";\n\np { top: 0 }\n', true);
  assert.equal(/^@import "tailwindcss";\n\n@theme \{\n[^}]*\}\n\np \{/.test(after), true, after);
  const alone = withTokens('', false);
  assert.equal(/^:root \{\n[^}]*\}\n$/.test(alone), true, alone);
});

test('a diff leads from one text to the other and back', () => {
  for (const [before, after] of [
    ['a\nb\nc\nd\ne\n', 'a\nb\nX\nd\ne\n'],
    ['a\nb', 'a\nc'],
    ['a\n', 'a\nb\n'],
    ['', 'a\n'],
  ] as const) {
    const diff = diffOf('a.css', before, after);
    assert.equal(applyPatch(before, diff), after);
    assert.equal(applyPatch(after, diff, true), before);
  }
  assert.equal(diffOf('a.css', 'a', 'a'), '');
});

test('colours that are hard to read are found', () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  const sheet =
    ':root { --color-background: white; --color-foreground: #999999; --color-primary: #000000; --color-primary-foreground: white; }';
  const rgbOf = (value: string): Rgb =>
    value === 'white' ? [255, 255, 255] : value === '#999999' ? [153, 153, 153] : [0, 0, 0];
  const weak = weakPairs(tokensOf(sheet), 'light', rgbOf);
  assert.deepEqual(
    weak.map(({ text, ground }) => [text, ground]),
    [['color-foreground', 'color-background']],
  );
});
