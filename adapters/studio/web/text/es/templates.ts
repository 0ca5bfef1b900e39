import type { Workspace } from '../en/workspace';

export const templates: Workspace['templates'] = {
  share: 'Compartir como plantilla…',
  shareTitle: (name) => `Compartir ${name} como plantilla`,
  shareHint:
    'Todos los miembros de este espacio de trabajo pueden empezar proyectos con ella. Conserva los archivos tal como están ahora. El historial, los chats, las variables de entorno y los datos no se incluyen.',
  withSeed: 'Con registros de ejemplo',
  withSeedHint: 'Los de backend/seed.json, con los que empiezan los datos de prueba.',
  shareButton: 'Compartir',
  isShared: (name) => `${name} es ahora una plantilla de este espacio de trabajo.`,
  title: 'Plantillas de este espacio de trabajo',
  by: (author) => `De ${author}`,
  remix: 'Crear un proyecto…',
  edit: 'Editar…',
  editTitle: (name) => `Editar ${name}`,
  retake: 'Actualizar desde su proyecto',
  retaken: (name) => `${name} tiene ahora los archivos de su proyecto.`,
  remove: 'Eliminar…',
  removeTitle: (name) => `¿Eliminar la plantilla ${name}?`,
  removeText: 'Los proyectos creados con ella se conservan.',
};
