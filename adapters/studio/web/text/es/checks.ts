import type { Workbench } from '../en/workbench';
import { plural } from './words';

export const checks: Workbench['checks'] = {
  title: 'Pruebas',
  hint: 'Lo que tiene que funcionar en tus páginas. El agente guarda una prueba cuando ha comprobado algo. Se ejecutan en un navegador después de cada turno y antes de publicar, con datos de prueba nuevos.',
  none: 'Todavía no hay pruebas',
  noneHint: 'Pide al agente que compruebe algo en la página y lo guarde como prueba.',
  play: 'Ejecutar',
  playOne: (title) => `Ejecutar «${title}»`,
  playAll: 'Ejecutar todas',
  playing: 'Ejecutando las pruebas…',
  played: (passed, all) =>
    passed === all
      ? plural(all, { one: 'La prueba ha pasado.', other: 'Las # pruebas han pasado.' })
      : `Han pasado ${passed} de ${all} pruebas.`,
  results: { passed: 'Pasó', failed: 'Falló', never: 'Nunca ejecutada' },
  wrong: 'No se puede leer',
  step: (step) => `Paso ${step}`,
  line: (line) => `Línea ${line}`,
  picture: 'Imagen del fallo',
  pictureOf: (title) => `La página donde falló «${title}» por última vez`,
  edit: 'Editar',
  editOne: (title) => `Editar «${title}»`,
  deleteOne: (title) => `Eliminar «${title}»`,
  deleteTitle: '¿Eliminar esta prueba?',
  deleteText: (title) => `«${title}» ya no se ejecutará. Su archivo se conserva en las versiones anteriores.`,
  deleted: 'Prueba eliminada',
  unavailable: 'Aquí no hay navegador, así que las pruebas no se pueden ejecutar y ninguna impide publicar.',
  failed: 'Hay pruebas que fallan, así que no se publicó nada. El sitio no ha cambiado.',
  ignore: 'Publicar de todos modos',
  fix: 'Arreglar con IA',
  fixText: (list) => `Estas pruebas fallan. Averigua por qué y arréglalo:\n${list}`,
  inChat: { passed: 'Prueba superada:', failed: 'Prueba fallida:' },
};
