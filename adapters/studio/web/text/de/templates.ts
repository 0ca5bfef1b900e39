import type { Workspace } from '../en/workspace';

export const templates: Workspace['templates'] = {
  share: 'Als Vorlage teilen…',
  shareTitle: (name) => `${name} als Vorlage teilen`,
  shareHint:
    'Alle in diesem Arbeitsbereich können damit Projekte beginnen. Die Vorlage behält die Dateien, wie sie jetzt sind. Verlauf, Chats, Umgebungswerte und Daten bleiben zurück.',
  withSeed: 'Mit Beispieldaten',
  withSeedHint: 'Die Einträge aus backend/seed.json, mit denen die Testdaten beginnen.',
  shareButton: 'Teilen',
  isShared: (name) => `${name} ist jetzt eine Vorlage dieses Arbeitsbereichs.`,
  title: 'Vorlagen dieses Arbeitsbereichs',
  by: (author) => `Von ${author}`,
  remix: 'Neues Projekt daraus…',
  edit: 'Bearbeiten…',
  editTitle: (name) => `${name} bearbeiten`,
  retake: 'Aus dem Projekt erneuern',
  retaken: (name) => `${name} hat jetzt die Dateien des Projekts.`,
  remove: 'Löschen…',
  removeTitle: (name) => `Vorlage ${name} löschen?`,
  removeText: 'Projekte, die daraus entstanden sind, bleiben.',
};
