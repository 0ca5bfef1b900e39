// The texts of the data pane's tools.

import type { Finding } from '~/api/types';
import type { Schedule } from '~/pages/project/data/functions';
import { number, plural, weekday } from './words';

const two = (n: number) => String(n).padStart(2, '0');
const megabytes = (bytes: string) => `${number(Number(bytes) / 1e6, { maximumFractionDigits: 1 })} MB`;

export const dataTools = {
  explained: 'What these words mean',
  termsTitle: 'Terms on this page',
  putAway: (word: string) => `Hide: ${word}`,
  terms: {
    backend: {
      name: 'Backend',
      text: 'The part of your app that visitors don’t see: it keeps data, knows who is signed in, and decides who can do what. It belongs to the project and needs no other service.',
    },
    collection: {
      name: 'Collection',
      text: 'A collection is like a table: it holds all entries of one kind, such as messages or orders. An entry is called a record.',
    },
    field: {
      name: 'Field',
      text: 'Every record of a collection has the same fields, such as a name, a date or a picture. They are the columns of the table.',
    },
    rule: {
      name: 'Rule',
      text: 'Rules say who can read, add, change and delete. They apply to everyone who uses the page, whatever the page itself shows. You see everything here regardless.',
    },
    environment: {
      name: 'Test and live',
      text: 'There are two sets of data. Test is for trying things out; the preview shows it. Live is what visitors enter on the published site. Neither ever changes the other.',
    },
    snapshot: {
      name: 'Snapshot',
      text: 'A snapshot keeps all records, people and files as they are at one moment. After a mistake, such as a bad import, you can bring the data back to it.',
    },
    check: {
      name: 'Security check',
      text: 'The server attacks a copy of your test data the way a stranger would, and tells you what it reached. It does the same before every publish.',
    },
    function: {
      name: 'Function',
      text: 'A small program that runs on the server when the page asks for it or on a schedule: to send an email, call another service, or use a key that no one may see.',
    },
  },

  snapshots: 'Snapshots',
  snapshotsHint: {
    test: 'Copies of the test data that you can go back to. One is created before each schema change.',
    live: 'Copies of the live data that you can go back to. One is created every day and before each publish.',
  },
  snapshotsLocked: 'For admins only',
  snapshotsLockedHint:
    'Snapshots of the live data hold everything visitors have entered, so only workspace admins can create and restore them.',
  makeSnapshot: 'Create snapshot',
  snapshotMade: 'Snapshot created',
  noSnapshots: 'No snapshots yet',
  noSnapshotsHint: {
    test: 'Create one before you try something out, and you can go back in a moment.',
    live: 'The first one is created within a day or at the next publish. You can create one yourself at any time.',
  },
  snapshotReasons: {
    manual: 'Created by hand',
    publish: 'Before a publish',
    restore: 'Before a restore',
    scheduled: 'Daily copy',
  },
  beforeSchema: 'Before the schema changed',
  byItself: 'automatic',
  keptFor: { publish: 'kept for 30 days', restore: 'kept for 30 days', scheduled: 'kept for 7 days' },
  restore: 'Restore this',
  restoreTitle: 'Restore this snapshot?',
  restoreText: {
    test: (at: string) =>
      `All records, people and files in the test data go back to how they were on ${at}. Anything entered or changed since then is lost.`,
    live: (at: string) =>
      `The published site goes back to its data from ${at}, immediately and for all visitors. Anything they entered or changed since then is lost.`,
  },
  restoreFirst: 'A snapshot of the current data is created first, so you can return to it.',
  restored: (at: string) => `The data is back to ${at}.`,
  snapshotDelete: 'Delete snapshot',
  snapshotDeleteTitle: 'Delete this snapshot?',
  snapshotDeleteText: (at: string) => `You can no longer go back to ${at}. The current data stays as it is.`,
  snapshotDeleted: 'Snapshot deleted',
  tooManySnapshots: 'You’ve reached the limit of 20 snapshots created by hand. Delete one first.',
  snapshotGone: 'This snapshot no longer exists.',

  check: 'Security check',
  checkNow: 'Check now',
  checkAgain: 'Check again',
  checking: 'Checking',
  checkTitle: 'Can strangers reach what they shouldn’t?',
  checkHint:
    'The server copies the test data and attacks the copy, as a guest and as someone who just signed up. It tries to read, add, change and delete. Your data isn’t touched.',
  checkRuns: 'Attacking a copy of the test data. This takes a few seconds, rarely a minute.',
  checkedAt: 'Checked',
  checkOld: 'The schema has changed since this check. Check again to see what applies now.',
  checkGood: 'Nothing is exposed',
  checkGoodHint:
    'Neither a guest nor a new user could read, change or delete what belongs to others. Check again whenever the rules change. Publishing always checks.',
  checkNotes: 'Nothing that looks private is exposed. The following is fine if it’s what you want.',
  found: (n: number) => plural(n, { one: '# problem found', other: '# problems found' }),
  foundHint: 'Strangers can do more with your data than they probably should.',
  mend: 'Ask the agent to fix it',
  mendAll: (n: number) => plural(n, { one: 'Ask the agent to fix it', other: 'Ask the agent to fix all #' }),
  mendText: (list: string) =>
    `A security check of the backend found that strangers can do this. Please change the rules in backend/schema.json so that they can’t, and keep the pages working:\n${list}`,
  tryRules: 'Test the rules',
  severities: { high: 'Serious', medium: 'Review', info: 'Note' },
  finding: ({ text }: Finding) => text,
  suggestion: 'Suggestion for backend/schema.json:',
  suggested: (suggestion: string) => suggestion,

  functions: 'Functions',
  functionsHint: {
    test: 'Small programs that run on the server. In the preview they work with test data.',
    live: 'The published site has the functions from the last publish, at these addresses. They work with live data.',
  },
  noFunctions: 'No functions yet',
  noFunctionsHint:
    'A function runs on the server: it can send email, call other services, and use keys that no one sees. Tell the agent what should happen.',
  functionWish: 'Add a function that sends me an email when someone fills in the contact form.',
  addressOf: (name: string) => `Address of ${name}`,
  openFile: 'Open file',
  scheduleHint: 'Runs automatically on the published site, in UTC.',
  nextRun: (when: string) => `Next run: ${when}.`,
  schedule: (when: Schedule): string => {
    switch (when.kind) {
      case 'minutes':
        return plural(when.every, { one: 'every minute', other: 'every # minutes' });
      case 'hour':
        return `every hour at :${two(when.minute)}`;
      case 'day':
        return `every day at ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'week':
        return `every ${weekday(when.weekday)} at ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'month':
        return `on day ${when.day} of every month at ${two(when.hour)}:${two(when.minute)} UTC`;
    }
  },
  try: 'Try it',
  tryTitle: (name: string) => `Try ${name}`,
  tryHint: 'Runs once with test data, as for a visitor who isn’t signed in.',
  method: 'Method',
  restOfAddress: (address: string) => `After ${address}`,
  body: 'Body',
  bodyHint: 'Text or JSON to send along.',
  send: 'Send',
  answer: 'Response',
  tookMs: (ms: number) => `${number(ms)} ms`,
  functionFailed: 'The function failed. Visitors only see that it did. You can see why:',
  mendFunction: (name: string, error: string) =>
    `The function functions/${name}.ts fails when it’s called. Please fix it:\n${error}`,
  noText: 'The response isn’t text.',
  noBody: 'The response is empty.',
  cutOff: 'Only the beginning of the response is shown.',
  consoleLines: 'Console',

  line: (n: string) => `Line ${n}`,
  recordNumber: (n: string) => `Record ${n}`,
  failures: {
    create: 'The record couldn’t be created.',
    update: 'The record couldn’t be saved.',
    delete: 'This record can’t be deleted while other records depend on it.',
  },
  refusals: {
    required: () => 'This can’t be empty.',
    not_unique: () => 'Another record already has this value.',
    is_email: () => 'This isn’t an email address.',
    is_url: () => 'This isn’t a web address, such as https://example.com.',
    not_a_number: () => 'This isn’t a number.',
    only_int_constraint: () => 'Use whole numbers only.',
    min_number_constraint: (min: string) => `This must be at least ${min}.`,
    max_number_constraint: (max: string) => `This must be at most ${max}.`,
    min_text_constraint: (min: string) => `Use at least ${min} characters.`,
    max_text_constraint: (max: string) => `Use up to ${max} characters.`,
    length_out_of_range: (min: string, max: string) => `Use ${min} to ${max} characters.`,
    too_many_values: (max: string) => `Choose up to ${max}.`,
    not_enough_values: (min: string) => `Choose at least ${min}.`,
    too_many_files: (max: string) => `Up to ${max} files fit here.`,
    file_size_limit: (name: string, max: string) => `${name} is too large. The limit is ${megabytes(max)}.`,
    invalid_mime_type: (types: string) =>
      types ? `This type of file isn’t allowed. Allowed: ${types}.` : 'This type of file isn’t allowed.',
    missing_rel_records: () => 'The record this refers to no longer exists.',
    min_max_date: () => 'This date is out of range.',
    date_invalid: () => 'This isn’t a date.',
    invalid_json: () => 'This isn’t JSON.',
    content_size_limit: () => 'This is too long.',
    invalid_format: () => 'This doesn’t have the required format.',
    domain_not_allowed: () => 'Addresses from this domain aren’t allowed.',
    values_mismatch: () => 'The two don’t match.',
    invalid_id: () => 'This ID isn’t valid, or another record has it.',
    invalid_place: () => 'This isn’t a place on earth: longitude goes from -180 to 180, latitude from -90 to 90.',
    invalid_value: () => 'This value doesn’t fit here.',
  },
};
