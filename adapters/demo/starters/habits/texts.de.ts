/** Everything that the page says. */
export const texts = {
  language: 'de',
  title: 'Gewohnheiten',
  lead: (done: number, all: number) => (done === all ? 'Für heute alles geschafft. Bis morgen!' : `${done} von ${all} heute geschafft`),
  today: 'Heute',
  add: 'Hinzufügen',
  newHabit: 'Neue Gewohnheit',
  placeholder: 'Ein Glas Wasser trinken',
  remove: (name: string) => `${name} entfernen`,
  streak: (days: number) => (days === 0 ? 'Beginnt heute' : days === 1 ? '1 Tag in Folge' : `${days} Tage in Folge`),
  emptyTitle: 'Noch keine Gewohnheiten',
  emptyHint: 'Beginnen Sie mit einer, die zwei Minuten dauert.',
  calendar: 'Kalender',
  before: 'Voriger Monat',
  after: 'Nächster Monat',
  dayDone: (day: string, done: number) => `${day}: ${done} geschafft`,
  hint: 'Je kräftiger die Farbe eines Tages, desto mehr war geschafft.',
  /** Gewohnheiten zur Probe, und vor wie vielen Tagen sie geschafft waren. */
  samples: [
    { name: 'Spaziergang vor dem Frühstück', ago: [1, 2, 3, 4, 6, 7, 9, 10, 11, 14, 16] },
    { name: 'Zehn Seiten lesen', ago: [0, 1, 2, 4, 5, 8, 9, 12] },
    { name: 'Um elf das Licht aus', ago: [1, 3, 4, 5, 10, 11, 15] },
  ],
}
