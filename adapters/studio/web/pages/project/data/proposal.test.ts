import assert from 'node:assert/strict';
import { test } from 'node:test';

import { migrationsOf, proposedIn } from './proposal';

const entry = (path: string) => ({ path, size: 1, etag: 'e', modifiedAt: '' }) as never;

test('migrations are those of Supabase, in their order', () => {
  const files = ['supabase/migrations/2_b.sql', 'app/supabase/migrations/1_a.sql', 'supabase/seed.sql', 'x.sql'].map(
    entry,
  );
  assert.deepEqual(migrationsOf(files), ['app/supabase/migrations/1_a.sql', 'supabase/migrations/2_b.sql']);
});

test('a proposal shows the collections that are new', () => {
  const schema = JSON.stringify({
    collections: [
      { name: 'old', type: 'base', fields: [] },
      { name: 'todos', type: 'base', listRule: '', fields: [{ name: 'title', type: 'text' }] },
    ],
  });
  assert.deepEqual(proposedIn({ schema, added: ['todos'] }), [
    {
      name: 'todos',
      type: 'base',
      fields: ['title'],
      rules: { list: '', view: null, create: null, update: null, delete: null },
    },
  ]);
});
