// The texts of the data pane's tools.

import type { Finding } from '~/api/types';
import type { Schedule } from '~/pages/project/data/functions';
import { number, plural, weekday } from './words';

const two = (n: number) => String(n).padStart(2, '0');
const megabytes = (bytes: string) => `${number(Number(bytes) / 1e6, { maximumFractionDigits: 1 })} MB`;

export const dataTools = {
  explained: 'Explained',
  termsTitle: 'The words of this page',
  putAway: (word: string) => `Put away: ${word}`,
  terms: {
    backend: {
      name: 'Backend',
      text: 'The part of your application that visitors do not see: it keeps data, knows who is signed in, and decides who may do what. It belongs to the project and needs no other service.',
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
      text: 'Rules say who may read, add, change and delete. They hold for everybody who uses the page, whatever the page itself shows. You see everything here regardless.',
    },
    environment: {
      name: 'Test and live',
      text: 'There are two sets of data. Test is for trying things out, and the preview shows it. Live is what visitors of the published site enter. Neither ever changes the other.',
    },
    snapshot: {
      name: 'Snapshot',
      text: 'A snapshot keeps all records, people and files as they are at one moment. After a mistake, such as a wrong import, the data can go back to it.',
    },
    check: {
      name: 'Security check',
      text: 'The service tries to get at a copy of your test data as a stranger would, and tells you what it reached. It does the same before every publish.',
    },
    function: {
      name: 'Function',
      text: 'A small program that runs on the server when the page asks for it, or by the clock: to send a mail, to ask another service, or to use a key that nobody may see.',
    },
  },

  snapshots: 'Snapshots',
  snapshotsHint: {
    test: 'Copies of the test data that you can go back to. One is made before the schema changes.',
    live: 'Copies of the live data that you can go back to. One is made every day and before each publish.',
  },
  snapshotsLocked: 'For admins only',
  snapshotsLockedHint:
    'Snapshots of the live data hold everything that visitors have entered. Admins of the workspace make them and go back to them.',
  makeSnapshot: 'Make a snapshot',
  snapshotMade: 'The snapshot is made.',
  noSnapshots: 'No snapshots yet',
  noSnapshotsHint: {
    test: 'Make one before you try something out. Going back then takes a moment.',
    live: 'The first one is made within a day, or at the next publish. You can make one yourself at any time.',
  },
  snapshotReasons: {
    manual: 'Made by hand',
    publish: 'Before a publish',
    restore: 'Before going back',
    scheduled: 'Daily copy',
  },
  beforeSchema: 'Before the schema changed',
  byItself: 'automatic',
  keptFor: { publish: 'kept for 30 days', restore: 'kept for 30 days', scheduled: 'kept for 7 days' },
  restore: 'Go back to this',
  restoreTitle: 'Go back to this snapshot?',
  restoreText: {
    test: (at: string) =>
      `All records, people and files of the test data become what they were on ${at}. What was entered or changed since then disappears.`,
    live: (at: string) =>
      `The published site gets the data of ${at} back, at once and for all visitors. What they have entered or changed since then disappears.`,
  },
  restoreFirst: 'A snapshot of the present data is made first, so you can return to it.',
  restored: (at: string) => `The data is what it was on ${at}.`,
  snapshotDelete: 'Delete snapshot',
  snapshotDeleteTitle: 'Delete this snapshot?',
  snapshotDeleteText: (at: string) => `The data can then no longer go back to ${at}. The present data stays as it is.`,
  snapshotDeleted: 'The snapshot is deleted.',
  tooManySnapshots: 'There are 20 snapshots made by hand, and no more are kept. Delete one first.',
  snapshotGone: 'This snapshot is not there any more.',

  check: 'Security check',
  checkNow: 'Check now',
  checkAgain: 'Check again',
  checking: 'Checking',
  checkTitle: 'Can strangers reach what they should not?',
  checkHint:
    'The service makes a copy of the test data and attacks it: as a guest, and as somebody who has just signed up. It tries to read, add, change and delete. Your data stays as it is.',
  checkRuns: 'A copy of the test data is being attacked. This takes a few seconds, rarely a minute.',
  checkedAt: 'Checked',
  checkOld: 'The schema has changed since this check. Check again to see what holds now.',
  checkGood: 'Nothing is open',
  checkGoodHint:
    'Neither a guest nor a new user could read, change or delete what belongs to others. Check again whenever the rules change; publishing does it in any case.',
  checkNotes: 'Nothing is open that looks private. What follows is fine if it is meant that way.',
  found: (n: number) => plural(n, { one: '# open door', other: '# open doors' }),
  foundHint: 'Strangers can do more with your data than they probably should.',
  mend: 'Ask the agent to mend it',
  mendAll: (n: number) => plural(n, { one: 'Ask the agent to mend it', other: 'Ask the agent to mend all #' }),
  mendText: (list: string) =>
    `A security check of the backend found that strangers can do this. Please change the rules in backend/schema.json so that they cannot, and keep the pages working:\n${list}`,
  tryRules: 'Test the rules',
  severities: { high: 'Serious', medium: 'Look at it', info: 'Note' },
  finding: ({ text }: Finding) => text,
  suggestion: 'Suggestion for backend/schema.json:',
  suggested: (suggestion: string) => suggestion,

  functions: 'Functions',
  functionsHint: {
    test: 'Small programs that run on the server. In the preview they work with test data.',
    live: 'The published site has the functions of the last publish, at these addresses. They work with live data.',
  },
  noFunctions: 'No functions yet',
  noFunctionsHint:
    'A function runs on the server: it can send mails, ask other services, and use keys that nobody sees. Tell the agent what should happen.',
  functionWish: 'Add a function that sends me an e-mail when somebody fills in the contact form.',
  addressOf: (name: string) => `Address of ${name}`,
  openFile: 'Open file',
  scheduleHint: 'Runs by itself on the published site, in UTC.',
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
  tryHint: 'The function runs once with test data, as for a visitor who is not signed in.',
  method: 'Method',
  restOfAddress: (address: string) => `After ${address}`,
  body: 'Body',
  bodyHint: 'Text or JSON that is sent along.',
  send: 'Send',
  answer: 'Answer',
  tookMs: (ms: number) => `${number(ms)} ms`,
  functionFailed: 'The function failed. Visitors only learn that it did; you see why:',
  mendFunction: (name: string, error: string) =>
    `The function functions/${name}.ts fails when it is called. Please mend it:\n${error}`,
  noText: 'The answer is not text.',
  noBody: 'The answer is empty.',
  cutOff: 'This is the beginning of the answer.',
  consoleLines: 'Console',

  line: (n: string) => `Line ${n}`,
  recordNumber: (n: string) => `Record ${n}`,
  noField: (name: string) => `the collection has no field “${name}”.`,
  failures: {
    create: 'The record could not be created.',
    update: 'The record could not be saved.',
    delete: 'This record cannot be deleted while other records need it.',
  },
  refusals: {
    required: () => 'This cannot stay empty.',
    not_unique: () => 'Another record has this value already.',
    is_email: () => 'This is not an e-mail address.',
    is_url: () => 'This is not an address, such as https://example.com.',
    not_a_number: () => 'This is not a number.',
    only_int_constraint: () => 'This takes whole numbers only.',
    min_number_constraint: (min: string) => `This must be at least ${min}.`,
    max_number_constraint: (max: string) => `This must be at most ${max}.`,
    min_text_constraint: (min: string) => `This needs at least ${min} characters.`,
    max_text_constraint: (max: string) => `This may have at most ${max} characters.`,
    length_out_of_range: (min: string, max: string) => `This needs ${min} to ${max} characters.`,
    too_many_values: (max: string) => `Choose at most ${max}.`,
    not_enough_values: (min: string) => `Choose at least ${min}.`,
    too_many_files: (max: string) => `At most ${max} files fit here.`,
    file_size_limit: (name: string, max: string) => `${name} is too large: at most ${megabytes(max)}.`,
    invalid_mime_type: (types: string) =>
      types ? `Files of this kind are not taken. Possible: ${types}.` : 'Files of this kind are not taken.',
    missing_rel_records: () => 'The record that this refers to is not there any more.',
    min_max_date: () => 'This date is out of range.',
    date_invalid: () => 'This is not a date.',
    invalid_json: () => 'This is not JSON.',
    content_size_limit: () => 'This is too long.',
    invalid_format: () => 'This does not have the form that is asked for.',
    domain_not_allowed: () => 'Addresses of this domain are not taken.',
    values_mismatch: () => 'The two do not match.',
    invalid_id: () => 'This id is not valid, or another record has it.',
    invalid_place: () => 'This is no place on earth: longitude is -180 to 180, latitude -90 to 90.',
    invalid_value: () => 'This value does not fit here.',
  },
};
