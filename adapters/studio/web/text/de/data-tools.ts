import type { Finding } from '~/api/types';
import type { Workbench } from '../en/workbench';
import { list, number, plural, weekday } from './words';

const two = (n: number) => String(n).padStart(2, '0');
const megabytes = (bytes: string) => `${number(Number(bytes) / 1e6, { maximumFractionDigits: 1 })} MB`;
const bound = (n: string, word: string) => (n.startsWith('the ') ? word : n);

type Tools = Pick<Workbench['data'], keyof typeof import('../en/data-tools')['dataTools']>;

export const dataTools: Tools = {
  explained: 'Was diese Wörter bedeuten',
  termsTitle: 'Die Wörter dieser Seite',
  putAway: (word) => `Ausblenden: ${word}`,
  terms: {
    backend: {
      name: 'Backend',
      text: 'Der Teil Ihrer Anwendung, den Besucher nicht sehen: Er bewahrt Daten auf, weiß, wer angemeldet ist, und entscheidet, wer was darf. Er gehört zum Projekt und braucht keinen anderen Dienst.',
    },
    collection: {
      name: 'Sammlung',
      text: 'Eine Sammlung ist wie eine Tabelle: Sie enthält alle Einträge einer Art, etwa Nachrichten oder Bestellungen. Ein Eintrag heißt Datensatz.',
    },
    field: {
      name: 'Feld',
      text: 'Alle Datensätze einer Sammlung haben dieselben Felder, etwa einen Namen, ein Datum oder ein Bild. Sie sind die Spalten der Tabelle.',
    },
    rule: {
      name: 'Regel',
      text: 'Regeln sagen, wer lesen, hinzufügen, ändern und löschen darf. Sie gelten für alle, die die Seite benutzen, gleich was die Seite selbst zeigt. Sie sehen hier trotzdem alles.',
    },
    environment: {
      name: 'Test und Live',
      text: 'Es gibt die Daten zweimal. Test ist zum Ausprobieren, die Vorschau zeigt es. Live ist, was Besucher der veröffentlichten Seite eingeben. Keines ändert je das andere.',
    },
    snapshot: {
      name: 'Sicherung',
      text: 'Eine Sicherung bewahrt alle Datensätze, Personen und Dateien so auf, wie sie zu einem Zeitpunkt sind. Nach einem Missgeschick, etwa einem falschen Import, können die Daten dorthin zurück.',
    },
    check: {
      name: 'Sicherheitsprüfung',
      text: 'Der Dienst versucht wie ein Fremder, an eine Kopie Ihrer Testdaten zu kommen, und sagt Ihnen, was er erreicht hat. Dasselbe tut er vor jedem Veröffentlichen.',
    },
    function: {
      name: 'Funktion',
      text: 'Ein kleines Programm, das auf dem Server läuft, wenn die Seite es ruft oder nach der Uhr: um eine Mail zu schicken, einen anderen Dienst zu fragen oder einen Schlüssel zu benutzen, den niemand sehen darf.',
    },
  },

  snapshots: 'Sicherungen',
  snapshotsHint: {
    test: 'Kopien der Testdaten, zu denen Sie zurückkönnen. Vor jeder Änderung des Schemas entsteht eine.',
    live: 'Kopien der Live-Daten, zu denen Sie zurückkönnen. Jeden Tag entsteht eine, und eine vor jedem Veröffentlichen.',
  },
  snapshotsLocked: 'Nur für die Verwaltung',
  snapshotsLockedHint:
    'Sicherungen der Live-Daten enthalten alles, was Besucher eingegeben haben. Die Verwaltung des Arbeitsbereichs legt sie an und geht zu ihnen zurück.',
  makeSnapshot: 'Sicherung anlegen',
  snapshotMade: 'Die Sicherung ist angelegt.',
  noSnapshots: 'Noch keine Sicherungen',
  noSnapshotsHint: {
    test: 'Legen Sie eine an, bevor Sie etwas ausprobieren. Zurück geht es dann in einem Augenblick.',
    live: 'Die erste entsteht innerhalb eines Tages oder beim nächsten Veröffentlichen. Sie können jederzeit selbst eine anlegen.',
  },
  snapshotReasons: {
    manual: 'Von Hand angelegt',
    publish: 'Vor einem Veröffentlichen',
    restore: 'Vor einem Zurückgehen',
    scheduled: 'Tägliche Kopie',
  },
  beforeSchema: 'Vor einer Änderung des Schemas',
  byItself: 'automatisch',
  keptFor: {
    publish: '30 Tage aufbewahrt',
    restore: '30 Tage aufbewahrt',
    scheduled: '7 Tage aufbewahrt',
  },
  restore: 'Dahin zurück',
  restoreTitle: 'Zu dieser Sicherung zurück?',
  restoreText: {
    test: (at) =>
      `Alle Datensätze, Personen und Dateien der Testdaten werden, wie sie am ${at} waren. Was seither eingegeben oder geändert wurde, verschwindet.`,
    live: (at) =>
      `Die veröffentlichte Seite bekommt die Daten vom ${at} zurück, sofort und für alle Besucher. Was diese seither eingegeben oder geändert haben, verschwindet.`,
  },
  restoreFirst: 'Zuerst wird eine Sicherung der jetzigen Daten angelegt, damit Sie wieder zu ihnen zurückkönnen.',
  restored: (at) => `Die Daten sind wieder, wie sie am ${at} waren.`,
  snapshotDelete: 'Sicherung löschen',
  snapshotDeleteTitle: 'Diese Sicherung löschen?',
  snapshotDeleteText: (at) =>
    `Zum ${at} können die Daten dann nicht mehr zurück. Die jetzigen Daten bleiben, wie sie sind.`,
  snapshotDeleted: 'Die Sicherung ist gelöscht.',
  tooManySnapshots: 'Es gibt 20 von Hand angelegte Sicherungen, mehr werden nicht aufbewahrt. Löschen Sie zuerst eine.',
  snapshotGone: 'Diese Sicherung gibt es nicht mehr.',

  check: 'Sicherheitsprüfung',
  checkNow: 'Jetzt prüfen',
  checkAgain: 'Noch einmal prüfen',
  checking: 'Wird geprüft',
  checkTitle: 'Kommen Fremde an etwas, das sie nichts angeht?',
  checkHint:
    'Der Dienst macht eine Kopie der Testdaten und greift sie an: als Gast und als jemand, der sich eben angemeldet hat. Er versucht zu lesen, hinzuzufügen, zu ändern und zu löschen. Ihre Daten bleiben, wie sie sind.',
  checkRuns: 'Eine Kopie der Testdaten wird angegriffen. Das dauert ein paar Sekunden, selten eine Minute.',
  checkedAt: 'Geprüft',
  checkOld: 'Das Schema hat sich seit dieser Prüfung geändert. Prüfen Sie noch einmal, um zu sehen, was jetzt gilt.',
  checkGood: 'Nichts steht offen',
  checkGoodHint:
    'Weder ein Gast noch eine neue Person konnte lesen, ändern oder löschen, was anderen gehört. Prüfen Sie wieder, wenn sich die Regeln ändern; beim Veröffentlichen geschieht es in jedem Fall.',
  checkNotes: 'Nichts steht offen, was privat aussieht. Das Folgende ist in Ordnung, wenn es so gemeint ist.',
  found: (n) => plural(n, { one: '# offene Tür', other: '# offene Türen' }),
  foundHint: 'Fremde können mit Ihren Daten mehr tun, als sie wohl sollten.',
  mend: 'Den Agenten bitten, das zu beheben',
  mendAll: (n) =>
    plural(n, { one: 'Den Agenten bitten, das zu beheben', other: 'Den Agenten bitten, alle # zu beheben' }),
  mendText: (list) =>
    `Eine Sicherheitsprüfung des Backends hat ergeben, dass Fremde Folgendes tun können. Bitte ändere die Regeln in backend/schema.json so, dass sie es nicht mehr können und die Seiten weiter funktionieren:\n${list}`,
  tryRules: 'Regeln ausprobieren',
  severities: { high: 'Ernst', medium: 'Ansehen', info: 'Hinweis' },
  finding: (one) => `${whoOf(one)} ${whatOf(one)}`,
  suggestion: 'Vorschlag für backend/schema.json:',
  suggested: (suggestion) =>
    suggestion
      .replace(
        ', if only the person to whom a record belongs should read it',
        ' (wenn nur lesen soll, wem der Datensatz gehört)',
      )
      .replace(', if only people who are signed in should', ' (wenn es nur Angemeldete sollen)')
      .replace(
        ' (in the field), and use a file token in the page',
        ' (im Feld); die Seite braucht dann ein Datei-Token',
      ),

  functions: 'Funktionen',
  functionsHint: {
    test: 'Kleine Programme, die auf dem Server laufen. In der Vorschau arbeiten sie mit Testdaten.',
    live: 'Die veröffentlichte Seite hat die Funktionen des letzten Veröffentlichens, an diesen Adressen. Sie arbeiten mit Live-Daten.',
  },
  noFunctions: 'Noch keine Funktionen',
  noFunctionsHint:
    'Eine Funktion läuft auf dem Server: Sie kann Mails schicken, andere Dienste fragen und Schlüssel benutzen, die niemand sieht. Sagen Sie dem Agenten, was geschehen soll.',
  functionWish: 'Füge eine Funktion hinzu, die mir eine E-Mail schickt, wenn jemand das Kontaktformular ausfüllt.',
  addressOf: (name) => `Adresse von ${name}`,
  openFile: 'Datei öffnen',
  scheduleHint: 'Läuft auf der veröffentlichten Seite von selbst, in UTC.',
  nextRun: (when) => `Nächster Lauf: ${when}.`,
  schedule: (when) => {
    switch (when.kind) {
      case 'minutes':
        return plural(when.every, { one: 'jede Minute', other: 'alle # Minuten' });
      case 'hour':
        return `jede Stunde um :${two(when.minute)}`;
      case 'day':
        return `jeden Tag um ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'week':
        return `jeden ${weekday(when.weekday)} um ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'month':
        return `am ${when.day}. jedes Monats um ${two(when.hour)}:${two(when.minute)} UTC`;
    }
  },
  try: 'Ausprobieren',
  tryTitle: (name) => `${name} ausprobieren`,
  tryHint: 'Die Funktion läuft einmal mit Testdaten, wie für einen Besucher, der nicht angemeldet ist.',
  method: 'Methode',
  restOfAddress: (address) => `Nach ${address}`,
  body: 'Inhalt',
  bodyHint: 'Text oder JSON, das mitgeschickt wird.',
  send: 'Senden',
  answer: 'Antwort',
  tookMs: (ms) => `${number(ms)} ms`,
  functionFailed: 'Die Funktion ist gescheitert. Besucher erfahren nur, dass es so ist; Sie sehen, warum:',
  mendFunction: (name, error) =>
    `Die Funktion functions/${name}.ts scheitert, wenn sie gerufen wird. Bitte behebe das:\n${error}`,
  noText: 'Die Antwort ist kein Text.',
  noBody: 'Die Antwort ist leer.',
  cutOff: 'Das ist der Anfang der Antwort.',
  consoleLines: 'Konsole',

  line: (n) => `Zeile ${n}`,
  recordNumber: (n) => `Datensatz ${n}`,
  failures: {
    create: 'Der Datensatz ließ sich nicht anlegen.',
    update: 'Der Datensatz ließ sich nicht speichern.',
    delete: 'Dieser Datensatz lässt sich nicht löschen, solange andere ihn brauchen.',
  },
  refusals: {
    required: () => 'Das darf nicht leer bleiben.',
    not_unique: () => 'Ein anderer Datensatz hat diesen Wert schon.',
    is_email: () => 'Das ist keine E-Mail-Adresse.',
    is_url: () => 'Das ist keine Adresse wie https://example.com.',
    not_a_number: () => 'Das ist keine Zahl.',
    only_int_constraint: () => 'Hier passen nur ganze Zahlen.',
    min_number_constraint: (min) => `Das muss mindestens ${bound(min, 'so groß wie das Minimum')} sein.`,
    max_number_constraint: (max) => `Das darf höchstens ${bound(max, 'so groß wie das Maximum')} sein.`,
    min_text_constraint: (min) => `Das braucht mindestens ${min} Zeichen.`,
    max_text_constraint: (max) => `Das darf höchstens ${max} Zeichen haben.`,
    length_out_of_range: (min, max) => `Das braucht ${min} bis ${max} Zeichen.`,
    too_many_values: (max) => `Wählen Sie höchstens ${bound(max, 'so viele wie erlaubt')}.`,
    not_enough_values: (min) => `Wählen Sie mindestens ${bound(min, 'so viele wie nötig')}.`,
    too_many_files: (max) => `Hier passen höchstens ${max} Dateien.`,
    file_size_limit: (name, max) => `${name} ist zu groß: höchstens ${megabytes(max)}.`,
    invalid_mime_type: (types) =>
      types
        ? `Dateien dieser Art werden nicht angenommen. Möglich: ${types}.`
        : 'Dateien dieser Art werden nicht angenommen.',
    missing_rel_records: () => 'Den Datensatz, auf den das verweist, gibt es nicht mehr.',
    min_max_date: () => 'Dieses Datum liegt außerhalb des Bereichs.',
    date_invalid: () => 'Das ist kein Datum.',
    invalid_json: () => 'Das ist kein JSON.',
    content_size_limit: () => 'Das ist zu lang.',
    invalid_format: () => 'Das hat nicht die verlangte Form.',
    domain_not_allowed: () => 'Adressen dieser Domain werden nicht angenommen.',
    values_mismatch: () => 'Die beiden stimmen nicht überein.',
    invalid_id: () => 'Diese Kennung ist ungültig, oder ein anderer Datensatz hat sie.',
    invalid_place: () => 'Diesen Ort gibt es nicht: Länge -180 bis 180, Breite -90 bis 90.',
    invalid_value: () => 'Dieser Wert passt hier nicht.',
  },
};

// Only the English text says who is affected, and through which action.
function whoOf({ as, text }: Finding): string {
  const [, home, climbed] = /^Everybody who has an account in "(.*?)" can first set "(.*?)" in it/.exec(text) ?? [];
  if (home && climbed) return `Jede Person mit einem Konto in „${home}“ kann dort zuerst „${climbed}“ setzen und dann`;
  if (as === 'guest') return 'Jede Person im Internet kann ohne Anmeldung';
  return text.startsWith('Everybody who signs up')
    ? 'Jede Person, die ein Konto anlegt, kann'
    : 'Jede angemeldete Person kann';
}

function whatOf({ action, collection, fields, severity, text }: Finding): string {
  const names = list(fields);
  const within = `in „${collection}“`;
  switch (action) {
    case 'list':
      return severity === 'info'
        ? `„${collection}“ lesen. Das ist richtig, wenn es für alle gedacht ist.`
        : `fremde Datensätze ${within} lesen, darunter: ${names}.`;
    case 'view':
      return `einen Datensatz ${within} lesen, dessen Kennung bekannt ist, darunter: ${names}.`;
    case 'expand':
      return `Datensätze ${within} lesen, auf die andere verweisen, darunter: ${names}.`;
    case 'subscribe':
      return `zusehen, wie sich fremde Datensätze ${within} ändern, und lesen: ${names}.`;
    case 'filter': {
      const through = /by searching in "(.*?)"/.exec(text)?.[1] ?? collection;
      return `durch Suchen in „${through}“ herausfinden, was ${within} steht, obwohl es nicht gezeigt wird: ${names}.`;
    }
    case 'file':
      return `Dateien ${within} öffnen, deren Adresse bekannt ist: ${names}.`;
    case 'create':
      return names ? `Datensätze ${within} im Namen anderer anlegen (${names}).` : `Datensätze ${within} anlegen.`;
    case 'change':
      return `fremde Datensätze ${within} ändern: ${names}.`;
    case 'delete':
      return `fremde Datensätze ${within} löschen.`;
    case 'verify':
      return `${within} eine E-Mail-Adresse als bestätigt markieren, die nie bestätigt wurde.`;
  }
  return text;
}
