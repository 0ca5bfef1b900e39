import type { Finding } from '~/api/types';
import type { Workbench } from '../en/workbench';
import { list, number, plural, weekday } from './words';

const two = (n: number) => String(n).padStart(2, '0');
const megabytes = (bytes: string) => `${number(Number(bytes) / 1e6, { maximumFractionDigits: 1 })} MB`;
// Where the server says no number, it says which bound in English.
const bound = (n: string, word: string) => (n.startsWith('the ') ? word : n);

type Tools = Pick<Workbench['data'], keyof typeof import('../en/data-tools')['dataTools']>;

export const dataTools: Tools = {
  explained: 'Qué significan estas palabras',
  termsTitle: 'Términos de esta página',
  putAway: (word) => `Ocultar: ${word}`,
  terms: {
    backend: {
      name: 'Backend',
      text: 'La parte de tu app que los visitantes no ven: guarda los datos, sabe quién ha iniciado sesión y decide quién puede hacer qué. Pertenece al proyecto y no necesita ningún otro servicio.',
    },
    collection: {
      name: 'Colección',
      text: 'Una colección es como una tabla: contiene todas las entradas de un tipo, como mensajes o pedidos. Cada entrada se llama registro.',
    },
    field: {
      name: 'Campo',
      text: 'Todos los registros de una colección tienen los mismos campos, como un nombre, una fecha o una imagen. Son las columnas de la tabla.',
    },
    rule: {
      name: 'Regla',
      text: 'Las reglas dicen quién puede leer, añadir, cambiar y eliminar. Valen para cualquiera que use la página, muestre lo que muestre. Tú aquí lo ves todo igualmente.',
    },
    environment: {
      name: 'Prueba y reales',
      text: 'Hay dos conjuntos de datos. Los de prueba sirven para experimentar y los muestra la vista previa. Los reales son lo que los visitantes escriben en el sitio publicado. Ninguno cambia nunca al otro.',
    },
    snapshot: {
      name: 'Instantánea',
      text: 'Una instantánea conserva todos los registros, personas y archivos tal como están en un momento. Después de un error, como una mala importación, puedes volver a ella.',
    },
    check: {
      name: 'Prueba de seguridad',
      text: 'El servidor ataca una copia de tus datos de prueba como lo haría alguien ajeno y te dice qué ha alcanzado. Hace lo mismo antes de cada publicación.',
    },
    function: {
      name: 'Función',
      text: 'Un pequeño programa que se ejecuta en el servidor cuando la página lo pide o según un horario: para enviar un correo, llamar a otro servicio o usar una clave que nadie debe ver.',
    },
  },

  snapshots: 'Instantáneas',
  snapshotsHint: {
    test: 'Copias de los datos de prueba a las que puedes volver. Se crea una antes de cada cambio de esquema.',
    live: 'Copias de los datos reales a las que puedes volver. Se crea una cada día y antes de cada publicación.',
  },
  snapshotsLocked: 'Solo para administradores',
  snapshotsLockedHint:
    'Las instantáneas de los datos reales contienen todo lo que han escrito los visitantes, así que solo los administradores del espacio de trabajo pueden crearlas y restaurarlas.',
  makeSnapshot: 'Crear instantánea',
  snapshotMade: 'Instantánea creada',
  noSnapshots: 'Todavía no hay instantáneas',
  noSnapshotsHint: {
    test: 'Crea una antes de probar algo y podrás volver en un momento.',
    live: 'La primera se crea en el plazo de un día o con la próxima publicación. Puedes crear una cuando quieras.',
  },
  snapshotReasons: {
    manual: 'Creada a mano',
    publish: 'Antes de una publicación',
    restore: 'Antes de restaurar',
    scheduled: 'Copia diaria',
  },
  beforeSchema: 'Antes de cambiar el esquema',
  byItself: 'automática',
  keptFor: {
    publish: 'se conserva 30 días',
    restore: 'se conserva 30 días',
    scheduled: 'se conserva 7 días',
  },
  restore: 'Restaurar esta',
  restoreTitle: '¿Restaurar esta instantánea?',
  restoreText: {
    test: (at) =>
      `Todos los registros, personas y archivos de los datos de prueba vuelven a estar como el ${at}. Se pierde lo escrito o cambiado desde entonces.`,
    live: (at) =>
      `El sitio publicado vuelve a sus datos del ${at}, de inmediato y para todos los visitantes. Se pierde lo que hayan escrito o cambiado desde entonces.`,
  },
  restoreFirst: 'Antes se crea una instantánea de los datos actuales, así que podrás volver a ellos.',
  restored: (at) => `Los datos vuelven a ser los del ${at}.`,
  snapshotDelete: 'Eliminar instantánea',
  snapshotDeleteTitle: '¿Eliminar esta instantánea?',
  snapshotDeleteText: (at) => `Ya no podrás volver al ${at}. Los datos actuales no cambian.`,
  snapshotDeleted: 'Instantánea eliminada',
  tooManySnapshots: 'Has llegado al límite de 20 instantáneas creadas a mano. Elimina una primero.',
  snapshotGone: 'Esta instantánea ya no existe.',

  check: 'Prueba de seguridad',
  checkNow: 'Comprobar ahora',
  checkAgain: 'Comprobar otra vez',
  checking: 'Comprobando',
  checkTitle: '¿Pueden personas ajenas llegar adonde no deberían?',
  checkHint:
    'El servidor copia los datos de prueba y ataca la copia, como invitado y como alguien que acaba de registrarse. Intenta leer, añadir, cambiar y eliminar. Tus datos no se tocan.',
  checkRuns: 'Atacando una copia de los datos de prueba. Tarda unos segundos, rara vez un minuto.',
  checkedAt: 'Comprobado',
  checkOld: 'El esquema ha cambiado desde esta comprobación. Comprueba otra vez para ver cómo está ahora.',
  checkGood: 'No hay nada expuesto',
  checkGoodHint:
    'Ni un invitado ni un usuario nuevo pudieron leer, cambiar o eliminar lo ajeno. Comprueba otra vez cuando cambien las reglas. Al publicar se comprueba siempre.',
  checkNotes: 'No hay expuesto nada que parezca privado. Lo siguiente está bien si es lo que quieres.',
  found: (n) => plural(n, { one: '# problema encontrado', other: '# problemas encontrados' }),
  foundHint: 'Personas ajenas pueden hacer con tus datos más de lo que probablemente deberían.',
  mend: 'Pedir al agente que lo arregle',
  mendAll: (n) => plural(n, { one: 'Pedir al agente que lo arregle', other: 'Pedir al agente que arregle los #' }),
  mendText: (found) =>
    `Una prueba de seguridad del backend descubrió que personas ajenas pueden hacer esto. Cambia las reglas de backend/schema.json para que no puedan, y que las páginas sigan funcionando:\n${found}`,
  tryRules: 'Probar las reglas',
  severities: { high: 'Grave', medium: 'Revisar', info: 'Nota' },
  finding: (one) => `${whoOf(one)} ${whatOf(one)}`,
  suggestion: 'Sugerencia para backend/schema.json:',
  suggested: (suggestion) =>
    suggestion
      .replace(
        ', if only the person to whom a record belongs should read it',
        ' (si solo debe leerlo la persona a la que pertenece el registro)',
      )
      .replace(', if only people who are signed in should', ' (si solo deben quienes hayan iniciado sesión)')
      .replace(
        ' (in the field), and use a file token in the page',
        ' (en el campo); la página necesita entonces un token de archivo',
      ),

  functions: 'Funciones',
  functionsHint: {
    test: 'Pequeños programas que se ejecutan en el servidor. En la vista previa trabajan con datos de prueba.',
    live: 'El sitio publicado tiene las funciones de la última publicación, en estas direcciones. Trabajan con datos reales.',
  },
  noFunctions: 'Todavía no hay funciones',
  noFunctionsHint:
    'Una función se ejecuta en el servidor: puede enviar correos, llamar a otros servicios y usar claves que nadie ve. Dile al agente qué debe pasar.',
  functionWish: 'Añade una función que me envíe un correo cuando alguien rellene el formulario de contacto.',
  addressOf: (name) => `Dirección de ${name}`,
  openFile: 'Abrir el archivo',
  scheduleHint: 'Se ejecuta automáticamente en el sitio publicado, en UTC.',
  nextRun: (when) => `Próxima ejecución: ${when}.`,
  schedule: (when) => {
    switch (when.kind) {
      case 'minutes':
        return plural(when.every, { one: 'cada minuto', other: 'cada # minutos' });
      case 'hour':
        return `cada hora, en el minuto ${two(when.minute)}`;
      case 'day':
        return `todos los días a las ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'week':
        return `cada ${weekday(when.weekday)} a las ${two(when.hour)}:${two(when.minute)} UTC`;
      case 'month':
        return `el día ${when.day} de cada mes a las ${two(when.hour)}:${two(when.minute)} UTC`;
    }
  },
  try: 'Probar',
  tryTitle: (name) => `Probar ${name}`,
  tryHint: 'Se ejecuta una vez con datos de prueba, como para un visitante que no ha iniciado sesión.',
  method: 'Método',
  restOfAddress: (address) => `Después de ${address}`,
  body: 'Cuerpo',
  bodyHint: 'Texto o JSON que se envía.',
  send: 'Enviar',
  answer: 'Respuesta',
  tookMs: (ms) => `${number(ms)} ms`,
  functionFailed: 'La función falló. Los visitantes solo ven que falló. Tú puedes ver por qué:',
  mendFunction: (name, error) => `La función functions/${name}.ts falla cuando se la llama. Arréglala:\n${error}`,
  noText: 'La respuesta no es texto.',
  noBody: 'La respuesta está vacía.',
  cutOff: 'Solo se muestra el principio de la respuesta.',
  consoleLines: 'Consola',

  line: (n) => `Línea ${n}`,
  recordNumber: (n) => `Registro ${n}`,
  failures: {
    create: 'No se pudo crear el registro.',
    update: 'No se pudo guardar el registro.',
    delete: 'Este registro no se puede eliminar mientras otros dependan de él.',
  },
  refusals: {
    required: () => 'No puede quedar vacío.',
    not_unique: () => 'Otro registro ya tiene este valor.',
    is_email: () => 'No es un correo electrónico.',
    is_url: () => 'No es una dirección web, como https://example.com.',
    not_a_number: () => 'No es un número.',
    only_int_constraint: () => 'Usa solo números enteros.',
    min_number_constraint: (min) => `Debe ser al menos ${min}.`,
    max_number_constraint: (max) => `Debe ser como máximo ${max}.`,
    min_text_constraint: (min) => `Usa al menos ${min} caracteres.`,
    max_text_constraint: (max) => `Usa hasta ${max} caracteres.`,
    length_out_of_range: (min, max) => `Usa de ${min} a ${max} caracteres.`,
    too_many_values: (max) => `Elige como máximo ${bound(max, 'los permitidos')}.`,
    not_enough_values: (min) => `Elige al menos ${bound(min, 'los necesarios')}.`,
    too_many_files: (max) => `Aquí caben hasta ${max} archivos.`,
    file_size_limit: (name, max) => `${name} es demasiado grande. El límite es ${megabytes(max)}.`,
    invalid_mime_type: (types) =>
      types
        ? `Este tipo de archivo no está permitido. Permitidos: ${types}.`
        : 'Este tipo de archivo no está permitido.',
    missing_rel_records: () => 'El registro al que se refiere ya no existe.',
    min_max_date: () => 'Esta fecha está fuera del intervalo.',
    date_invalid: () => 'No es una fecha.',
    invalid_json: () => 'No es JSON.',
    content_size_limit: () => 'Es demasiado largo.',
    invalid_format: () => 'No tiene el formato necesario.',
    domain_not_allowed: () => 'No se permiten direcciones de este dominio.',
    values_mismatch: () => 'Los dos no coinciden.',
    invalid_id: () => 'Este ID no es válido, o lo tiene otro registro.',
    invalid_place: () => 'No es un lugar de la Tierra: la longitud va de -180 a 180 y la latitud de -90 a 90.',
    invalid_value: () => 'Este valor no encaja aquí.',
  },
};

// Only the English text says who is affected, and through which action.
function whoOf({ as, text }: Finding): string {
  const [, home, climbed] = /^Everybody who has an account in "(.*?)" can first set "(.*?)" in it/.exec(text) ?? [];
  if (home && climbed) return `Cualquiera con una cuenta en «${home}» puede cambiar allí «${climbed}» y después`;
  if (as === 'guest') return 'Cualquiera en internet puede, sin iniciar sesión,';
  return text.startsWith('Everybody who signs up')
    ? 'Cualquiera que cree una cuenta puede'
    : 'Cualquiera que haya iniciado sesión puede';
}

function whatOf({ action, collection, fields, severity, text }: Finding): string {
  const names = list(fields);
  const within = `de «${collection}»`;
  switch (action) {
    case 'list':
      return severity === 'info'
        ? `leer «${collection}». Está bien si es para todo el mundo.`
        : `leer registros ajenos ${within}, entre ellos: ${names}.`;
    case 'view':
      return `leer un registro ${within} cuyo ID se conozca, con: ${names}.`;
    case 'expand':
      return `leer registros ${within} a los que otros se refieren, con: ${names}.`;
    case 'subscribe':
      return `observar cómo cambian registros ajenos ${within} y leer: ${names}.`;
    case 'filter': {
      const through = /by searching in "(.*?)"/.exec(text)?.[1] ?? collection;
      return `averiguar, buscando en «${through}», valores ${within} que no se muestran: ${names}.`;
    }
    case 'file':
      return `abrir archivos ${within} cuya dirección se conozca: ${names}.`;
    case 'create':
      return names ? `crear registros ${within} en nombre de otros (${names}).` : `crear registros ${within}.`;
    case 'change':
      return `cambiar registros ajenos ${within}: ${names}.`;
    case 'delete':
      return `eliminar registros ajenos ${within}.`;
    case 'verify':
      return `marcar como confirmado un correo ${within} que nunca se confirmó.`;
  }
  return text;
}
