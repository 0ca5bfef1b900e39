import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DataEnvironment } from '~/api/types';
import { loadWorkbench, t } from '~/text';
import { workbench as de } from '~/text/de/workbench';
import { storedIn } from './sizes';

await loadWorkbench();

const environment = (records: number, bytes: number, fileBytes: number): DataEnvironment => ({
  ...{ records, bytes, fileBytes },
  ...{ users: 0, counts: {}, pending: null },
});

test('an empty database has no size', () => {
  assert.equal(storedIn(environment(0, 282_800, 0)), '0 records');
  assert.equal(storedIn(environment(1, 999_999, 0)), '1 record');
});

test('files and a large database have sizes', () => {
  assert.equal(storedIn(environment(3, 282_800, 12_000)), '3 records · 12 kB of files');
  assert.equal(storedIn(environment(3, 1_000_000, 0)), '3 records · 1 MB of records');
  assert.equal(storedIn(environment(3, 2_500_000, 1)), '3 records · 1 byte of files · 2.5 MB of records');
});

test('the sizes are named in both languages', () => {
  assert.equal(t.data.ofFiles('12 kB'), '12 kB of files');
  assert.equal(de.data.ofFiles('12 kB'), '12 kB Dateien');
  assert.equal(de.data.ofRecords('1 MB'), '1 MB Datensätze');
});
