import type { Workbench } from '../en/workbench';
import { signIns } from './data-sign-ins';
import { dataTools } from './data-tools';
import { plural } from './words';

export const data: Workbench['data'] = {
  readers: 'Solo los miembros del espacio de trabajo pueden ver los datos de este proyecto.',
  none: 'Este proyecto todavía no guarda datos',
  noneHint:
    'Los datos son lo que tu página recuerda de sus visitantes: entradas de un libro de visitas, pedidos, cuentas. Siguen ahí cuando se cierra la página, y tú decides quién puede verlos y cambiarlos.',
  examples: 'Ejemplos',
  wishes: [
    {
      name: 'Libro de visitas',
      text: 'Añade un libro de visitas donde la gente inicie sesión y deje un mensaje. Todo el mundo puede leer los mensajes; solo quien escribió uno puede cambiarlo o eliminarlo.',
    },
    {
      name: 'Lista de inscripción',
      text: 'Añade un formulario para que los visitantes se inscriban en un evento con su nombre y su correo. Solo yo puedo ver la lista.',
    },
    {
      name: 'Lista de tareas compartida',
      text: 'Añade una lista de tareas con cuentas: cada persona inicia sesión y ve y cambia solo sus propias entradas, en todos sus dispositivos.',
    },
  ],
  wish: '¿Qué debe recordar tu página?',
  askAgent: 'Pedírselo al agente',
  sample: {
    caption: 'Por ejemplo, los datos de un libro de visitas: una fila por entrada',
    columns: ['nombre', 'mensaje', 'escrito'],
    rows: [
      ['Ada', '¡Qué página tan bonita!', 'hoy'],
      ['Grace', 'Saludos desde Nueva York', 'ayer'],
    ],
  },
  points: [
    {
      name: 'Tu página los rellena',
      text: 'Lo que alguien escribe en la página se convierte al momento en una fila. Aquí puedes ver las filas, cambiarlas y añadir más.',
    },
    {
      name: 'Tú dices quién puede hacer qué',
      text: 'Por ejemplo: todos leen y solo el autor elimina. Dilo con tus palabras y el servidor lo hace cumplir.',
    },
    {
      name: 'Primero prueba, después publica',
      text: 'La vista previa tiene sus propios datos para probar. Los visitantes de la página publicada tienen otros, a los que nada de lo que pruebes puede dañar.',
    },
  ],

  environments: 'Qué datos',
  envs: { test: 'Prueba', live: 'Reales' },
  envHints: {
    test: 'Datos para probar. Los muestra la vista previa; los visitantes de tu sitio nunca los ven.',
    live: 'Los datos reales de tu sitio publicado.',
  },
  live: 'Datos reales.',
  liveHint: 'Los visitantes de tu sitio ven cada cambio al momento.',
  liveReadOnly: 'Puedes verlos. Solo los administradores del espacio de trabajo pueden cambiarlos.',
  liveQuestion: 'Son los datos de tu sitio publicado. Los visitantes ven el cambio al momento, y no se puede deshacer.',
  liveSaveTitle: '¿Cambiar los datos reales?',
  liveCreateTitle: '¿Añadir a los datos reales?',
  liveImportTitle: '¿Importar en los datos reales?',
  liveSave: 'Cambiar los datos reales',
  liveCreate: 'Añadir a los datos reales',
  liveImport: 'Importar en los datos reales',
  notLive: 'Todavía no hay nada en línea',
  notLiveHint: 'Cuando publiques el proyecto, su sitio tendrá sus propios datos: vacíos y separados de los de prueba.',
  toTest: 'Ir a los datos de prueba',

  collections: 'Colecciones',
  choose: 'Tus datos',
  chooseHint: 'Elige una colección para ver qué contiene. Una colección es una tabla con una fila por entrada.',
  back: 'Volver a la lista',
  types: { base: 'Entradas', auth: 'Personas', view: 'Calculada' },
  schema: 'Esquema',
  noSchema:
    'El archivo backend/schema.json ya no está, así que la app no tiene datos. Lo que había se conserva y se muestra aquí.',
  broken: 'El esquema tiene errores. Sigue en uso el último válido.',
  fixText: (list) => `El esquema del backend tiene errores. Arréglalos:\n${list}`,

  reset: 'Restablecer los datos de prueba',
  resetSeed: 'Con los registros de ejemplo',
  resetEmpty: 'Vacíos',
  resetTitle: '¿Restablecer los datos de prueba?',
  resetSeedText:
    'Se eliminan todos los registros, usuarios y archivos de prueba, y se crean de nuevo los registros de ejemplo de backend/seed.json. Los datos reales no cambian.',
  resetText: 'Se eliminan todos los registros, usuarios y archivos de prueba. Los datos reales no cambian.',
  wasReset: 'Datos de prueba restablecidos',

  values: (n) => plural(n, { one: '# valor', other: '# valores' }),
  records: (n) => plural(n, { one: '# registro', other: '# registros' }),
  ofFiles: (size) => `${size} de archivos`,
  ofRecords: (size) => `${size} de registros`,
  pending: (loss) => `El esquema nuevo eliminaría ${loss} de tus datos de prueba.`,
  pendingHint: 'Todavía no ha cambiado nada. La vista previa usa el esquema anterior hasta que decidas.',
  confirmLoss: (loss) => `Eliminar ${loss}`,
  keep: 'Pedir al agente que los conserve',
  keepText:
    'El último cambio de backend/schema.json eliminaría datos existentes. Cambia el esquema para que no se pierda nada: conserva los campos y colecciones, o marca los renombrados con "renamedFrom".',
  applied: 'Los datos de prueba ya usan el esquema nuevo.',
  dropsCollection: (collection, n) =>
    `La colección «${collection}» se elimina con ${plural(n, { one: '# registro', other: '# registros' })}.`,
  dropsField: (collection, field, n) =>
    `El campo «${field}» de «${collection}» se elimina con ${plural(n, { one: '# valor', other: '# valores' })}.`,
  changesField: (collection, field, n) =>
    `El campo «${field}» de «${collection}» cambia, y ${plural(n, { one: '# valor ya no encaja', other: '# valores ya no encajan' })}.`,
  harmless: (n) => plural(n, { one: '# cambio más no pierde nada.', other: '# cambios más no pierden nada.' }),

  acts: {
    read: 'leer',
    list: 'ver la lista',
    view: 'abrir una entrada',
    create: 'añadir',
    update: 'cambiar',
    delete: 'eliminar',
  },
  people: {
    anybody: (what) => `Cualquiera puede ${what}.`,
    members: (what) => `Solo los miembros de este proyecto pueden ${what}.`,
    signedIn: (what) => `Cualquiera que haya iniciado sesión puede ${what}.`,
    verified: (what) => `Cualquiera que haya iniciado sesión con un correo confirmado puede ${what}.`,
    self: (what) => `Cada persona puede ${what} solo su propia cuenta.`,
    owner: (field, what) => `Solo quien figura en «${field}» puede ${what}.`,
    asThemselves: (field, what) =>
      `Cualquiera que haya iniciado sesión puede ${what}, figurando en «${field}» con su propia cuenta.`,
    rule: (text, what) => `Quien cumpla «${text}» puede ${what}.`,
  },
  explainRules: 'Cambiar las reglas',
  rulesText: (collection) =>
    `Explica con palabras sencillas quién puede leer, añadir, cambiar y eliminar en «${collection}», y pregúntame qué debe ser distinto.`,

  search: 'Buscar',
  searchHint: 'Busca o filtra: done = true',
  showSystem: 'Mostrar el id y las columnas del sistema',
  hideSystem: 'Ocultar el id y las columnas del sistema',
  reload: 'Volver a cargar',
  changedByOthers: 'Los registros han cambiado desde que se cargó esta lista.',
  showChanges: 'Mostrar los cambios',
  transfer: 'Importar y exportar',
  bringTables: 'Tablas de Supabase o Postgres…',
  tables: 'Tablas de Supabase o Postgres',
  tablesWhat:
    'Cada tabla se convierte en una colección de este proyecto, y sus políticas en reglas. Ves el resultado antes de que se guarde nada. Los registros vienen después: exporta cada tabla como CSV e impórtala en su colección.',
  hasMigrations: 'Este proyecto trae tablas de Supabase (supabase/migrations).',
  useMigrations: (n) => plural(n, { one: 'Verlas', other: 'Verlas (# archivos)' }),
  sqlFile: 'Archivo SQL',
  sqlHint: 'Como lo escriben pg_dump --schema-only o supabase db dump, de 1 MB como máximo.',
  showTables: 'Ver las tablas',
  tablesFound: (n) => plural(n, { one: 'Se añadiría esta colección:', other: 'Se añadirían estas # colecciones:' }),
  noTables: 'No hay ninguna tabla que añadir.',
  tablesNotes: 'Lo que aquí es distinto:',
  otherTables: 'Atrás',
  keepTables: 'Conservar',
  useTables: 'Conservar, y que el agente las use',
  tablesKept: (n) => plural(n, { one: '# colección añadida', other: '# colecciones añadidas' }),
  tablesOutdated: 'El esquema ha cambiado mientras tanto. Vuelve atrás y mira las tablas de nuevo.',
  useTablesText:
    'Las tablas de Supabase son ahora colecciones de este proyecto (backend/schema.json). Cambia la página para que las use en lugar de Supabase: inicio de sesión, lectura, escritura y tiempo real. Deja todo lo que se ve como está.',
  import: 'Importar…',
  exportCSV: 'Exportar como CSV',
  exportJSON: 'Exportar como JSON',
  importInto: (collection) => `Importar en ${collection}`,
  importHint:
    'Una tabla CSV con los nombres de los campos en la primera fila, o registros en JSON, tal como los exportan Supabase y Postgres. Los registros cuyo id ya existe se cambian. Se importa todo o nada.',
  file: 'Archivo',
  importNow: 'Importar',
  imported: (n, updated, newIds) =>
    [
      plural(n, { one: '# registro importado', other: '# registros importados' }),
      updated > 0 ? plural(updated, { one: '; # ya existía', other: '; # ya existían' }) : '',
      newIds > 0
        ? '. Los ids del archivo no sirven aquí, así que los registros tienen otros. Las relaciones se conservan.'
        : '',
    ].join(''),
  importing: 'El archivo se comprueba y se escribe entero. Si es grande, puede tardar hasta un minuto.',
  rowsRefused: (n) => plural(n, { one: 'Se rechaza # registro:', other: 'Se rechazan # registros:' }),
  rowsShown: (n) => `Estos son los primeros ${n} motivos.`,
  importFailed: 'No se importó nada.',

  newRecord: 'Nuevo registro',
  newIn: (collection) => `Nuevo registro en ${collection}`,
  record: (collection) => `Registro de ${collection}`,
  recordsOf: (collection) => `Registros de ${collection}. Pulsa Intro para abrir uno.`,
  sortBy: (field) => `Ordenar por ${field}`,
  empty: 'Aquí todavía no hay nada',
  emptyHint: 'Las entradas aparecen en cuanto alguien usa la página o añades una.',
  notFound: 'Sin resultados',
  notFoundHint: 'Ningún registro contiene esto. Prueba con menos palabras o con otras.',
  created: 'Registro creado',
  deleted: 'Registro eliminado',
  deleteTitle: '¿Eliminar este registro?',
  deleteText: 'No se puede deshacer. Los registros que dependan de él pueden eliminarse también.',
  deleteLiveText:
    'Es un registro de tu sitio publicado. Eliminarlo no se puede deshacer; los registros que dependan de él pueden eliminarse también.',
  discardTitle: '¿Descartar lo que has escrito?',
  discardText: 'No se ha guardado.',
  discard: 'Descartar',

  fieldTypes: {
    text: '',
    editor: 'texto con formato',
    number: 'número',
    bool: 'sí o no',
    email: 'correo',
    url: 'dirección web',
    date: 'fecha y hora',
    select: 'opción',
    relation: 'referencia',
    file: 'archivo',
    json: 'JSON',
    geoPoint: 'lugar',
    password: '',
  },
  required: 'obligatorio',
  nothing: '(nada)',
  wrong: {
    number: 'No es un número.',
    json: 'No es JSON.',
    date: 'No es una fecha.',
  },
  pointHint: 'Por ejemplo {"lon": -3.7, "lat": 40.4}',
  passwordHint: 'Déjala vacía para conservar la actual.',
  takeOut: (name) => `Quitar ${name}`,
  chooseFrom: (collection) => `Elegir de ${collection}…`,
  chooseFile: (field) => `Archivo para ${field}`,
  addFile: 'Elegir un archivo…',
  addFiles: 'Añadir archivos…',
  findHint: 'Escribe para buscar un registro…',

  mails: 'Correos',
  mailsHint:
    'Con los datos de prueba, tu app no envía correos. Aquí está lo que habría enviado. Los enlaces funcionan en la vista previa.',
  noMails: 'Todavía no hay correos',
  noMailsHint: 'Cuando un usuario de prueba se registra u olvida su contraseña, el correo aparece aquí.',
  mailTo: 'para',

  ...dataTools,
  signIns,

  logs: 'Registros de actividad',
  logsHint:
    'Qué pidió tu app a sus datos y cómo funcionaron sus funciones: lo más reciente primero, durante un máximo de 7 días. No se guarda lo que las personas escribieron o buscaron.',
  logKind: 'Tipo',
  logKinds: { '': 'Todo', request: 'Solicitudes', function: 'Funciones' },
  logFailed: 'Solo errores',
  logTook: (ms) => `${ms} ms`,
  logError: 'Error',
  logConsole: 'Consola',
  logOmitted: (count) =>
    plural(count, {
      one: 'Justo antes llegó otra más. No se guardó porque llegaron demasiadas a la vez.',
      other: 'Justo antes llegaron # más. No se guardaron porque llegaron demasiadas a la vez.',
    }),
  noLogs: 'Todavía no ha pasado nada',
  noLogsHint: 'Abre la vista previa y usa tu app: aquí aparece lo que pide a sus datos.',
  noLogsLiveHint: 'En cuanto alguien use tu app publicada, aparecerá aquí.',
  noLogsSuch: 'No hay nada de este tipo',
  noLogsSuchHint: 'Es buena noticia si buscabas errores.',
};
