/** Everything that the page says. */
export const site = {
  name: 'Northwind',
  headline: 'Plan together, ship on time',
  lead: 'One calm timeline for goals, tasks and decisions, so that your team always knows what comes next, and what can wait.',
  action: { label: 'Start for free', href: '#pricing' },
  secondAction: { label: 'See a week with it', href: '#week' },
  assurance: 'Free for up to five people. No card needed.',
  timeline: {
    title: 'Spring release',
    due: 'Ships 28 May',
    /** The rows: from and to are weeks, from 1 to 12. */
    rows: [
      { task: 'Research', who: 'Mira', from: 1, to: 4, state: 'done' },
      { task: 'New checkout', who: 'Jonas', from: 3, to: 9, state: 'now' },
      { task: 'Help pages', who: 'Ada', from: 6, to: 10, state: 'now' },
      { task: 'Beta', who: 'Everyone', from: 9, to: 12, state: 'next' },
      { task: 'Launch', who: 'Mira', from: 12, to: 13, state: 'goal' },
    ],
    today: 7,
    caption: 'A timeline of the spring release: research is done, the new checkout and the help pages are under way, the beta and the launch come next.',
  },
  features: [
    { title: 'One timeline', text: 'Goals, milestones and tasks on a single line that everybody can read, from the founder to the intern.' },
    { title: 'Decisions that stay', text: 'Write down what was decided, and why. Find it again in a year, in the place where it mattered.' },
    { title: 'Quiet by default', text: 'One summary each morning in place of a hundred notifications. What is urgent still reaches you.' },
    { title: 'Yours to take along', text: 'Export everything at any time, in formats that spreadsheets and other tools read.' },
  ],
  week: [
    { day: 'Monday', title: 'Set the course', text: 'Fifteen minutes: the team sees what is late, what is free, and picks three things that matter.' },
    { day: 'Wednesday', title: 'Note the turns', text: 'A date slips? Move the bar. Northwind shows whom it concerns and asks for the reason once.' },
    { day: 'Friday', title: 'Look back', text: 'A page that wrote itself: what shipped, what was decided, what moved. Ready to send to your client.' },
  ],
  plans: [
    {
      name: 'Team',
      price: '€0',
      per: 'for up to 5 people',
      points: ['Unlimited projects', '1 GB of files', 'Community support'],
      action: 'Start for free',
      href: 'mailto:hello@northwind.example?subject=Team',
      best: false,
    },
    {
      name: 'Company',
      price: '€8',
      per: 'per person and month',
      points: ['Everything in Team', 'Single sign-on and roles', '100 GB of files', 'Support within a day'],
      action: 'Try it for 30 days',
      href: 'mailto:hello@northwind.example?subject=Company',
      best: true,
    },
  ],
  questions: [
    { question: 'Do I need a credit card?', answer: 'No. The Team plan is free for as long as you like, and the trial of Company ends by itself.' },
    { question: 'Can I move my data here?', answer: 'Yes. Import from a spreadsheet or from the tools that you use now; dates, people and comments come along.' },
    { question: 'Where is my data kept?', answer: 'In data centres in the European Union, encrypted, with a backup each night.' },
    { question: 'What if we grow beyond five?', answer: 'Nothing stops. Everything stays readable, and you have a month to choose a plan.' },
  ],
  closing: { title: 'Your next deadline can be a calm one', text: 'Set up your first timeline in the time that a coffee takes to cool.' },
}
