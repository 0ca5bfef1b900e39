import assert from 'node:assert/strict';
import { test } from 'node:test';

import { darkTheme, type Facts, nextSteps } from './next-steps';

const bare: Facts = { paths: ['src/App.tsx'], schema: '', isDark: false, isDemo: false, isCopy: false };

test('what a project lacks is offered, then publishing', () => {
  assert.deepEqual(nextSteps(bare), ['data', 'dark', 'checks', 'publish']);
  const paths = ['backend/schema.json', '.atelier/checks/order.json'];
  assert.deepEqual(nextSteps({ ...bare, paths }), ['signIn', 'dark', 'publish']);
  const schema = '{"collections": [{"name": "users", "type" : "auth"}]}';
  assert.deepEqual(nextSteps({ ...bare, paths, schema, isDark: true }), ['publish']);
});

test('the demo is asked only for what it can do', () => {
  const blank = ['src/App.tsx', 'src/components/ui/button.tsx', 'index.html'];
  const built = { ...bare, isDemo: true, paths: [...blank, 'src/texts.ts'] };
  assert.deepEqual(nextSteps({ ...bare, isDemo: true, paths: blank }), ['examples', 'title', 'publish']);
  assert.deepEqual(nextSteps({ ...bare, isDemo: true }), ['guestbook', 'title', 'publish']);
  assert.deepEqual(nextSteps(built), ['guestbook', 'title', 'publish']);
  assert.deepEqual(nextSteps({ ...built, paths: [...built.paths, 'backend/schema.json'] }), ['title', 'publish']);
});

test('a working copy is not published', () => {
  assert.deepEqual(nextSteps({ ...bare, isCopy: true }), ['data', 'dark', 'checks']);
});

test('a dark theme is known by what styles say', () => {
  const pattern = new RegExp(darkTheme);
  for (const style of ['@media (prefers-color-scheme: dark) {', 'class="dark:bg-black"', '.dark body {'])
    assert.equal(pattern.test(style), true, style);
  assert.equal(pattern.test('const darkRoast = "coffee"'), false);
});
