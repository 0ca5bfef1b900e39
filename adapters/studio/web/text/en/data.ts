import { signIns } from './data-sign-ins';
import { dataTools } from './data-tools';
import { plural } from './words';

export const data = {
  readers: 'Only workspace members can see this project’s data.',
  none: 'This project has no data yet',
  noneHint:
    'Data is what your page remembers for its visitors: guestbook entries, orders, accounts. It stays when the page is closed, and you decide who can see and change it.',
  examples: 'Examples',
  wishes: [
    {
      name: 'Guestbook',
      text: 'Add a guestbook where people sign in and leave a message. Everyone can read the messages; only the author can change or delete one.',
    },
    {
      name: 'Sign-up list',
      text: 'Add a form where visitors sign up for an event with their name and email. Only I can see the list.',
    },
    {
      name: 'Shared to-do list',
      text: 'Add a to-do list with accounts: people sign in, and each sees and changes only their own entries, on every device.',
    },
  ],
  wish: 'What should your page remember?',
  askAgent: 'Ask the agent',
  sample: {
    caption: 'For example, the data of a guestbook: one row per entry',
    columns: ['name', 'message', 'written'],
    rows: [
      ['Ada', 'What a lovely page!', 'today'],
      ['Grace', 'Greetings from New York', 'yesterday'],
    ],
  },
  points: [
    {
      name: 'Your page fills it',
      text: 'What people enter on the page becomes a row right away. Here you can look at the rows, change them and add more.',
    },
    {
      name: 'You say who can do what',
      text: 'For example: everyone reads, only the author deletes. Say it in your own words, and the server enforces it.',
    },
    {
      name: 'Try first, then publish',
      text: 'The preview has its own data for trying things out. Visitors of the published page have separate data, which nothing you try can harm.',
    },
  ],

  environments: 'Which data',
  envs: { test: 'Test', live: 'Live' },
  envHints: {
    test: 'Data for trying things out. The preview shows it; visitors of your site never see it.',
    live: 'The real data of your published site.',
  },
  live: 'Live data.',
  liveHint: 'Visitors of your site see every change immediately.',
  liveReadOnly: 'You can look at it. Only workspace admins can change it.',
  liveQuestion: 'This is the data of your published site. Visitors see the change immediately, and it can’t be undone.',
  liveSaveTitle: 'Change live data?',
  liveCreateTitle: 'Add to the live data?',
  liveImportTitle: 'Import into the live data?',
  liveSave: 'Change live data',
  liveCreate: 'Add to live data',
  liveImport: 'Import into live data',
  notLive: 'Nothing is live yet',
  notLiveHint: 'When you publish the project, its site gets its own data: empty, and separate from the test data.',
  toTest: 'Go to test data',

  collections: 'Collections',
  choose: 'Your data',
  chooseHint: 'Choose a collection to see what’s in it. A collection is a table with one row per entry.',
  back: 'Back to the list',
  types: { base: 'Entries', auth: 'People', view: 'Computed' },
  schema: 'Schema',
  noSchema:
    'The file backend/schema.json is gone, so the app has no data anymore. What was there is kept and shown here.',
  broken: 'The schema has errors. The last valid one is still in use.',
  fixText: (list: string) => `The backend schema has errors. Please fix them:\n${list}`,

  reset: 'Reset test data',
  resetSeed: 'With the sample records',
  resetEmpty: 'Empty',
  resetTitle: 'Reset the test data?',
  resetSeedText:
    'All test records, users and files are deleted, and the sample records of backend/seed.json are created again. Live data stays as it is.',
  resetText: 'All test records, users and files are deleted. Live data stays as it is.',
  wasReset: 'Test data reset',

  values: (n: number) => plural(n, { one: '# value', other: '# values' }),
  records: (n: number) => plural(n, { one: '# record', other: '# records' }),
  ofFiles: (size: string) => `${size} of files`,
  ofRecords: (size: string) => `${size} of records`,
  pending: (loss: string) => `The new schema would delete ${loss} from your test data.`,
  pendingHint: 'Nothing has changed yet. The preview uses the old schema until you decide.',
  confirmLoss: (loss: string) => `Delete ${loss}`,
  keep: 'Ask the agent to keep them',
  keepText:
    'The last change to backend/schema.json would delete existing data. Please change the schema so that nothing is lost: keep the fields and collections, or mark renamed ones with "renamedFrom".',
  applied: 'The test data now uses the new schema.',
  dropsCollection: (collection: string, n: number) =>
    `The collection “${collection}” is deleted with ${plural(n, { one: '# record', other: '# records' })}.`,
  dropsField: (collection: string, field: string, n: number) =>
    `The field “${field}” of “${collection}” is deleted with ${plural(n, { one: '# value', other: '# values' })}.`,
  changesField: (collection: string, field: string, n: number) =>
    `The field “${field}” of “${collection}” changes, and ${plural(n, { one: '# value no longer fits', other: '# values no longer fit' })}.`,
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
    anybody: (what: string) => `Anyone can ${what}.`,
    members: (what: string) => `Only members of this project can ${what}.`,
    signedIn: (what: string) => `Anyone who is signed in can ${what}.`,
    verified: (what: string) => `Anyone who is signed in with a confirmed email can ${what}.`,
    self: (what: string) => `Each person can ${what} only their own account.`,
    owner: (field: string, what: string) => `Only the ${field} can ${what}.`,
    asThemselves: (field: string, what: string) =>
      `Anyone who is signed in can ${what}, with themselves as the ${field}.`,
    rule: (text: string, what: string) => `Anyone who matches “${text}” can ${what}.`,
  },
  explainRules: 'Change rules',
  rulesText: (collection: string) =>
    `Explain in simple terms who can read, add, change and delete in “${collection}”, and ask me what should be different.`,

  search: 'Search',
  searchHint: 'Search, or filter: done = true',
  showSystem: 'Show id and system columns',
  hideSystem: 'Hide id and system columns',
  reload: 'Reload',
  changedByOthers: 'Records have changed since this list was loaded.',
  showChanges: 'Show changes',
  transfer: 'Import and export',
  bringTables: 'Tables from Supabase or Postgres…',
  tables: 'Tables from Supabase or Postgres',
  tablesWhat:
    'Every table becomes a collection of this project, and its policies become rules. You see the result before anything is saved. The records come afterwards: export each table as CSV and import it into its collection.',
  hasMigrations: 'This project came with tables of Supabase (supabase/migrations).',
  useMigrations: (n: number) => plural(n, { one: 'Show them', other: 'Show them (# files)' }),
  sqlFile: 'SQL file',
  sqlHint: 'As pg_dump --schema-only or supabase db dump writes it, at most 1 MB.',
  showTables: 'Show the tables',
  tablesFound: (n: number) =>
    plural(n, { one: 'This collection would be added:', other: 'These # collections would be added:' }),
  noTables: 'There is no table to add.',
  tablesNotes: 'What is different here:',
  otherTables: 'Back',
  keepTables: 'Keep',
  useTables: 'Keep, and have the agent use them',
  tablesKept: (n: number) => plural(n, { one: '# collection added', other: '# collections added' }),
  tablesOutdated: 'The schema has changed in the meantime. Go back and look at the tables again.',
  useTablesText:
    'The tables of Supabase are now collections of this project (backend/schema.json). Please change the page so that it uses them instead of Supabase: sign-in, reading, writing and realtime. Leave everything that people see as it is.',
  import: 'Import…',
  exportCSV: 'Export as CSV',
  exportJSON: 'Export as JSON',
  importInto: (collection: string) => `Import into ${collection}`,
  importHint:
    'A CSV table with the field names in the first row, or records as JSON, as Supabase and Postgres export them. Records whose id is already here are changed. Either everything is imported or nothing.',
  file: 'File',
  importNow: 'Import',
  imported: (n: number, updated: number, newIds: number) =>
    [
      plural(n, { one: '# record imported', other: '# records imported' }),
      updated > 0
        ? plural(updated, { one: ', # of which was already here', other: ', # of which were already here' })
        : '',
      newIds > 0 ? '. The ids of the file don’t fit here, so the records have others. Relations were kept.' : '',
    ].join(''),
  importing: 'The file is checked and written as a whole. This can take up to a minute for a large one.',
  rowsRefused: (n: number) => plural(n, { one: '# record is refused:', other: '# records are refused:' }),
  rowsShown: (n: number) => `These are the first ${n} reasons.`,
  importFailed: 'Nothing was imported.',

  newRecord: 'New record',
  newIn: (collection: string) => `New record in ${collection}`,
  record: (collection: string) => `Record in ${collection}`,
  recordsOf: (collection: string) => `Records in ${collection}. Press Enter to open one.`,
  sortBy: (field: string) => `Sort by ${field}`,
  empty: 'Nothing here yet',
  emptyHint: 'Entries appear here as soon as someone uses the page or you add one.',
  notFound: 'No matches',
  notFoundHint: 'No record contains this. Try fewer or different words.',
  created: 'Record created',
  deleted: 'Record deleted',
  deleteTitle: 'Delete this record?',
  deleteText: 'This can’t be undone. Records that belong to it may be deleted with it.',
  deleteLiveText:
    'This is a record of your published site. Deleting it can’t be undone; records that belong to it may be deleted with it.',
  discardTitle: 'Discard what you entered?',
  discardText: 'It hasn’t been saved.',
  discard: 'Discard',

  fieldTypes: {
    text: '',
    editor: 'formatted text',
    number: 'number',
    bool: 'yes or no',
    email: 'email',
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
    number: 'This isn’t a number.',
    json: 'This isn’t JSON.',
    date: 'This isn’t a date.',
  },
  pointHint: 'Such as {"lon": 13.4, "lat": 52.5}',
  passwordHint: 'Leave it empty to keep the current one.',
  takeOut: (name: string) => `Remove ${name}`,
  chooseFrom: (collection: string) => `Choose from ${collection}…`,
  chooseFile: (field: string) => `File for ${field}`,
  addFile: 'Choose a file…',
  addFiles: 'Add files…',
  findHint: 'Type to find a record…',

  mails: 'Emails',
  mailsHint: 'With test data, your app sends no email. What it would have sent is here. The links work in the preview.',
  noMails: 'No emails yet',
  noMailsHint: 'When a test user signs up or forgets a password, the email appears here.',
  mailTo: 'to',

  ...dataTools,
  signIns,

  logs: 'Logs',
  logsHint:
    'What your app asked of its data, and how its functions ran: newest first, for up to 7 days. What people entered or searched for isn’t kept.',
  logKind: 'Type',
  logKinds: { '': 'All', request: 'Requests', function: 'Functions' },
  logFailed: 'Only errors',
  logTook: (ms: string) => `${ms} ms`,
  logError: 'Error',
  logConsole: 'Console',
  logOmitted: (count: number) =>
    plural(count, {
      one: 'One more came right before this one. It wasn’t kept because too many came at once.',
      other: '# more came right before this one. They weren’t kept because too many came at once.',
    }),
  noLogs: 'Nothing has happened yet',
  noLogsHint: 'Open the preview and use your app: what it asks of its data appears here.',
  noLogsLiveHint: 'As soon as someone uses your published app, it appears here.',
  noLogsSuch: 'Nothing of this kind',
  noLogsSuchHint: 'Good news if you were looking for errors.',
};
