import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildingOf } from './building';

const wrote = (path: string, content: string) => ({
  kind: 'tool',
  tool: 'write_file',
  args: { path, content },
  state: 'done' as const,
});

test('a run that is about to begin is shown before its first event', () => {
  assert.deepEqual(buildingOf(null), { steps: [], code: '' });
  assert.deepEqual(buildingOf([]), { steps: [], code: '' });
});

test('the first run shows its steps and the newest code', () => {
  const items = [
    { kind: 'text' },
    { kind: 'tool', tool: 'list_files', args: {}, state: 'done' as const },
    wrote('src/index.css', 'a {}'),
    wrote('src/App.tsx', 'const a = 1'),
    { kind: 'tool', tool: 'check_build', args: {}, state: 'running' as const },
  ];
  const got = buildingOf([{ items, end: null }]);
  assert.deepEqual(
    got?.steps.map(({ tool, path, state }) => `${tool} ${path} ${state}`),
    ['list_files  done', 'write_file src/index.css done', 'write_file src/App.tsx done', 'check_build  running'],
  );
  assert.equal(got?.code, 'const a = 1');
});

test('a file that is written again is one step', () => {
  const got = buildingOf([{ items: [wrote('a', '1'), wrote('a', '2')], end: null }]);
  assert.equal(got?.steps.length, 1);
  assert.equal(got?.code, '2');
});

test('what has ended, has a version or is no first run is not shown', () => {
  const items = [wrote('a', '1')];
  assert.equal(buildingOf([{ items, end: { kind: 'complete' } }]), null);
  assert.equal(buildingOf([{ items: [...items, { kind: 'version' }], end: null }]), null);
  assert.equal(
    buildingOf([
      { items, end: { kind: 'complete' } },
      { items: [], end: null },
    ]),
    null,
  );
});

test('arguments of a model that are no text are left out', () => {
  const items = [{ kind: 'tool', tool: 'write_file', args: { path: 7, content: {} }, state: 'failed' as const }];
  assert.deepEqual(buildingOf([{ items, end: null }]), {
    steps: [{ tool: 'write_file', path: '', state: 'failed' }],
    code: '',
  });
});
