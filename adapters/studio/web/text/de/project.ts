import type { Text } from '..';

export const project: Text['project'] = {
  views: 'Ansichten',
  chat: 'Chat',
  toggleChat: 'Chat zeigen oder verbergen',
  showChat: 'Chat zeigen',
  hideChat: 'Chat verbergen',
  panes: { preview: 'Vorschau', code: 'Code', versions: 'Versionen', publish: 'Veröffentlichen' },
  publishShort: 'Live',
  name: 'Name des Projekts',
  rename: 'Umbenennen',
  visibility: {
    private: 'Privat: Sie und die Verwaltung des Arbeitsbereichs sehen es',
    workspace: 'Alle Mitglieder des Arbeitsbereichs sehen es',
    public: 'Alle, die angemeldet sind, können es ansehen',
  },
  readOnly: 'Nur ansehen',
  whoIsHere: 'Wer hier ist',
  here: (count: number) => (count === 1 ? 'Noch jemand ist hier' : `${count} andere sind hier`),
  isIn: (name: string, path: string | undefined) => (path ? `${name} ist in ${path}. Klicken, um zu folgen.` : `${name} ist hier. Klicken, um zu folgen.`),
  following: (name: string) => `Sie folgen ${name}. Tippen oder Escape beendet das.`,
  accessLost: 'Sie haben keinen Zugriff mehr auf dieses Projekt. Er wurde Ihnen entzogen, oder Ihre Anmeldung ist abgelaufen.',
  liveEnded: 'Was andere tun, ist hier nicht mehr zu sehen. Laden Sie die Seite neu, um es wieder zu sehen; Sie können auch so weiterarbeiten.',
  readOnlyHint: 'Dieses Projekt ist öffentlich. Um etwas zu ändern, kopieren Sie es, oder bitten Sie um eine Einladung.',
};
