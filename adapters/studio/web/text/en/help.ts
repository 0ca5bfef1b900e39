import { plural } from './words';

export const help = {
  title: 'Manual',
  hint: 'How to build, change and publish with Atelier. No knowledge of programming needed.',
  topics: 'Topics of the manual',
  search: 'Search the manual…',
  found: (count: number) => plural(count, { one: '# topic', other: '# topics' }),
  none: 'No topic has these words. Try another one, or ask the agent in a project.',
  next: (title: string) => `Next: ${title}`,
  news: 'What’s new',
  unread: 'new',
};
