import { plural } from './words';

export const help = {
  title: 'Manual',
  hint: 'How to build, change, and publish with Atelier. You don’t need to know how to program.',
  topics: 'Topics',
  search: 'Search the manual…',
  found: (count: number) => plural(count, { one: '# topic', other: '# topics' }),
  none: 'No topics match. Try other words, or ask the agent in a project.',
  next: (title: string) => `Next: ${title}`,
  news: 'What’s new',
  unread: 'new',
};
