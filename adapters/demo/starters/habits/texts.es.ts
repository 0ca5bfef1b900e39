/** Everything that the page says. */
export const texts = {
  language: 'es',
  title: 'Hábitos',
  lead: (done: number, all: number) => (done === all ? 'Todo hecho por hoy. ¡Hasta mañana!' : `${done} de ${all} hechos hoy`),
  today: 'Hoy',
  add: 'Añadir',
  newHabit: 'Nuevo hábito',
  placeholder: 'Beber un vaso de agua',
  remove: (name: string) => `Quitar ${name}`,
  streak: (days: number) => (days === 0 ? 'Empieza hoy' : days === 1 ? '1 día seguido' : `${days} días seguidos`),
  emptyTitle: 'Todavía no hay hábitos',
  emptyHint: 'Empieza por uno que lleve dos minutos.',
  calendar: 'Calendario',
  before: 'Mes anterior',
  after: 'Mes siguiente',
  dayDone: (day: string, done: number) => `${day}: ${done} hechos`,
  hint: 'Cuanto más intenso es el color de un día, más hiciste.',
  /** Sample habits, with how many days ago each was done. */
  samples: [
    { name: 'Pasear antes de desayunar', ago: [1, 2, 3, 4, 6, 7, 9, 10, 11, 14, 16] },
    { name: 'Leer diez páginas', ago: [0, 1, 2, 4, 5, 8, 9, 12] },
    { name: 'Apagar la luz a las once', ago: [1, 3, 4, 5, 10, 11, 15] },
  ],
}
