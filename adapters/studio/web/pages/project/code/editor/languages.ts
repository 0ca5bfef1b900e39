import type { Extension } from '@codemirror/state';

interface Language {
  name: string;
  endings: string[];
  /** load fetches the language support when a file is opened. */
  load: () => Promise<Extension>;
}

const script = () => import('@codemirror/lang-javascript');
const markup = () => import('@codemirror/lang-html');

async function markdown(): Promise<Extension> {
  const pack = await import('@codemirror/lang-markdown');
  return pack.markdown({ base: pack.markdownLanguage });
}

const languages: Language[] = [
  {
    name: 'TypeScript',
    endings: ['ts', 'mts', 'cts'],
    load: async () => (await script()).javascript({ typescript: true }),
  },
  { name: 'TSX', endings: ['tsx'], load: async () => (await script()).javascript({ typescript: true, jsx: true }) },
  {
    name: 'JavaScript',
    endings: ['js', 'jsx', 'mjs', 'cjs'],
    load: async () => (await script()).javascript({ jsx: true }),
  },
  { name: 'CSS', endings: ['css', 'scss', 'less'], load: async () => (await import('@codemirror/lang-css')).css() },
  { name: 'HTML', endings: ['html', 'htm', 'vue', 'svelte', 'astro'], load: async () => (await markup()).html() },
  {
    name: 'XML',
    endings: ['svg', 'xml'],
    load: async () => (await markup()).html({ matchClosingTags: false, autoCloseTags: false }),
  },
  {
    name: 'JSON',
    endings: ['json', 'jsonc', 'webmanifest'],
    load: async () => (await import('@codemirror/lang-json')).json(),
  },
  { name: 'Markdown', endings: ['md', 'mdx', 'markdown'], load: markdown },
];

/** languageOf returns the language for a file name. */
export function languageOf(path: string): Language | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return languages.find(({ endings }) => endings.includes(ending));
}
