/** Everything that the page says. */
export const texts = {
  language: 'en',
  title: 'Habits',
  lead: (done: number, all: number) => (done === all ? 'All done for today. See you tomorrow.' : `${done} of ${all} done today`),
  today: 'Today',
  add: 'Add',
  newHabit: 'New habit',
  placeholder: 'Drink a glass of water',
  remove: (name: string) => `Remove ${name}`,
  streak: (days: number) => (days === 0 ? 'Starts today' : days === 1 ? '1 day in a row' : `${days} days in a row`),
  emptyTitle: 'No habits yet',
  emptyHint: 'Begin with one that takes two minutes.',
  calendar: 'Calendar',
  before: 'Month before',
  after: 'Month after',
  dayDone: (day: string, done: number) => `${day}: ${done} done`,
  hint: 'The stronger the color of a day, the more you did.',
  /** Sample habits, with how many days ago each was done. */
  samples: [
    { name: 'Walk before breakfast', ago: [1, 2, 3, 4, 6, 7, 9, 10, 11, 14, 16] },
    { name: 'Read ten pages', ago: [0, 1, 2, 4, 5, 8, 9, 12] },
    { name: 'Lights out by eleven', ago: [1, 3, 4, 5, 10, 11, 15] },
  ],
}
