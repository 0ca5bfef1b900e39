import type { Workbench } from '../en/workbench';
import { signIns } from './data-sign-ins';
import { dataTools } from './data-tools';
import { plural } from './words';

export const data: Workbench['data'] = {
  readers: 'Die Daten dieses Projekts sehen nur Mitglieder des Arbeitsbereichs.',
  none: 'Dieses Projekt speichert noch keine Daten',
  noneHint:
    'Daten sind, was sich Ihre Seite für ihre Besucher merkt: Einträge eines Gästebuchs, Bestellungen, Konten. Sie bleiben, wenn die Seite geschlossen wird, und Sie bestimmen, wer sie sehen und ändern darf.',
  examples: 'Beispiele',
  wishes: [
    {
      name: 'Gästebuch',
      text: 'Füge ein Gästebuch hinzu, in dem sich Leute anmelden und eine Nachricht hinterlassen. Alle können die Nachrichten lesen; ändern und löschen kann sie nur, wer sie geschrieben hat.',
    },
    {
      name: 'Anmeldeliste',
      text: 'Füge ein Formular hinzu, mit dem sich Besucher mit Namen und E-Mail zu einer Veranstaltung anmelden. Nur ich kann die Liste sehen.',
    },
    {
      name: 'Gemeinsame Aufgabenliste',
      text: 'Füge eine Aufgabenliste mit Konten hinzu: Leute melden sich an und sehen und ändern nur ihre eigenen Einträge, auf jedem Gerät.',
    },
  ],
  wish: 'Was soll sich Ihre Seite merken?',
  askAgent: 'Den Agenten bitten',
  sample: {
    caption: 'Die Daten eines Gästebuchs zum Beispiel: eine Zeile je Eintrag',
    columns: ['Name', 'Nachricht', 'geschrieben'],
    rows: [
      ['Ada', 'Was für eine schöne Seite!', 'heute'],
      ['Grace', 'Grüße aus New York', 'gestern'],
    ],
  },
  points: [
    {
      name: 'Ihre Seite füllt sie',
      text: 'Was jemand auf der Seite eingibt, wird sofort zu einer Zeile. Hier sehen Sie die Zeilen an, ändern sie und fügen welche hinzu.',
    },
    {
      name: 'Sie sagen, wer was darf',
      text: 'Zum Beispiel: Alle lesen, löschen kann nur, wer es geschrieben hat. Sie sagen es in Ihren Worten, und der Dienst setzt es bei allen durch.',
    },
    {
      name: 'Erst ausprobieren, dann veröffentlichen',
      text: 'Die Vorschau hat Daten zum Ausprobieren. Besucher der veröffentlichten Seite haben eigene, denen kein Versuch schaden kann.',
    },
  ],

  environments: 'Welche Daten',
  envs: { test: 'Test', live: 'Live' },
  envHints: {
    test: 'Daten zum Ausprobieren. Die Vorschau zeigt sie, Besucher Ihrer Seite sehen sie nie.',
    live: 'Die echten Daten Ihrer veröffentlichten Seite.',
  },
  live: 'Live-Daten.',
  liveHint: 'Besucher Ihrer Seite sehen jede Änderung sofort.',
  liveReadOnly: 'Sie können sie ansehen; ändern kann sie nur die Verwaltung des Arbeitsbereichs.',
  liveQuestion:
    'Das sind die Daten Ihrer veröffentlichten Seite. Besucher sehen die Änderung sofort, und sie lässt sich nicht zurücknehmen.',
  liveSaveTitle: 'Live-Daten ändern?',
  liveCreateTitle: 'Zu den Live-Daten hinzufügen?',
  liveImportTitle: 'In die Live-Daten importieren?',
  liveSave: 'Live-Daten ändern',
  liveCreate: 'Zu Live-Daten hinzufügen',
  liveImport: 'In Live-Daten importieren',
  notLive: 'Noch ist nichts live',
  notLiveHint:
    'Wenn Sie das Projekt veröffentlichen, bekommt seine Seite eigene Daten: leer und getrennt von den Testdaten.',
  toTest: 'Zu den Testdaten',

  collections: 'Sammlungen',
  choose: 'Ihre Daten',
  chooseHint:
    'Wählen Sie eine Sammlung, um zu sehen, was darin ist. Eine Sammlung ist eine Tabelle: eine Zeile je Eintrag.',
  back: 'Zurück zur Liste',
  types: { base: 'Einträge', auth: 'Personen', view: 'Berechnet' },
  schema: 'Schema',
  noSchema:
    'Die Datei backend/schema.json ist weg, deshalb hat die Anwendung keine Daten mehr. Was da war, ist aufbewahrt und hier zu sehen.',
  broken: 'Das Schema hat Fehler. Das letzte gute gilt weiter.',
  fixText: (list) => `Das Schema des Backends hat Fehler. Bitte behebe sie:\n${list}`,

  reset: 'Testdaten zurücksetzen',
  resetSeed: 'Mit den Beispieldaten',
  resetEmpty: 'Leer',
  resetTitle: 'Die Testdaten zurücksetzen?',
  resetSeedText:
    'Alle Datensätze, Personen und Dateien der Testdaten werden gelöscht und die Beispieldaten aus backend/seed.json neu angelegt. Live-Daten bleiben, wie sie sind.',
  resetText: 'Alle Datensätze, Personen und Dateien der Testdaten werden gelöscht. Live-Daten bleiben, wie sie sind.',
  wasReset: 'Die Testdaten sind neu.',

  values: (n) => plural(n, { one: '# Wert', other: '# Werte' }),
  records: (n) => plural(n, { one: '# Datensatz', other: '# Datensätze' }),
  ofFiles: (size) => `${size} Dateien`,
  ofRecords: (size) => `${size} Datensätze`,
  pending: (loss) => `Das neue Schema würde ${loss} Ihrer Testdaten löschen.`,
  pendingHint: 'Noch ist nichts geändert. Die Vorschau arbeitet mit dem alten Schema, bis Sie sich entscheiden.',
  confirmLoss: (loss) => `${loss} löschen`,
  keep: 'Den Agenten bitten, sie zu behalten',
  keepText:
    'Die letzte Änderung an backend/schema.json würde vorhandene Daten löschen. Bitte ändere das Schema so, dass nichts verloren geht: Behalte die Felder und Sammlungen, oder kennzeichne umbenannte mit "renamedFrom".',
  applied: 'Die Testdaten folgen dem neuen Schema.',
  dropsCollection: (collection, n) =>
    `Die Sammlung „${collection}“ entfällt, mit ihr ${plural(n, { one: '# Datensatz', other: '# Datensätze' })}.`,
  dropsField: (collection, field, n) =>
    `Das Feld „${field}“ von „${collection}“ entfällt, mit ihm ${plural(n, { one: '# Wert', other: '# Werte' })}.`,
  changesField: (collection, field, n) =>
    `Das Feld „${field}“ von „${collection}“ ändert sich, und ${plural(n, { one: '# Wert passt', other: '# Werte passen' })} nicht mehr.`,
  harmless: (n) =>
    `${plural(n, { one: '# weitere Änderung verliert', other: '# weitere Änderungen verlieren' })} nichts.`,

  acts: {
    read: 'lesen',
    list: 'die Liste sehen',
    view: 'einen Eintrag öffnen',
    create: 'hinzufügen',
    update: 'ändern',
    delete: 'löschen',
  },
  people: {
    anybody: (what) => `Alle dürfen ${what}.`,
    members: (what) => `Nur Mitglieder dieses Projekts dürfen ${what}.`,
    signedIn: (what) => `Alle, die angemeldet sind, dürfen ${what}.`,
    verified: (what) => `Alle, die mit bestätigter E-Mail angemeldet sind, dürfen ${what}.`,
    self: (what) => `Alle dürfen nur ihr eigenes Konto ${what}.`,
    owner: (field, what) => `Nur wer in „${field}“ steht, darf ${what}.`,
    asThemselves: (field, what) => `Alle, die angemeldet sind, dürfen ${what}, mit sich selbst in „${field}“.`,
    rule: (text, what) => `Wer zu „${text}“ passt, darf ${what}.`,
  },
  explainRules: 'Regeln ändern',
  rulesText: (collection) =>
    `Erkläre in einfachen Worten, wer in „${collection}“ lesen, hinzufügen, ändern und löschen darf, und frage mich, was anders sein soll.`,

  search: 'Suchen',
  searchHint: 'Suchen oder filtern: done = true',
  showSystem: 'ID und Systemspalten anzeigen',
  hideSystem: 'ID und Systemspalten ausblenden',
  reload: 'Neu laden',
  changedByOthers: 'Seit dem Laden dieser Liste wurden Einträge geändert.',
  showChanges: 'Änderungen zeigen',
  transfer: 'Import und Export',
  bringTables: 'Tabellen aus Supabase oder Postgres…',
  tables: 'Tabellen aus Supabase oder Postgres',
  tablesWhat:
    'Jede Tabelle wird eine Sammlung dieses Projekts, und ihre Policies werden Regeln. Sie sehen das Ergebnis, bevor etwas gespeichert wird. Die Datensätze kommen danach: Exportieren Sie jede Tabelle als CSV, und importieren Sie sie in ihre Sammlung.',
  hasMigrations: 'Dieses Projekt hat Tabellen von Supabase mitgebracht (supabase/migrations).',
  useMigrations: (n) => plural(n, { one: 'Ansehen', other: 'Ansehen (# Dateien)' }),
  sqlFile: 'SQL-Datei',
  sqlHint: 'Wie pg_dump --schema-only oder supabase db dump sie schreibt, höchstens 1 MB.',
  showTables: 'Tabellen ansehen',
  tablesFound: (n) => plural(n, { one: 'Diese Sammlung käme dazu:', other: 'Diese # Sammlungen kämen dazu:' }),
  noTables: 'Es gibt keine Tabelle, die dazukäme.',
  tablesNotes: 'Was hier anders ist:',
  otherTables: 'Zurück',
  keepTables: 'Übernehmen',
  useTables: 'Übernehmen, und den Agenten umstellen lassen',
  tablesKept: (n) => plural(n, { one: '# Sammlung ist dazugekommen', other: '# Sammlungen sind dazugekommen' }),
  tablesOutdated:
    'Das Schema hat sich inzwischen geändert. Gehen Sie zurück, und sehen Sie die Tabellen noch einmal an.',
  useTablesText:
    'Die Tabellen von Supabase sind jetzt Sammlungen dieses Projekts (backend/schema.json). Bitte stelle die Seite so um, dass sie diese statt Supabase benutzt: Anmeldung, Lesen, Schreiben und Echtzeit. Was man sieht, soll so bleiben, wie es ist.',
  import: 'Importieren…',
  exportCSV: 'Als CSV exportieren',
  exportJSON: 'Als JSON exportieren',
  importInto: (collection) => `In ${collection} importieren`,
  importHint:
    'Eine Tabelle als CSV, mit den Namen der Felder in der ersten Zeile, oder Datensätze als JSON, so wie Supabase und Postgres sie exportieren. Datensätze, deren id es schon gibt, werden geändert. Es wird alles importiert oder nichts.',
  file: 'Datei',
  importNow: 'Importieren',
  imported: (n, updated, newIds) =>
    [
      plural(n, { one: '# Datensatz importiert', other: '# Datensätze importiert' }),
      updated > 0 ? plural(updated, { one: ', # davon gab es schon', other: ', # davon gab es schon' }) : '',
      newIds > 0
        ? '. Die ids der Datei passen hier nicht, deshalb haben die Datensätze andere. Beziehungen bleiben erhalten.'
        : '',
    ].join(''),
  importing: 'Die Datei wird geprüft und als Ganzes geschrieben. Bei einer großen kann das bis zu einer Minute dauern.',
  rowsRefused: (n) => plural(n, { one: '# Datensatz wird abgelehnt:', other: '# Datensätze werden abgelehnt:' }),
  rowsShown: (n) => `Das sind die ersten ${n} Gründe.`,
  importFailed: 'Es wurde nichts importiert.',

  newRecord: 'Neuer Datensatz',
  newIn: (collection) => `Neuer Datensatz in ${collection}`,
  record: (collection) => `Datensatz aus ${collection}`,
  recordsOf: (collection) => `Datensätze von ${collection}. Die Eingabetaste öffnet einen.`,
  sortBy: (field) => `Nach ${field} sortieren`,
  empty: 'Hier ist noch nichts',
  emptyHint: 'Einträge erscheinen hier, sobald jemand die Seite benutzt oder Sie einen hinzufügen.',
  notFound: 'Nichts gefunden',
  notFoundHint: 'Kein Datensatz enthält das. Versuchen Sie es mit weniger oder anderen Wörtern.',
  created: 'Datensatz angelegt',
  deleted: 'Datensatz gelöscht',
  deleteTitle: 'Diesen Datensatz löschen?',
  deleteText: 'Das lässt sich nicht zurücknehmen. Datensätze, die dazu gehören, können mit gelöscht werden.',
  deleteLiveText:
    'Das ist ein Datensatz Ihrer veröffentlichten Seite. Das Löschen lässt sich nicht zurücknehmen; Datensätze, die dazu gehören, können mit gelöscht werden.',
  discardTitle: 'Ihre Eingaben verwerfen?',
  discardText: 'Sie sind nicht gespeichert.',
  discard: 'Verwerfen',

  fieldTypes: {
    text: '',
    editor: 'formatierter Text',
    number: 'Zahl',
    bool: 'ja oder nein',
    email: 'E-Mail',
    url: 'Adresse',
    date: 'Datum und Uhrzeit',
    select: 'Auswahl',
    relation: 'Verweis',
    file: 'Datei',
    json: 'JSON',
    geoPoint: 'Ort',
    password: '',
  },
  required: 'nötig',
  nothing: '(nichts)',
  wrong: {
    number: 'Das ist keine Zahl.',
    json: 'Das ist kein JSON.',
    date: 'Das ist kein Datum.',
  },
  pointHint: 'Etwa {"lon": 13.4, "lat": 52.5}',
  passwordHint: 'Leer lassen, um das jetzige zu behalten.',
  takeOut: (name) => `${name} entfernen`,
  chooseFrom: (collection) => `Aus ${collection} wählen…`,
  chooseFile: (field) => `Datei für ${field}`,
  addFile: 'Datei wählen…',
  addFiles: 'Dateien hinzufügen…',
  findHint: 'Tippen, um einen Datensatz zu finden…',

  mails: 'Mails',
  mailsHint:
    'Mit Testdaten verschickt Ihre Anwendung keine Mails. Was sie verschickt hätte, steht hier; die Links führen in die Vorschau.',
  noMails: 'Noch keine Mails',
  noMailsHint: 'Wenn sich eine Testperson registriert oder ihr Passwort vergisst, erscheint die Mail hier.',
  mailTo: 'an',

  ...dataTools,
  signIns,

  logs: 'Protokoll',
  logsHint:
    'Was Ihre Anwendung von ihren Daten wollte und wie ihre Funktionen liefen: das Neueste zuerst, bis zu 7 Tage lang. Was Menschen eingegeben oder gesucht haben, wird nicht aufgehoben.',
  logKind: 'Welche Einträge',
  logKinds: { '': 'Alle', request: 'Anfragen', function: 'Funktionen' },
  logFailed: 'Nur Fehler',
  logTook: (ms: string) => `${ms} ms`,
  logError: 'Fehler',
  logConsole: 'Konsole',
  logOmitted: (count: number) =>
    plural(count, {
      one: 'Kurz davor kam noch eine Anfrage. Sie ist nicht aufgehoben, weil zu viele auf einmal kamen.',
      other: 'Kurz davor kamen noch # weitere. Sie sind nicht aufgehoben, weil zu viele auf einmal kamen.',
    }),
  noLogs: 'Noch ist nichts passiert',
  noLogsHint: 'Öffnen Sie die Vorschau und benutzen Sie Ihre Anwendung: Was sie von ihren Daten will, erscheint hier.',
  noLogsLiveHint: 'Sobald jemand Ihre veröffentlichte Anwendung benutzt, erscheint es hier.',
  noLogsSuch: 'Davon gibt es nichts',
  noLogsSuchHint: 'Das ist eine gute Nachricht, wenn Sie nach Fehlern gesucht haben.',
};
