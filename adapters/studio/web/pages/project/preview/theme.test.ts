import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coloursOf, inTokens, plainValue, readTheme, usesTailwind } from './theme';

test('a style sheet that imports Tailwind is found', () => {
  for (const sheet of ['@import "tailwindcss";', "@import 'tailwindcss/utilities' layer(u);", '@tailwind base;'])
    assert.equal(usesTailwind(sheet), true, sheet);
  for (const sheet of ['', '/* @import "tailwindcss"; */', '@import "tailwind-like.css";'])
    assert.equal(usesTailwind(sheet), false, sheet);
});

test('the tokens of a project are over those of Tailwind', () => {
  const theme = readTheme(
    'a.css',
    '@theme inline { --color-red-*: initial; --color-primary: light-dark(#fff, #000); --spacing: 5px }',
  );
  assert.equal(theme.tokens.get('color-primary'), 'light-dark(#fff, #000)');
  assert.equal(theme.tokens.has('color-red-500'), false);
  assert.equal(theme.tokens.get('color-blue-500'), 'oklch(62.3% 0.214 259.815)');
  assert.deepEqual(coloursOf(theme).own[0], { name: 'primary', value: 'light-dark(#fff, #000)' });
  assert.equal(inTokens(theme, 'padding-top', '15px'), 'calc(var(--spacing) * 3)');
});

test('values become tokens, and tokens values', () => {
  const theme = readTheme('a.css', '');
  for (const [property, value, want] of [
    ['padding-top', '16px', 'calc(var(--spacing) * 4)'],
    ['margin-left', '-6px', 'calc(var(--spacing) * -1.5)'],
    ['padding-top', '13px', '13px'],
    ['padding-top', '0px', '0px'],
    ['padding-top', '1rem', 'calc(var(--spacing) * 4)'],
    ['font-size', '18px', 'var(--text-lg)'],
    ['font-size', '19px', '19px'],
    ['border-radius', '0.5rem', 'var(--radius-lg)'],
    ['color', '#fff', '#fff'],
  ] as const)
    assert.equal(inTokens(theme, property, value), want, `${property} ${value}`);
  for (const [value, want] of [
    ['calc(var(--spacing) * 4)', '16px'],
    ['var(--text-lg)', '18px'],
    ['var(--color-white)', '#fff'],
    ['13px', '13px'],
    ['var(--unknown)', 'var(--unknown)'],
  ] as const)
    assert.equal(plainValue(theme, value), want, value);
});
