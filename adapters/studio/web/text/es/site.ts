import type { Workbench } from '../en/workbench';

export const site: Workbench['site'] = {
  title: 'Ajustes del sitio',
  hint: 'Lo que muestran los buscadores y los enlaces compartidos, y quién puede abrir el sitio. Los cambios se aplican al momento.',
  fields: {
    title: 'Título',
    description: 'Descripción',
    image: 'Imagen para enlaces compartidos',
    favicon: 'Icono de la pestaña',
    language: 'Idioma',
    notFound: 'Página 404',
  },
  hints: {
    title: 'Deja un campo vacío para usar lo que dicen las páginas.',
    description: 'Una o dos frases, para los resultados de búsqueda y los enlaces compartidos.',
    image: 'Un archivo del sitio o una dirección web, de unos 1200 × 630 píxeles.',
    favicon: 'Un archivo del sitio o una dirección web.',
    language: 'Por ejemplo en, es o pt-BR.',
    notFound: 'Una página del sitio. Sin ella, la app muestra la suya.',
  },
  wrong: {
    title: 'Usa una sola línea de hasta 200 caracteres.',
    description: 'Usa hasta 500 caracteres.',
    image: 'Escribe una dirección web con https:// o una ruta que empiece por /, como /picture.png.',
    favicon: 'Escribe una dirección web con https:// o una ruta que empiece por /, como /favicon.svg.',
    language: 'Escribe un código de idioma, como es o pt-BR.',
    notFound: 'Escribe la ruta de una página, como /404.html.',
  },
  index: 'Permitir que los buscadores muestren el sitio',
  indexHint: 'Tardan un poco en darse cuenta.',
  access: 'Quién puede abrir el sitio',
  accesses: {
    public: 'Todo el mundo',
    password: 'Quien tenga la contraseña',
    workspace: 'Miembros del espacio de trabajo',
  },
  accessHints: {
    public: 'Cualquiera que tenga la dirección.',
    password: 'Los visitantes escriben la contraseña una vez. Dura 30 días.',
    workspace: 'Los visitantes inician sesión en Atelier con su propia cuenta.',
  },
  password: 'Contraseña del sitio',
  passwordHint: 'Al menos 8 caracteres.',
  passwordKept: 'Déjala vacía para conservar la actual. Si la cambias, todos tendrán que escribir la nueva.',
  save: 'Guardar ajustes',
  saved: 'Ajustes guardados',
};

export const visits: Workbench['visits'] = {
  title: 'Visitas',
  hint: (days) => `Los últimos ${days} días. Sin cookies y sin identificar a los visitantes.`,
  none: 'Nadie ha abierto el sitio todavía.',
  total: (visits, views) => `Visitas: ${visits} · Páginas vistas: ${views}`,
  pages: 'Páginas',
  referrers: 'De dónde vienen los visitantes',
  others: 'Otros',
};
