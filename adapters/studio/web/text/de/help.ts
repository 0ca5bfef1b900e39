import type { Text } from '../en';
import { plural } from './words';

export const help: Text['help'] = {
  title: 'Handbuch',
  hint: 'Bauen, ändern und veröffentlichen mit Atelier. Programmieren müssen Sie dafür nicht können.',
  topics: 'Themen des Handbuchs',
  search: 'Im Handbuch suchen…',
  found: (count) => plural(count, { one: '# Thema', other: '# Themen' }),
  none: 'Kein Thema hat diese Wörter. Versuchen Sie ein anderes, oder fragen Sie in einem Projekt den Agenten.',
  next: (title) => `Weiter: ${title}`,
  news: 'Was ist neu',
  unread: 'neu',
};
