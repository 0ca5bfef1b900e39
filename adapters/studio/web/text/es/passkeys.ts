import type { Text } from '../en';

export const passkeys: Text['passkeys'] = {
  title: 'Llaves de acceso',
  hint: 'Inicia sesión con tu huella, tu cara o el bloqueo de pantalla en lugar de una contraseña. Una llave de acceso no se puede adivinar, y una página falsa no puede pedirla.',
  secondHint:
    'En cuanto tengas una, tu contraseña sola no bastará para entrar: hará falta también una llave de acceso o un código.',
  add: 'Añadir una llave de acceso',
  addedAt: 'Añadida',
  full: (most) => `Tienes ${most} llaves de acceso y no caben más. Elimina una que ya no uses.`,
  areSecond:
    'Tus llaves de acceso son el segundo paso después de la contraseña. Si añades una aplicación, también sirven sus códigos.',
  obstacles: {
    insecure:
      'Las llaves de acceso necesitan una conexión segura. Abre esta página en una dirección que empiece por https://. Si no la hay, consulta a quienes gestionan este servicio.',
    unnamed:
      'Las llaves de acceso necesitan una dirección con nombre, como atelier.example.com. Has abierto este servicio por un número (su dirección IP). Si no tiene nombre, consulta a quienes gestionan este servicio.',
    unsupported:
      'Este navegador no admite llaves de acceso. Actualízalo o abre esta página en una versión reciente de Chrome, Edge, Firefox o Safari.',
  },

  makeHint:
    'Elige un nombre. Después, tu navegador te pedirá la huella, la cara o el bloqueo de pantalla, o dónde guardar la llave.',
  name: 'Nombre',
  nameHint: 'Para que la reconozcas luego en la lista.',
  make: 'Crear llave de acceso',
  again: 'Empezar de nuevo',
  added: (name) => `Se ha añadido la llave de acceso ${name}.`,
  devices: {
    windows: 'PC con Windows',
    android: 'Teléfono Android',
    linux: 'Ordenador con Linux',
    other: 'Mi llave de acceso',
  },

  remove: (name) => `Eliminar ${name}`,
  removeTitle: (name) => `¿Eliminar ${name}?`,
  removeHint:
    'Ya no podrás iniciar sesión con ella. Puede que tu dispositivo aún la ofrezca: elimínala también allí, en las contraseñas.',
  lastHint: 'Es tu última llave de acceso, así que bastará con tu contraseña para iniciar sesión.',
  removeIt: 'Eliminar la llave de acceso',
  removed: (name) => `Se ha eliminado la llave de acceso ${name}.`,

  code: 'Código',
  codeHint: 'De tu aplicación de autenticación, o uno de los códigos de recuperación que guardaste.',
  prove: 'Confirmar con una llave de acceso',
  wrongEither: 'La contraseña es incorrecta o la llave de acceso no es de esta cuenta.',

  signIn: 'Entrar con una llave de acceso',
  use: 'Usar una llave de acceso',
  useCode: 'Usar un código',
  stepHint: 'Confirma con una de tus llaves de acceso que eres tú.',
  unknown: 'Esta llave de acceso no funciona aquí. Puede que se haya eliminado. Entra con tu correo y tu contraseña.',
  notAccepted: 'No se aceptó esta llave de acceso. Prueba con otra o usa un código.',
  over: 'Ha tardado demasiado. Empieza de nuevo.',
  exists: 'Este dispositivo ya tiene una llave de acceso para tu cuenta.',
  elsewhere:
    'Las llaves de acceso no funcionan en esta dirección. Abre el servicio en la dirección que te dieron quienes lo gestionan.',
  failed: 'Tu navegador no pudo usar una llave de acceso. Inténtalo de nuevo o usa otro dispositivo.',
};
