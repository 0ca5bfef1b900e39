import type { Workbench } from '../en/workbench';
import { list, plural } from './words';

export const versions: Workbench['versions'] = {
  title: 'Versionen',
  none: 'Noch keine Versionen',
  noneHint: 'Eine Version entsteht jedes Mal, wenn der Agent etwas ändert, und wenn Sie einen Stand sichern.',
  choose: 'Jeder Stand Ihres Projekts bleibt erhalten',
  chooseHint:
    'Wählen Sie eine Version, um zu sehen, was sie geändert hat, um sie wiederherzustellen oder um zurückzunehmen, was der Agent getan hat.',
  now: 'Jetzt',
  unsaved: (count: number) =>
    `Ungesicherte Änderungen in ${plural(count, { one: '# Datei', other: '# Dateien' })}. Eine Minute nach der letzten Änderung werden sie zu einer Version.`,
  current: 'Aktuell',
  star: 'Stern',
  rename: 'Version benennen',
  name: 'Name',
  nameHint: 'Lassen Sie das Feld leer, um den Namen zu entfernen.',
  starred: 'Mit Stern',
  live: 'Live',
  onlyMarked: 'Nur mit Stern oder Namen',
  noneMarked: 'Keine Version hat einen Stern oder Namen',
  noneMarkedHint: 'Wählen Sie eine Version, um ihr einen Stern oder Namen zu geben.',
  compare: 'Vergleichen mit',
  before: 'Der Version davor',
  look: 'Diese Version ansehen',
  lookHint: 'Die Seiten von damals, nur zum Ansehen.',
  ownTab: 'In einem Tab öffnen',
  pageOf: (name: string) => `Die Seite in der Version ${name}`,
  byHand: 'Von Hand bearbeitet',
  undid: (name) => `„${name}“ zurückgenommen`,
  wentBack: (name) => `Zurück zu „${name}“`,
  startedFrom: (name) => `Begonnen mit der Vorlage ${name}`,
  today: 'Heute',
  yesterday: 'Gestern',
  agent: 'Agent',
  noMessage: 'Ohne Beschreibung',
  files: (count: number) => plural(count, { one: '# Datei', other: '# Dateien' }),
  back: 'Zurück zur Liste',
  asked: 'Der Agent wurde gebeten:',
  export: 'Zip herunterladen',

  savePoint: 'Stand sichern',
  savePointHint: 'Benennen Sie den jetzigen Stand…',
  savedPoint: 'Stand gesichert',
  nothingToSave: 'Seit der letzten Version hat sich nichts geändert; es gibt also nichts zu sichern.',

  restore: 'Wiederherstellen',
  restoreTitle: 'Diese Version wiederherstellen?',
  restoreText:
    'Alle Dateien werden auf diesen Stand zurückgesetzt. Der jetzige Stand bleibt als Version erhalten; nichts geht verloren.',
  restored: 'Wiederhergestellt',
  restoreTestData: 'Auch die Testdaten zurückholen',
  restoreTestDataHint:
    'Aus der ersten Sicherung seit dieser Version, die ihre Sammlungen und Felder hat. Die jetzigen Testdaten bleiben als Sicherung erhalten. Passt keine Sicherung, gehen nur die Dateien zurück.',
  restoredTestData: 'Wiederhergestellt, auch die Testdaten',
  noTestData:
    'Die Dateien sind wiederhergestellt. Keine Sicherung der Testdaten passt zu dieser Version; es wurden also keine zurückgeholt.',
  undo: 'Lauf zurücknehmen',
  undoTitle: 'Zurücknehmen, was der Agent hier getan hat?',
  undoText:
    'Nur die Änderungen dieses Laufs werden zurückgenommen; spätere bleiben, wenn sie nicht dieselben Zeilen betreffen.',
  undone: 'Zurückgenommen',
  notDone: 'Das hat nicht geklappt.',
  busy: 'Der Agent arbeitet gerade an diesem Projekt. Warten Sie, bis er fertig ist, oder halten Sie ihn an.',
  inTheWay: (places: string) =>
    `Spätere Änderungen betreffen dieselben Zeilen: ${places}. Ändern Sie diese von Hand, oder stellen Sie eine frühere Version wieder her.`,

  brought: ({ created, modified, deleted, additions, deletions }, compared) => {
    const subject = compared ? 'Gegenüber jener hat diese Version' : 'Diese Version hat';
    const files = (count: number) => plural(count, { one: '# Datei', other: '# Dateien' });
    const parts = [
      modified && `${files(modified)} geändert`,
      created && `${files(created)} hinzugefügt`,
      deleted && `${files(deleted)} gelöscht`,
    ].filter((part) => part !== 0);
    if (parts.length === 0)
      return compared ? 'Beide Versionen haben dieselben Dateien.' : 'Diese Version hat keine Dateien geändert.';
    const brought = list(parts);
    if (additions + deletions === 0) return `${subject} ${brought}.`;
    const lines = `${plural(additions, { one: '# neue Zeile', other: '# neue Zeilen' })}, ${plural(deletions, { one: '# entfernt', other: '# entfernt' })}`;
    return `${subject} ${brought}: ${lines}.`;
  },
  actions: { created: 'neu', modified: 'geändert', deleted: 'gelöscht' },
  truncated: 'Diese Version ist groß: Nicht alle Änderungen werden gezeigt. Das Zip und git enthalten alle.',
  leftOut: 'Diese Änderungen sind zu groß, um sie zu zeigen.',
  noText: 'Das ist keine Textdatei; ihre Änderungen werden nicht gezeigt.',
  noLines: 'Keine Zeile hat sich geändert.',
  openFile: (path: string) => `${path} öffnen`,
  changesIn: (path: string) => `Änderungen in ${path}`,

  git: 'Mit Git klonen',
  gitText:
    'Dieses Projekt ist ein git-Repository. Klonen Sie es, arbeiten Sie mit Ihren eigenen Werkzeugen und pushen Sie: Die Dateien hier folgen.',
  cloneCommand: 'Befehl, der das Projekt klont',
  gitToken: 'Legen Sie ein Token an, das Dateien und Projekte lesen und schreiben darf.',
  makeToken: 'Token anlegen',
  gitAsk: 'Wenn git fragt, geben Sie irgendeinen Benutzernamen an und das Token als Passwort.',
  gitPush:
    '„git push“ macht aus Ihren Commits Versionen des Projekts. Holen Sie vorher mit „git pull“, was sich inzwischen geändert hat.',
};
