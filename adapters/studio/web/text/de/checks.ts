import type { Workbench } from '../en/workbench';
import { plural } from './words';

export const checks: Workbench['checks'] = {
  title: 'Prüfungen',
  hint: 'Was auf den Seiten funktionieren muss. Der Agent speichert Prüfungen, wenn er etwas ausprobiert hat; nach jedem Lauf und vor dem Veröffentlichen werden sie mit frischen Testdaten in einem Browser abgespielt.',
  none: 'Noch keine Prüfungen',
  noneHint: 'Bitten Sie den Agenten, etwas auf der Seite auszuprobieren und als Prüfung zu speichern.',
  play: 'Abspielen',
  playOne: (title) => `„${title}“ abspielen`,
  playAll: 'Alle abspielen',
  playing: 'Die Prüfungen laufen.',
  played: (passed, all) =>
    passed === all
      ? plural(all, { one: 'Die Prüfung ist bestanden.', other: 'Alle # Prüfungen sind bestanden.' })
      : `${passed} von ${all} Prüfungen sind bestanden.`,
  results: { passed: 'Bestanden', failed: 'Nicht bestanden', never: 'Nie abgespielt' },
  wrong: 'Nicht lesbar',
  step: (step) => `Schritt ${step}`,
  line: (line) => `Zeile ${line}`,
  picture: 'Bild des Fehlers',
  pictureOf: (title) => `Die Seite, auf der „${title}“ zuletzt scheiterte`,
  edit: 'Bearbeiten',
  editOne: (title) => `„${title}“ bearbeiten`,
  deleteOne: (title) => `„${title}“ löschen`,
  deleteTitle: 'Die Prüfung löschen?',
  deleteText: (title) => `„${title}“ wird nicht mehr abgespielt. Die Datei bleibt in älteren Versionen.`,
  deleted: 'Die Prüfung wurde gelöscht.',
  unavailable:
    'Hier gibt es keinen Browser: Prüfungen bestehen nicht und scheitern nicht, und keine hält eine Veröffentlichung auf.',
  failed: 'Nicht alle Prüfungen wurden bestanden, darum wurde nichts veröffentlicht. Die Website ist unverändert.',
  ignore: 'Trotzdem veröffentlichen',
  fix: 'Vom Agenten beheben lassen',
  fixText: (list) => `Diese Prüfungen des Projekts schlagen fehl. Bitte finde heraus, warum, und behebe es:\n${list}`,
  inChat: { passed: 'Prüfung bestanden:', failed: 'Prüfung nicht bestanden:' },
};
