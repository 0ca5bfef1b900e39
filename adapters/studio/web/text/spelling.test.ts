import assert from 'node:assert/strict';
import { test } from 'node:test';

import { text } from './en';
import { admin } from './en/admin';
import * as manual from './en/manual';
import { workbench } from './en/workbench';
import { workspace } from './en/workspace';

/** words are the texts with their places, functions as their source. */
function words(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]): [string, string][] =>
    typeof value === 'object' && value !== null ? words(value, `${path}.${key}`) : [[`${path}.${key}`, String(value)]],
  );
}

const british =
  /\b(\w*colour\w*|centr(e|es|ed|ing)|\w+(summaris|organis|authoris|recognis|initialis|optimis|customis)\w*|(summaris|organis|authoris|recognis|initialis|optimis|customis)\w*|neighbour\w*|favourite\w*|behaviour\w*|licence|catalogue|cancell(ed|ing)|travell\w*|grey|e-mail\w*)\b/i;

// What people who learned English from German write; the list grows with what is found.
const translated = /\b(anybody|everybody|somebody|nobody|whoever|afresh|anew|any more|shall|nevertheless|is none)\b/i;

for (const [what, pattern] of Object.entries({ 'American spelling': british, 'plain words': translated })) {
  test(`English texts keep to ${what}`, () => {
    assert.deepEqual(
      words({ ...text, ...workbench, workspace, admin, ...manual })
        .filter(([, said]) => pattern.test(said))
        .map(([at, said]) => `${at}: ${pattern.exec(said)![0]}`),
      [],
    );
  });
}
