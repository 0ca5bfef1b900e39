import type { Text } from '../en';
import { plural } from './words';

export const help: Text['help'] = {
  title: 'Manual',
  hint: 'Cómo crear, cambiar y publicar con Atelier. No hace falta saber programar.',
  topics: 'Temas',
  search: 'Buscar en el manual…',
  found: (count) => plural(count, { one: '# tema', other: '# temas' }),
  none: 'Ningún tema coincide. Prueba con otras palabras o pregunta al agente en un proyecto.',
  next: (title) => `Siguiente: ${title}`,
  news: 'Novedades',
  unread: 'nuevo',
};
