import type { Workbench } from '../en/workbench';
import { list, plural } from './words';

export const versions: Workbench['versions'] = {
  title: 'Versiones',
  none: 'Todavía no hay versiones',
  noneHint: 'Se crea una versión cada vez que el agente cambia algo y siempre que guardas una.',
  choose: 'Se conservan todos los estados de tu proyecto',
  chooseHint: 'Elige una versión para ver qué cambió, restaurarla o deshacer lo que hizo el agente.',
  now: 'Ahora',
  unsaved: (count) =>
    `Cambios sin guardar en ${plural(count, { one: '# archivo', other: '# archivos' })}. Se convierten en una versión un minuto después del último cambio.`,
  current: 'Actual',
  star: 'Destacar',
  rename: 'Ponle nombre a esta versión',
  name: 'Nombre',
  nameHint: 'Déjalo vacío para quitar el nombre.',
  starred: 'Destacada',
  live: 'En línea',
  onlyMarked: 'Solo destacadas y con nombre',
  noneMarked: 'No hay versiones destacadas ni con nombre',
  noneMarkedHint: 'Elige una versión para destacarla o ponerle nombre.',
  compare: 'Comparar con',
  before: 'Versión anterior',
  look: 'Ver esta versión',
  lookHint: 'Las páginas tal como eran, solo para leer.',
  ownTab: 'Abrir en una pestaña nueva',
  pageOf: (name) => `La página en la versión ${name}`,
  byHand: 'Editado a mano',
  undid: (name) => `Se deshizo «${name}»`,
  wentBack: (name) => `Vuelta a «${name}»`,
  startedFrom: (name) => `Empezado desde ${name}`,
  today: 'Hoy',
  yesterday: 'Ayer',
  agent: 'Agente',
  noMessage: 'Sin mensaje',
  files: (count) => plural(count, { one: '# archivo', other: '# archivos' }),
  back: 'Volver a la lista',
  asked: 'Se le pidió al agente:',
  export: 'Descargar zip',

  savePoint: 'Guardar versión',
  savePointHint: 'Nombre de esta versión…',
  savedPoint: 'Versión guardada',
  nothingToSave: 'Nada ha cambiado desde la última versión, así que no hay nada que guardar.',

  restore: 'Restaurar',
  restoreTitle: '¿Restaurar esta versión?',
  restoreText:
    'Los archivos vuelven a ser como entonces. El estado actual se conserva como versión, así que no se pierde nada.',
  restored: 'Restaurada',
  restoreTestData: 'Restaurar también los datos de prueba',
  restoreTestDataHint:
    'De la primera instantánea desde esta versión que tenga sus colecciones y campos. Los datos de prueba actuales se conservan como instantánea. Si ninguna sirve, solo se restauran los archivos.',
  restoredTestData: 'Restaurada, con los datos de prueba',
  noTestData:
    'Los archivos se han restaurado. Ninguna instantánea de los datos de prueba sirve para esta versión, así que esos datos no han cambiado.',
  undo: 'Deshacer este turno',
  undoTitle: '¿Deshacer lo que hizo aquí el agente?',
  undoText: 'Solo se deshacen los cambios de este turno. Los posteriores se mantienen si no tocan las mismas líneas.',
  undone: 'Deshecho',
  notDone: 'No ha funcionado.',
  busy: 'El agente está trabajando en este proyecto. Espera a que termine o detenlo.',
  inTheWay: (places) =>
    `Hay cambios posteriores en las mismas líneas: ${places}. Edítalas a mano o restaura una versión anterior.`,

  brought: ({ created, modified, deleted, additions, deletions }, compared) => {
    const subject = compared ? 'Respecto a aquella, esta versión' : 'Esta versión';
    const files = (count: number) => plural(count, { one: '# archivo', other: '# archivos' });
    const parts = [
      modified && `cambió ${files(modified)}`,
      created && `añadió ${files(created)}`,
      deleted && `eliminó ${files(deleted)}`,
    ].filter((part) => part !== 0);
    if (parts.length === 0)
      return compared ? 'Las dos versiones tienen los mismos archivos.' : 'Esta versión no cambió ningún archivo.';
    const brought = list(parts);
    if (additions + deletions === 0) return `${subject} ${brought}.`;
    const lines = `${plural(additions, { one: '# línea nueva', other: '# líneas nuevas' })}, ${plural(deletions, { one: '# quitada', other: '# quitadas' })}`;
    return `${subject} ${brought}: ${lines}.`;
  },
  actions: { created: 'nuevo', modified: 'cambiado', deleted: 'eliminado' },
  truncated: 'Esta versión es grande y no se muestran todos sus cambios. El zip y git los tienen todos.',
  leftOut: 'Estos cambios son demasiado grandes para mostrarlos.',
  noText: 'No es un archivo de texto, así que no se muestran sus cambios.',
  noLines: 'No cambió ninguna línea.',
  openFile: (path) => `Abrir ${path}`,
  changesIn: (path) => `Cambios en ${path}`,

  git: 'Clonar con Git',
  gitText:
    'Este proyecto es un repositorio git. Clónalo, usa tus propias herramientas y haz push: los archivos de aquí se actualizan.',
  cloneCommand: 'Comando para clonar el proyecto',
  gitToken: 'Crea un token que pueda leer y escribir archivos y proyectos.',
  makeToken: 'Crear un token',
  gitAsk: 'Cuando git pregunte, escribe cualquier nombre de usuario, y el token como contraseña.',
  gitPush:
    '«git push» convierte tus commits en versiones del proyecto. Haz pull antes si el proyecto ha cambiado entretanto.',
};
