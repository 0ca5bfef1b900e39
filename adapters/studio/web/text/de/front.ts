import type { Text } from '../en';

export const front: Text['front'] = {
  headline: 'Beschreiben Sie eine App. Sehen Sie, wie sie entsteht.',
  lead: 'In Atelier bauen Sie zusammen mit einem KI-Agenten echte Web-Apps: sagen, was Sie möchten, alles von Hand ändern, mit einem Klick veröffentlichen.',
  fresh: 'Diese Installation ist neu.',
  invited: 'Konten gibt es hier auf Einladung.',
  invitedWhy: 'Was tun?',
  wishKept: 'Das wird gebaut, sobald Sie angemeldet sind:',
  scenes: {
    habits: {
      title: 'Gewohnheiten',
      done: 'Heute 2 von 3 geschafft',
      items: ['Spazieren gehen', 'Zehn Seiten lesen', 'Um elf ins Bett'],
    },
    bakery: {
      name: 'Bäckerei Linde',
      headline: 'Brot, das sich Zeit lässt',
      open: 'Offen bis 18 Uhr',
      breads: [
        ['Sauerteigbrot', '5,80'],
        ['Dinkel mit Walnuss', '6,20'],
        ['Zimtknoten', '2,40'],
      ],
    },
    quiz: {
      at: 'Frage 4 von 10',
      question: 'Wie heißt die Hauptstadt von Australien?',
      choices: ['Sydney', 'Canberra', 'Melbourne', 'Perth'],
      right: 1,
      points: '4 Punkte',
    },
  },
};
