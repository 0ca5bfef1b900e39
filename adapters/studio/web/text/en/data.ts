import { signIns } from './data-sign-ins';
import { dataTools } from './data-tools';
import { plural } from './words';

export const data = {
  readers: 'Only members of the workspace see the data of this project.',
  none: 'This project keeps no data yet',
  noneHint:
    'Data is what your page remembers for its visitors: entries of a guestbook, orders, accounts. It stays when the page is closed, and you decide who may see and change it.',
  examples: 'Examples',
  wishes: [
    {
      name: 'Guestbook',
      text: 'Add a guestbook where people sign in and leave a message. Everybody can read the messages; only the author can change or delete one.',
    },
    {
      name: 'Sign-up list',
      text: 'Add a form where visitors sign up for an event with their name and e-mail. Only I can see the list.',
    },
    {
      name: 'Shared to-do list',
      text: 'Add a to-do list with accounts: people sign in, and each sees and changes only their own entries, on every device.',
    },
  ],
  wish: 'What should your page remember?',
  askAgent: 'Ask the agent',
  sample: {
    caption: 'The data of a guestbook, for example: a row for each entry',
    columns: ['name', 'message', 'written'],
    rows: [
      ['Ada', 'What a lovely page!', 'today'],
      ['Grace', 'Greetings from New York', 'yesterday'],
    ],
  },
  points: [
    {
      name: 'Your page fills it',
      text: 'What somebody enters on the page becomes a row at once. Here you look at the rows, change them and add some.',
    },
    {
      name: 'You say who may do what',
      text: 'Everybody reads and only the author deletes, for example. You say it in your words; the service then holds everybody to it.',
    },
    {
      name: 'First try, then publish',
      text: 'The preview has data to try things out with. Visitors of the published page have data of their own, which nothing you try can harm.',
    },
  ],

  environments: 'Which data',
  envs: { test: 'Test', live: 'Live' },
  envHints: {
    test: 'Data to try things out with. The preview shows it; visitors of your site never do.',
    live: 'The real data of your published site.',
  },
  live: 'Live data.',
  liveHint: 'Visitors of your site see every change at once.',
  liveReadOnly: 'You can look at it; only admins of the workspace change it.',
  liveQuestion: 'This is the data of your published site. Visitors see the change at once, and it cannot be undone.',
  liveSaveTitle: 'Change live data?',
  liveCreateTitle: 'Add to the live data?',
  liveImportTitle: 'Import into the live data?',
  liveSave: 'Change live data',
  liveCreate: 'Add to live data',
  liveImport: 'Import into live data',
  notLive: 'Nothing is live yet',
  notLiveHint: 'When you publish the project, its site gets data of its own: empty, and apart from the test data.',
  toTest: 'To the test data',

  collections: 'Collections',
  choose: 'Your data',
  chooseHint: 'Choose a collection to see what is in it. A collection is a table: a row for each entry.',
  back: 'Back to the list',
  types: { base: 'Entries', auth: 'People', view: 'Computed' },
  schema: 'Schema',
  noSchema:
    'The file backend/schema.json is gone, so the application has no data any more. What there was is kept and shown here.',
  broken: 'The schema has mistakes. The last good one stays in force.',
  fixText: (list: string) => `The schema of the backend has mistakes. Please fix them:\n${list}`,

  reset: 'Reset test data',
  resetSeed: 'With the sample records',
  resetEmpty: 'Empty',
  resetTitle: 'Reset the test data?',
  resetSeedText:
    'All test records, users and files are deleted, and the sample records of backend/seed.json are created again. Live data stays as it is.',
  resetText: 'All test records, users and files are deleted. Live data stays as it is.',
  wasReset: 'The test data is new.',

  values: (n: number) => plural(n, { one: '# value', other: '# values' }),
  records: (n: number) => plural(n, { one: '# record', other: '# records' }),
  ofFiles: (size: string) => `${size} of files`,
  ofRecords: (size: string) => `${size} of records`,
  pending: (loss: string) => `The new schema would delete ${loss} of your test data.`,
  pendingHint: 'Nothing has been changed. The preview works with the old schema until you decide.',
  confirmLoss: (loss: string) => `Delete ${loss}`,
  keep: 'Ask the agent to keep them',
  keepText:
    'The last change of backend/schema.json would delete data that exists. Please change the schema so that nothing is lost: keep the fields and collections, or mark renamed ones with "renamedFrom".',
  applied: 'The test data follows the new schema.',
  dropsCollection: (collection: string, n: number) =>
    `The collection “${collection}” goes away with ${plural(n, { one: '# record', other: '# records' })}.`,
  dropsField: (collection: string, field: string, n: number) =>
    `The field “${field}” of “${collection}” goes away with ${plural(n, { one: '# value', other: '# values' })}.`,
  changesField: (collection: string, field: string, n: number) =>
    `The field “${field}” of “${collection}” changes, and ${plural(n, { one: '# value does', other: '# values do' })} not fit any more.`,
  harmless: (n: number) => `${plural(n, { one: '# other change loses', other: '# other changes lose' })} nothing.`,

  acts: {
    read: 'read',
    list: 'see the list',
    view: 'open an entry',
    create: 'add',
    update: 'change',
    delete: 'delete',
  },
  people: {
    anybody: (what: string) => `Anybody can ${what}.`,
    members: (what: string) => `Only members of this project can ${what}.`,
    signedIn: (what: string) => `Anybody who is signed in can ${what}.`,
    verified: (what: string) => `Anybody who is signed in with a confirmed e-mail can ${what}.`,
    self: (what: string) => `Each person can ${what} only their own account.`,
    owner: (field: string, what: string) => `Only the ${field} can ${what}.`,
    asThemselves: (field: string, what: string) =>
      `Anybody who is signed in can ${what}, with themselves as the ${field}.`,
    rule: (text: string, what: string) => `Who fits “${text}” can ${what}.`,
  },
  explainRules: 'Change who may do what',
  rulesText: (collection: string) =>
    `Explain in simple words who can read, add, change and delete in “${collection}”, and ask me what should be different.`,

  search: 'Search',
  searchHint: 'Search, or filter: done = true',
  reload: 'Load again',
  changedByOthers: 'Records have changed since this list was loaded.',
  showChanges: 'Show changes',
  transfer: 'Import and export',
  import: 'Import…',
  exportCSV: 'Export as CSV',
  exportJSON: 'Export as JSON',
  importInto: (collection: string) => `Import into ${collection}`,
  importHint:
    'A table as CSV, with the names of the fields in the first line, or records as JSON. All of it is imported, or nothing.',
  file: 'File',
  importNow: 'Import',
  imported: (n: number) => plural(n, { one: '# record imported', other: '# records imported' }),
  importFailed: 'Nothing was imported.',

  newRecord: 'New record',
  newIn: (collection: string) => `New record in ${collection}`,
  record: (collection: string) => `Record of ${collection}`,
  recordsOf: (collection: string) => `Records of ${collection}. Enter opens one.`,
  sortBy: (field: string) => `Sort by ${field}`,
  empty: 'Nothing in here yet',
  emptyHint: 'Entries appear here as soon as somebody uses the page, or when you add one.',
  notFound: 'Nothing found',
  notFoundHint: 'No record contains this. Try fewer or other words.',
  created: 'Record created',
  deleted: 'Record deleted',
  deleteTitle: 'Delete this record?',
  deleteText: 'This cannot be undone. Records that belong to it may be deleted with it.',
  deleteLiveText:
    'This is a record of your published site. Deleting it cannot be undone; records that belong to it may be deleted with it.',
  discardTitle: 'Discard what you entered?',
  discardText: 'It has not been saved.',
  discard: 'Discard',

  fieldTypes: {
    text: '',
    editor: 'formatted text',
    number: 'number',
    bool: 'yes or no',
    email: 'e-mail',
    url: 'address',
    date: 'date and time',
    select: 'choice',
    relation: 'reference',
    file: 'file',
    json: 'JSON',
    geoPoint: 'place',
    password: '',
  },
  required: 'required',
  nothing: '(nothing)',
  wrong: {
    number: 'This is not a number.',
    json: 'This is not JSON.',
    date: 'This is not a date.',
  },
  pointHint: 'Such as {"lon": 13.4, "lat": 52.5}',
  passwordHint: 'Leave it empty to keep the current one.',
  takeOut: (name: string) => `Remove ${name}`,
  chooseFrom: (collection: string) => `Choose from ${collection}…`,
  chooseFile: (field: string) => `File for ${field}`,
  addFile: 'Choose a file…',
  addFiles: 'Add files…',
  findHint: 'Type to find a record…',

  mails: 'Mails',
  mailsHint:
    'With test data your application sends no mail. What it would have sent is here; the links work in the preview.',
  noMails: 'No mails yet',
  noMailsHint: 'When a test user signs up or forgets the password, the mail appears here.',
  mailTo: 'to',

  ...dataTools,
  signIns,

  logs: 'Logs',
  logsHint:
    'What your application asked of its data, and how its functions ran: the newest first, for up to 7 days. What people entered or searched for is not kept.',
  logKind: 'Which entries',
  logKinds: { '': 'All', request: 'Requests', function: 'Functions' },
  logFailed: 'Only errors',
  logTook: (ms: string) => `${ms} ms`,
  logError: 'Error',
  logConsole: 'Console',
  logOmitted: (count: number) =>
    plural(count, {
      one: 'One more came right before this one. It is not kept, because too many came at once.',
      other: '# more came right before this one. They are not kept, because too many came at once.',
    }),
  noLogs: 'Nothing has happened yet',
  noLogsHint: 'Open the preview and use your application: what it asks of its data appears here.',
  noLogsLiveHint: 'As soon as somebody uses your published application, it appears here.',
  noLogsSuch: 'There is nothing of this kind',
  noLogsSuchHint: 'That is good news if you looked for errors.',
};
