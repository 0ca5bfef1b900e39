// The shape of the manual. Its text is in the manual.ts of each language's folder (web/text).

/** Topic is a page of the manual. */
export interface Topic {
  id: TopicId;
  title: string;
  /** about is one sentence for the list of topics. */
  about: string;
  /** words are what people may call it, for the search. */
  words: string;
  /**
   * text consists of paragraphs between empty lines. A paragraph may be a heading (##), or a list
   * whose lines begin with - or 1. It may have **bold** words, `code`, and [links](/address).
   * {palette} is the key of a shortcut.
   */
  text: string;
  /** picture is the name of a picture in public/help, with what is to be seen. */
  picture?: { name: string; alt: string };
}

export const topicIds = [
  'first-app',
  'import',
  'agent',
  'editing',
  'versions',
  'publishing',
  'data',
  'functions',
  'checks',
  'tasks',
  'sharing',
  'team',
  'models',
  'code',
  'keyboard',
  'privacy',
] as const;

export type TopicId = (typeof topicIds)[number];

/** News are what is new, by version, newest first. */
export interface News {
  /** id is kept in the browser once it was read. */
  id: string;
  title: string;
  text: string;
}

/** Block is a part of a text as it is shown. */
export type Block = { kind: 'heading' | 'text'; text: string } | { kind: 'list' | 'steps'; items: string[] };

/** blocksOf divides a text into its blocks. */
export function blocksOf(text: string): Block[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((part): Block => {
      const lines = part.split('\n').map((line) => line.trim());
      if (lines[0]!.startsWith('## ')) return { kind: 'heading', text: lines.join(' ').slice(3) };
      if (lines.every((line) => line.startsWith('- ')))
        return { kind: 'list', items: lines.map((line) => line.slice(2)) };
      if (lines.every((line) => /^\d+\. /.test(line)))
        return { kind: 'steps', items: lines.map((line) => line.replace(/^\d+\. /, '')) };
      return { kind: 'text', text: lines.join(' ') };
    });
}

/** Span is a part of a line. */
export type Span =
  | { kind: 'plain' | 'bold' | 'code' | 'key'; text: string }
  | { kind: 'link'; text: string; to: string };

/** spansOf divides a line into its spans. */
export function spansOf(line: string): Span[] {
  return line
    .split(/(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\)|\{\w+\})/)
    .filter(Boolean)
    .map((part): Span => {
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
      if (link) return { kind: 'link', text: link[1]!, to: link[2]! };
      if (part.startsWith('**')) return { kind: 'bold', text: part.slice(2, -2) };
      if (part.startsWith('`')) return { kind: 'code', text: part.slice(1, -1) };
      if (/^\{\w+\}$/.test(part)) return { kind: 'key', text: part.slice(1, -1) };
      return { kind: 'plain', text: part };
    });
}

/** search returns the topics that have all words of a query, those with them in the title first. */
export function search(topics: Topic[], query: string): Topic[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rank = ({ title, about, words: names }: Topic) => (has(title) ? 0 : has(`${title} ${about} ${names}`) ? 1 : 2);
  return topics
    .filter(({ title, about, words: names, text }) => has(`${title} ${about} ${names} ${text}`))
    .sort((a, b) => rank(a) - rank(b));
}
