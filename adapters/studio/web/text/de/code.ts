import type { Workbench } from '../en/workbench';

export const code: Workbench['code'] = {
  files: 'Dateien',
  search: 'In allen Dateien suchen',
  searchShort: 'Suche',
  sideViews: 'Dateien und Suche',
  openFiles: 'Offene Dateien',
  nothingOpen: 'Keine Datei ist offen',
  nothingOpenHint: (keys) =>
    `Wählen Sie links eine aus, oder drücken Sie ${keys} und tippen Sie einen Teil ihres Namens.`,
  noFiles: 'Noch keine Dateien',
  noFilesHint: 'Legen Sie eine an, ziehen Sie welche hierher, oder bitten Sie den Agenten anzufangen.',
  editorOf: (path: string) => `${path}: Tabulator rückt ein; mit Escape und dann Tabulator verlassen Sie den Editor`,
  readOnly: 'Nur lesen',
  plainText: 'Text',
  at: (line: number, column: number) => `Zeile ${line}, Spalte ${column}`,
  wrap: 'Lange Zeilen umbrechen',
  larger: 'Code größer',
  smaller: 'Code kleiner',
  closeCurrent: 'Datei schließen',
  closeFile: (name: string) => `${name} schließen (Entf)`,
  saving: {
    saved: 'Gespeichert',
    unsaved: 'Noch nicht gespeichert',
    saving: 'Wird gespeichert…',
    waiting: 'Nicht gespeichert: Der Dienst ist nicht erreichbar. Neuer Versuch…',
    conflict: 'Nicht gespeichert: anderswo geändert',
    refused: 'Nicht gespeichert',
    offline: 'Offline, Ihre Änderungen bleiben hier erhalten',
  },

  conflict:
    'Jemand anders oder der Agent hat die Zeilen geändert, die Sie bearbeiten. Beide Texte bleiben, bis Sie wählen.',
  deletedElsewhere:
    'Diese Datei wurde anderswo gelöscht, während Sie sie bearbeitet haben. Ihr Text bleibt, bis Sie wählen.',
  keepMine: 'Meinen behalten',
  takeTheirs: 'Den anderen nehmen',
  keepFile: 'Wieder speichern',
  letGo: 'Verwerfen',
  compare: 'Vergleichen',
  compareTitle: 'Der andere Text und Ihrer',
  compareHint: 'Zeilen mit − sind im anderen Text, Zeilen mit + in Ihrem.',
  refused: 'Diese Datei lässt sich nicht speichern.',

  newFile: 'Neue Datei…',
  newFolder: 'Neuer Ordner…',
  addMore: 'Weiteres hinzufügen',
  path: 'Pfad',
  pathHint: 'Vom Anfang des Projekts aus. Fehlende Ordner werden angelegt.',
  folderPath: 'Ordner',
  firstFile: 'Erste Datei darin',
  firstFileHint: 'Ein Ordner besteht, solange er etwas enthält.',
  open: 'Öffnen',
  download: 'Herunterladen',
  copyPath: 'Pfad kopieren',
  rename: 'Umbenennen',
  renameMove: 'Umbenennen oder verschieben…',
  renameTitle: (name: string) => `${name} umbenennen oder verschieben`,
  renamed: (from: string, to: string) => `${from} in ${to} umbenennen`,
  exists: (path: string) => `Die Datei ${path} gibt es schon.`,
  replace: 'Ersetzen',
  replaceTitle: 'Vorhandene Dateien ersetzen?',
  replaceText: (path: string) =>
    `Die Datei ${path} gibt es schon. Sie wird ersetzt; in den Versionen bleibt, was darin war.`,
  replaceMany: (count: number, first: string) =>
    count === 1
      ? `Die Datei ${first} gibt es schon. Sie wird ersetzt.`
      : `${count} der Dateien gibt es schon, darunter ${first}. Sie werden ersetzt.`,
  delete: 'Löschen',
  deleteKey: 'Entf',
  deleteTitle: (name: string) => `${name} löschen?`,
  deleteText: (path: string) =>
    `${path} verschwindet aus dem Projekt. In den Versionen bleibt die Datei: Sie können eine wiederherstellen, die sie hat.`,
  deleteFolderText: (path: string, count: number) =>
    `${path} verschwindet aus dem Projekt, mit ${count === 1 ? 'der Datei' : `allen ${count} Dateien`} darin. In den Versionen bleibt alles.`,
  deleted: (path: string) => `${path} löschen`,
  gone: (path: string) => `${path} ist gelöscht`,
  menuOf: (name: string) => `Mehr zu ${name}`,
  hasProblems: 'hat Probleme',

  uploadFiles: 'Dateien hochladen…',
  uploadFolder: 'Ordner hochladen…',
  uploading: (done: number, of: number) => `Wird hochgeladen: ${done} von ${of}`,
  stopUpload: 'Anhalten',
  uploaded: (count: number) => (count === 1 ? '1 Datei hochgeladen' : `${count} Dateien hochgeladen`),
  uploadFailed: (count: number, which: string) =>
    `${count === 1 ? '1 Datei wurde' : `${count} Dateien wurden`} nicht hochgeladen. ${which}`,
  tooLarge: 'sie ist größer, als dieser Dienst erlaubt',

  largeTitle: 'Diese Datei ist zu groß, um sie hier zu bearbeiten',
  largeText: (size: string) =>
    `Sie hat ${size}; Dateien bis 1 MiB lassen sich bearbeiten. Laden Sie sie herunter, um sie anzusehen.`,
  binaryTitle: 'Das ist keine Textdatei',
  binaryText: (size: string) =>
    size
      ? `Sie hat ${size}. Laden Sie sie herunter, um sie anderswo zu öffnen.`
      : 'Laden Sie sie herunter, um sie anderswo zu öffnen.',
  pictureOf: (name: string) => `Das Bild ${name}`,

  searchHint: 'Suchen…',
  searchTeach: 'Tippen Sie, was Sie suchen; gesucht wird in allen Textdateien des Projekts.',
  literal: 'Wörtlich',
  matchCase: 'Groß/klein beachten',
  nothingFound: 'Nichts gefunden.',
  found: (matches: number, files: number) =>
    `${matches === 1 ? '1 Zeile' : `${matches} Zeilen`} in ${files === 1 ? '1 Datei' : `${files} Dateien`}.`,
  moreFound: 'Es gibt noch mehr: Grenzen Sie die Suche ein.',
  badPattern: (why: string) =>
    `Das ist kein regulärer Ausdruck (${why.replace(/^.*?: /, '')}). Mit „Wörtlich“ wird danach gesucht, wie es da steht.`,

  quickOpen: 'Datei nach Namen öffnen…',
  quickOpenHint: 'Tippen Sie einen Teil des Dateinamens…',
  noSuchFile: 'Keine Datei hat diesen Namen.',

  problems: 'Probleme',
  problemCount: (count: number) => (count === 0 ? 'Keine Probleme' : count === 1 ? '1 Problem' : `${count} Probleme`),
  noProblems: 'Der Bau gelingt. „Typen prüfen“ prüft auch die Typen von TypeScript.',
  noTypeErrors: 'Der Bau gelingt, und die Typen stimmen.',
  moreProblems: 'Es gibt noch mehr; dies sind die ersten.',
  checkTypes: 'Typen prüfen',
  checkingTypes: 'Die Typen werden geprüft. Beim ersten Mal dauert es länger, weil TypeScript heruntergeladen wird.',

  editor: {
    Find: 'Suchen',
    Replace: 'Ersetzen',
    next: 'Nächstes',
    previous: 'Voriges',
    all: 'Alle',
    'match case': 'Groß/klein beachten',
    regexp: 'Regulärer Ausdruck',
    'by word': 'Ganze Wörter',
    replace: 'Ersetzen',
    'replace all': 'Alle ersetzen',
    close: 'Schließen',
    'current match': 'dieser Treffer',
    'on line': 'in Zeile',
    'replaced match on line $': 'Treffer in Zeile $ ersetzt',
    'replaced $ matches': '$ Treffer ersetzt',
    'Go to line': 'Zu Zeile',
    go: 'Los',
    Completions: 'Vorschläge',
    'Control character': 'Steuerzeichen',
    Diagnostics: 'Probleme',
    'No diagnostics': 'Keine Probleme',
    'Selection deleted': 'Auswahl gelöscht',
    'folded code': 'eingeklappter Code',
    unfold: 'aufklappen',
    to: 'bis',
  },
};
