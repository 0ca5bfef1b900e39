import type { Workbench } from '../en/workbench';

export const signIns: Workbench['data']['signIns'] = {
  title: 'Inicio de sesión',
  hint: {
    test: 'Permite iniciar sesión en la vista previa con una cuenta que ya se tenga, como la de Google o GitHub.',
    live: 'Permite que los visitantes de tu sitio publicado inicien sesión con una cuenta que ya tengan, como la de Google o GitHub.',
  },
  locked: 'Solo para administradores',
  lockedHint:
    'Solo los administradores del espacio de trabajo pueden decidir cómo inician sesión los visitantes del sitio publicado.',
  add: 'Añadir proveedor',
  change: 'Cambiar',
  changeTitle: (name) => `Cambiar ${name}`,
  remove: 'Quitar',
  removeTitle: (name) => `¿Quitar ${name}?`,
  removeText: {
    test: 'Nadie podrá iniciar sesión con él en la vista previa. Quienes ya lo hicieron siguen en los datos y pueden elegir una contraseña por correo.',
    live: 'Los visitantes dejarán de poder iniciar sesión con él de inmediato. Quienes ya lo hicieron siguen en los datos y pueden elegir una contraseña por correo.',
  },
  removed: 'Proveedor quitado',
  gone: 'Este proveedor ya no existe.',
  saved: 'Proveedor guardado. Funciona desde ahora.',
  saveLiveTitle: '¿Cambiar cómo inician sesión los visitantes?',
  saveLiveText: 'El cambio afecta de inmediato a todos los visitantes de tu sitio publicado.',
  saveLive: 'Cambiar el inicio de sesión real',
  none: 'Todavía no hay proveedores',
  noneHint: {
    test: 'Añade uno y pruébalo en la vista previa. El sitio publicado tiene sus propios proveedores.',
    live: 'Añade uno para los visitantes del sitio publicado. Los de los datos de prueba no se usan allí.',
  },
  noUsers:
    'Aún no hay personas en estos datos, así que nadie puede iniciar sesión. Pide al agente una colección de usuarios.',
  usersWish: 'Permite que los visitantes se registren e inicien sesión.',
  askButtons: 'Pedir los botones al agente',
  buttonsWish: (names) =>
    `Añade a la página botones para iniciar sesión con ${names}. Los proveedores están configurados en Datos, Inicio de sesión.`,
  secretKept: 'secreto guardado',
  clientId: 'ID de cliente',

  redirect: 'Dirección de redirección',
  redirectHint: 'Escríbela en cada proveedor. Las personas vuelven a ella después de iniciar sesión.',
  redirectAlso: 'Esta también funciona:',
  noRedirect: 'Tendrás la dirección cuando publiques el proyecto.',
  publish: 'Ir a Publicar',

  provider: 'Proveedor',
  kindNames: {
    oidc: 'Otro (OpenID Connect)',
    oidc2: 'Otro (OpenID Connect), segundo',
    oidc3: 'Otro (OpenID Connect), tercero',
  },
  where: 'Dónde conseguir el ID y el secreto',
  open: (name) => `Abrir la página de ${name}`,
  guide: (name) =>
    `Entra en ${name} como desarrollador y registra allí una aplicación (a veces se llama cliente o app). Escribe la dirección de redirección y copia aquí el ID y el secreto.`,
  guides: {
    google:
      'En la consola de Google Cloud, crea un cliente de OAuth del tipo «Aplicación web». Escribe la dirección de abajo entre los URI de redireccionamiento autorizados y copia el ID y el secreto del cliente.',
    github:
      'En GitHub, abre Settings, Developer settings, OAuth Apps, y registra una nueva. Escribe la dirección de abajo como «authorization callback URL». Copia el ID de cliente y genera un secreto.',
    microsoft:
      'En Microsoft Entra, registra una aplicación web con la dirección de abajo como URI de redirección. El ID de la aplicación es el ID de cliente. El secreto está en «Certificados y secretos»: copia su valor, no su ID.',
    apple:
      'Apple exige una cuenta de desarrollador de pago. Crea un Services ID con «Sign in with Apple» y escribe la dirección de abajo. El Services ID es el ID de cliente. Después crea en Keys una clave para «Sign in with Apple» y descárgala. Con ella, el servidor genera los secretos que pide Apple.',
    oidc: 'Sirve cualquier servicio que hable OpenID Connect, como Keycloak, Auth0 u Okta. Registra allí una aplicación web con la dirección de abajo. Las tres direcciones están en /.well-known/openid-configuration del servicio, como authorization_endpoint, token_endpoint y userinfo_endpoint.',
  },
  clientSecret: 'Secreto de cliente',
  secretHint: 'Se guarda cifrado. Nadie puede volver a verlo.',
  secretKeptHint: 'Hay un secreto guardado. Deja esto vacío para conservarlo o escribe uno nuevo.',
  secretAgain: 'Escribe el secreto otra vez, porque ha cambiado el ID de cliente o la URL de tokens.',
  teamId: 'ID del equipo',
  keyId: 'ID de la clave',
  privateKey: 'Clave privada (el contenido del archivo .p8)',
  displayName: 'Nombre en el botón',
  displayNameHint: (name) => `Déjalo vacío para usar «${name}».`,
  more: 'Más ajustes',
  ownAddresses: 'Las direcciones solo hacen falta para tu propio servidor o inquilino.',
  authURL: 'URL de autorización',
  tokenURL: 'URL de tokens',
  userInfoURL: 'URL de información del usuario',
  pkce: 'PKCE',
  pkceHint: 'Una protección adicional. Cámbiala solo si el proveedor lo pide.',
  pkceChoices: { '': 'Lo habitual del proveedor', on: 'Siempre', off: 'Nunca' },
  wrong: {
    missing: 'No puede quedar vacío.',
    long: 'Es demasiado largo.',
    line: 'Usa una sola línea, sin caracteres de control.',
    address: 'Usa una dirección que empiece por https://, sin nombre de usuario y sin #.',
    appleId: 'Usa 10 letras mayúsculas y cifras, como aparecen en las páginas de Apple para desarrolladores.',
    key: 'Pega el archivo completo, desde -----BEGIN PRIVATE KEY----- hasta -----END PRIVATE KEY-----.',
    again: 'Escribe el secreto otra vez, porque ha cambiado el ID de cliente o la URL de tokens.',
    private: 'Esta dirección está en una red privada, a la que este servidor no puede acceder.',
    refused: 'Este valor no se aceptó. Compáralo con lo que muestra el proveedor.',
  },
};
