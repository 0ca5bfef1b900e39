import type { Text } from '../en';

export const front: Text['front'] = {
  headline: 'Describe una app. Mira cómo toma forma.',
  lead: 'Atelier es un estudio donde tú y un agente de IA creáis juntos aplicaciones web de verdad: di lo que quieres, cambia lo que sea a mano y publícalo con un clic.',
  fresh: 'Esta instalación es nueva.',
  invited: 'El registro es solo por invitación.',
  invitedWhy: 'Cómo entrar',
  wishKept: 'Lo crearemos en cuanto entres:',
  scenes: {
    habits: {
      title: 'Hábitos',
      done: 'Hoy: 2 de 3',
      items: ['Paseo matutino', 'Leer diez páginas', 'En la cama a las once'],
    },
    bakery: {
      name: 'Panadería Tilo',
      headline: 'Pan sin prisas',
      open: 'Abierto hasta las 18:00',
      breads: [
        ['Masa madre de la casa', '5,80'],
        ['Espelta con nueces', '6,20'],
        ['Caracola de canela', '2,40'],
      ],
    },
    quiz: {
      at: 'Pregunta 4 de 10',
      question: '¿Cuál es la capital de Australia?',
      choices: ['Sídney', 'Canberra', 'Melbourne', 'Perth'],
      right: 1,
      points: '4 puntos',
    },
  },
};
