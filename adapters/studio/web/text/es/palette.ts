import type { Text } from '../en';

export const palette: Text['palette'] = {
  groups: {
    recent: 'Recientes',
    here: 'En esta página',
    files: 'Archivos',
    chats: 'Chats',
    models: 'Modelos',
    projects: 'Proyectos',
    go: 'Ir a',
    look: 'Tema e idioma',
    help: 'Ayuda y cuenta',
  },
  invite: 'Invitar a personas',
  providers: 'Proveedores de IA',
  openSite: 'Abrir el sitio publicado',
};
