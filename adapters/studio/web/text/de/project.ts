import type { Workbench } from '../en/workbench';

export const project: Workbench['project'] = {
  runEnded: (project) => `${project}: Der Agent ist fertig`,
  notify: 'Melden, wenn ein Lauf endet',
  notifyNot: 'Nicht mehr melden, wenn ein Lauf endet',
  views: 'Ansichten',
  chat: 'Chat',
  toggleChat: 'Chat zeigen oder verbergen',
  showChat: 'Chat zeigen',
  hideChat: 'Chat verbergen',
  panes: { preview: 'Vorschau', code: 'Code', data: 'Daten', versions: 'Versionen', publish: 'Veröffentlichen' },
  publishShort: 'Live',
  name: 'Name des Projekts',
  rename: 'Umbenennen',
  visibility: {
    private: 'Privat: Sie und die Verwaltung des Arbeitsbereichs sehen es',
    workspace: 'Alle Mitglieder des Arbeitsbereichs sehen es',
    public: 'Alle, die angemeldet sind, können es ansehen',
  },
  share: 'Teilen',
  shareTitle: (name: string) => `${name} teilen`,
  link: 'Link zum Projekt',
  linkHints: {
    private: 'Öffnet sich für Sie und die Verwaltung des Arbeitsbereichs.',
    workspace: 'Öffnet sich für alle in diesem Arbeitsbereich.',
    public: 'Öffnet sich für alle, die hier ein Konto haben.',
  },
  siteLink: 'Link zur veröffentlichten Seite',
  siteHint: 'Die veröffentlichte Seite öffnet sich für alle.',
  people: 'Wer Zugriff hat',
  invite: 'Einladen',
  settings: 'Einstellungen…',
  settingsOf: (name: string) => `Einstellungen von ${name}`,
  agentRules: 'Regeln für den Agenten',
  agentRulesHint: 'Öffnet AGENTS.md, das der Agent vor jeder Nachricht in diesem Projekt liest.',
  agentRulesBeginning: '# Regeln für den Agenten\n\n',
  readOnly: 'Nur ansehen',
  whoIsHere: 'Wer hier ist',
  here: (count: number) => (count === 1 ? 'Noch jemand ist hier' : `${count} andere sind hier`),
  isIn: (name: string, path: string | undefined) =>
    path ? `${name} ist in ${path}. Klicken, um zu folgen.` : `${name} ist hier. Klicken, um zu folgen.`,
  following: (name: string) => `Sie folgen ${name}. Tippen oder Escape beendet das.`,
  lost: {
    deleted: 'Dieses Projekt wurde gelöscht.',
    left: 'Sie haben keinen Zugriff mehr auf dieses Projekt. Sie gehören nicht mehr zu seinem Arbeitsbereich.',
    gone: 'Sie haben keinen Zugriff mehr auf dieses Projekt. Es wurde privat gestellt, in einen anderen Arbeitsbereich verschoben oder endgültig gelöscht.',
    restore: 'Aus dem Papierkorb holen',
  },
  liveEnded:
    'Änderungen anderer erscheinen hier nicht mehr. Laden Sie die Seite neu, um sie wieder zu sehen; Sie können auch ohne sie weiterarbeiten.',
  readOnlyHint:
    'Dieses Projekt ist öffentlich. Um etwas zu ändern, kopieren Sie es, oder bitten Sie um eine Einladung.',
};
