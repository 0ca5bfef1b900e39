import type { Workbench } from '../en/workbench';
import { plural } from './words';

export const comments: Workbench['comments'] = {
  title: 'Kommentare',
  toggle: 'Kommentieren',
  show: 'Kommentare zur Seite',
  open: (count) => plural(count, { one: '# offener Kommentar', other: '# offene Kommentare' }),
  close: 'Kommentare schließen',
  add: 'Neuer Kommentar',
  choose: 'Wählen Sie auf der Seite aus, was Sie kommentieren möchten.',
  chooseKeys: 'Mit der Tastatur: Die Pfeiltasten führen von Element zu Element.',
  whole: 'Die ganze Seite kommentieren',
  wholePage: 'Die ganze Seite',
  write: 'Ihr Kommentar',
  send: 'Kommentieren',
  reply: 'Antworten',
  yourReply: 'Ihre Antwort',
  cancel: 'Abbrechen',
  lists: 'Welche Kommentare',
  unresolved: 'Offen',
  resolved: 'Erledigt',
  none: 'Keine offenen Kommentare',
  noneHint:
    'Kommentieren Sie, was auf der Seite steht. Alle im Projekt sehen es, und der Agent kann es auf Wunsch umsetzen.',
  noneResolved: 'Noch nichts erledigt',
  replies: (count) => plural(count, { one: '# Antwort', other: '# Antworten' }),
  edited: 'bearbeitet',
  number: (number) => `Kommentar ${number}`,
  pin: (number, name, text) => `Kommentar ${number} von ${name}: ${text}`,
  onElement: (element, text) => (text ? `${element} „${text}“` : element),
  onPage: (page) => `auf ${page}`,
  gone: 'Element nicht gefunden',
  goneHint: 'Dieses Element gibt es auf der Seite nicht mehr.',
  resolve: 'Erledigt',
  reopen: 'Wieder öffnen',
  resolvedBy: (name) => `Erledigt von ${name}`,
  ask: 'Den Agenten bitten',
  asked: 'Der Agent kümmert sich darum.',
  done: 'Der Agent ist fertig. Ist das erledigt?',
  keep: 'Noch nicht',
  more: 'Mehr zu diesem Kommentar',
  edit: 'Bearbeiten',
  copy: 'Link kopieren',
  copied: 'Link kopiert',
  remove: 'Löschen',
  removeTitle: 'Diesen Kommentar löschen?',
  removeText: 'Er verschwindet für alle.',
  removeThread: (count) =>
    plural(count, {
      one: 'Mit ihm verschwindet seine Antwort, für alle.',
      other: 'Mit ihm verschwinden seine # Antworten, für alle.',
    }),
  request: (page, element, text, replies) =>
    `Bitte setze um, was dieser Kommentar zur Seite ${page}${element ? ` (${element})` : ''} verlangt:\n\n${text}${
      replies ? `\n\nAntworten:\n${replies}` : ''
    }`,
};
