import type { Text } from '../en';

export const palette: Text['palette'] = {
  groups: {
    recent: 'Zuletzt',
    here: 'Auf dieser Seite',
    files: 'Dateien',
    chats: 'Chats',
    models: 'Modelle',
    projects: 'Projekte',
    go: 'Gehe zu',
    look: 'Farben und Sprache',
    help: 'Hilfe und Konto',
  },
  invite: 'Leute einladen',
  providers: 'KI-Anbieter',
  openSite: 'Veröffentlichte Seite öffnen',
};
