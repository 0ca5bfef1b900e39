export const front = {
  headline: 'Describe an app. Watch it take shape.',
  lead: 'Atelier is a studio where you and an AI agent build real web apps together: say what you want, change anything by hand, publish it with one click.',
  fresh: 'This is a new installation.',
  invited: 'Sign-up is by invitation only.',
  invitedWhy: 'How to get in',
  wishKept: 'We’ll build this as soon as you’re in:',
  scenes: {
    habits: {
      title: 'Habits',
      done: '2 of 3 done today',
      items: ['Morning walk', 'Read ten pages', 'In bed by eleven'],
    },
    bakery: {
      name: 'Linden Bakery',
      headline: 'Bread that takes its time',
      open: 'Open until 6 PM',
      breads: [
        ['House sourdough', '5.80'],
        ['Spelt with walnuts', '6.20'],
        ['Cinnamon knot', '2.40'],
      ] as [string, string][],
    },
    quiz: {
      at: 'Question 4 of 10',
      question: 'What is the capital of Australia?',
      choices: ['Sydney', 'Canberra', 'Melbourne', 'Perth'],
      right: 1,
      points: '4 points',
    },
  },
};
