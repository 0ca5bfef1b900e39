import { t } from '~/text';

type Name = keyof typeof t.preview.edit.names;

// The elements whose name is not that of a group.
const kinds: Record<string, Name> = {
  a: 'link',
  article: 'article',
  aside: 'aside',
  blockquote: 'quote',
  body: 'page',
  button: 'button',
  code: 'code',
  dialog: 'dialog',
  div: 'box',
  figure: 'figure',
  footer: 'footer',
  form: 'form',
  header: 'header',
  img: 'image',
  label: 'label',
  li: 'item',
  main: 'main',
  nav: 'navigation',
  ol: 'list',
  option: 'option',
  p: 'paragraph',
  picture: 'image',
  pre: 'code',
  section: 'section',
  select: 'choice',
  span: 'words',
  svg: 'icon',
  table: 'table',
  td: 'cell',
  th: 'cell',
  tr: 'row',
  ul: 'list',
  video: 'video',
};

const groups: [RegExp, Name][] = [
  [/^h[1-6]$/, 'heading'],
  [/^(b|i|em|strong|small|mark|u|s|sub|sup|abbr|time|cite|q)$/, 'words'],
  [/^(input|textarea)$/, 'field'],
  [/^(path|circle|rect|g|line|polyline|polygon|ellipse|use)$/, 'icon'],
];

/** nameOf names a kind of element in words that people use, not in HTML. */
export function nameOf(tag: string): string {
  const name = kinds[tag] ?? groups.find(([pattern]) => pattern.test(tag))?.[1] ?? 'other';
  return t.preview.edit.names[name];
}
