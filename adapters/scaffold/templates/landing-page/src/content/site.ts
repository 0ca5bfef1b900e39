/** Everything that the page says. */
export const site = {
  name: 'Northwind',
  headline: 'Plan together, ship on time',
  lead: 'One calm place for goals, tasks and decisions, so that your team always knows what comes next.',
  action: { label: 'Start for free', href: '#pricing' },
  secondAction: { label: 'See how it works', href: '#features' },
  features: [
    { title: 'One timeline', text: 'Goals, milestones and tasks on a single line that everybody can read.' },
    { title: 'Decisions that stay', text: 'Write down what was decided, and why. Find it again in a year.' },
    { title: 'Quiet by default', text: 'One summary a day in place of a hundred notifications.' },
    { title: 'Yours to take along', text: 'Export everything at any time, in formats that other tools read.' },
  ],
  plans: [
    { name: 'Team', price: '€0', per: 'for up to 5 people', points: ['Unlimited projects', '1 GB of files', 'Community support'] },
    { name: 'Company', price: '€8', per: 'per person and month', points: ['Everything in Team', 'Single sign-on', 'Support within a day'] },
  ],
  questions: [
    { question: 'Do I need a credit card?', answer: 'No. The Team plan is free for as long as you like.' },
    { question: 'Can I move my data here?', answer: 'Yes. Import from a spreadsheet or from the tools that you use now.' },
    { question: 'Where is my data kept?', answer: 'In data centres in the European Union.' },
  ],
}
