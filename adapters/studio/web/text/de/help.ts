import type { Text } from '../en';

export const help: Text['help'] = {
  title: 'Handbuch',
  hint: 'Bauen, ändern und veröffentlichen mit Atelier. Programmieren müssen Sie dafür nicht können.',
  topics: 'Themen des Handbuchs',
  search: 'Im Handbuch suchen…',
  found: (count) => (count === 1 ? '1 Thema' : `${count} Themen`),
  none: 'Kein Thema hat diese Wörter. Versuchen Sie ein anderes, oder fragen Sie in einem Projekt den Agenten.',
  next: (title) => `Weiter: ${title}`,
  news: 'Was ist neu',
  unread: 'neu',
};
