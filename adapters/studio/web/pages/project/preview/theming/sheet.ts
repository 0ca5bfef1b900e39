// The tokens in a project's style sheet: custom properties in @theme or :root, with their
// values for dark mode, wherever these are written.

/** Span is a range of the text, in UTF-16 units. */
interface Span {
  start: number;
  end: number;
}

export type Scheme = 'light' | 'dark';

/** Token is a custom property. dark is null if it has the same value in dark mode. */
export interface Token {
  name: string;
  kind: 'color' | 'length' | 'font';
  light: string;
  dark: string | null;
  places: { light: Span; dark: Span | null };
}

interface Declared {
  name: string;
  value: Span;
  isDark: boolean;
  /** around are the beginnings of the blocks that it is in. */
  around: string[];
}

const darkQuery = /prefers-color-scheme\s*:\s*dark/;
const darkSelector = /(^|[\s.:("'=[,-])dark\b/;
const baseSelector = /^(@theme\b.*|:root|html|:host|:root\s*,\s*:host)$/;

/** tokensOf reads the tokens of a style sheet that can be edited. */
export function tokensOf(text: string): Token[] {
  const all = declared(text);
  const tokens: Token[] = [];
  for (const name of new Set(all.map((one) => one.name))) {
    const light = all.findLast((one) => one.name === name && !one.isDark);
    if (!light) continue;
    const dark = all.findLast((one) => one.name === name && one.isDark)?.value ?? null;
    const both = inSchemes(text, light.value);
    const places = { light: both?.light ?? light.value, dark: dark ?? both?.dark ?? null };
    const of = (span: Span) => text.slice(span.start, span.end);
    const kind = kindOf(name, of(places.light));
    if (kind) tokens.push({ name, kind, light: of(places.light), dark: places.dark && of(places.dark), places });
  }
  return tokens;
}

function kindOf(name: string, value: string): Token['kind'] | null {
  if (/^font-(?!weight|size)|-font$|^font$/.test(name)) return 'font';
  if (/^-?\d*\.?\d+(px|rem|em)$/.test(value)) return 'length';
  return /^(#[0-9a-f]{3,8}|(rgb|hsl|hwb|oklch|oklab|lch|lab|color)a?\(.*\)|white|black)$/i.test(value) ? 'color' : null;
}

// inSchemes finds both values of light-dark().
function inSchemes(text: string, { start, end }: Span): { light: Span; dark: Span } | null {
  const head = /^light-dark\(/.exec(text.slice(start, end));
  if (!head || text[end - 1] !== ')') return null;
  let depth = 0;
  for (let at = start + head[0].length; at < end - 1; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (text[at] === ',' && depth === 0)
      return { light: trimmed(text, start + head[0].length, at), dark: trimmed(text, at + 1, end - 1) };
  }
  return null;
}

function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end);
  return { start: start + part.length - part.trimStart().length, end: end - part.length + part.trimEnd().length };
}

// masked replaces comments and strings, and keeps all positions.
function masked(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (part) =>
    '_'.repeat(part.length),
  );
}

// declared walks the blocks and finds custom properties at the root.
function declared(text: string): Declared[] {
  const plain = masked(text);
  const found: Declared[] = [];
  const around: string[] = [];
  let begin = 0;
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain[at];
    if (char !== '{' && char !== '}' && char !== ';') continue;
    if (char === '{')
      around.push(
        text
          .slice(begin, at)
          .replaceAll(/\/\*[\s\S]*?\*\//g, '')
          .trim(),
      );
    else {
      const one = declarationIn(text, plain, begin, at, around);
      if (one) found.push(one);
      if (char === '}') around.pop();
    }
    begin = at + 1;
  }
  return found;
}

function declarationIn(text: string, plain: string, begin: number, end: number, around: string[]): Declared | null {
  const head = /^[\s_]*--([\w-]+)\s*:/.exec(plain.slice(begin, end));
  const block = around.at(-1);
  if (!head || block === undefined) return null;
  const isDark = around.some((one) => darkQuery.test(one) || (!one.startsWith('@') && darkSelector.test(one)));
  const outer = around.slice(0, -1).every((one) => /^@(layer|media|supports)\b/.test(one));
  // Other queries, such as those of widths, set values for a part of the visitors.
  const isPartial = around.some((one) => one.startsWith('@media') && !darkQuery.test(one));
  if (!outer || isPartial || (!isDark && !baseSelector.test(block))) return null;
  return { name: head[1]!, value: trimmed(text, begin + head[0].length, end), isDark, around: [...around] };
}

/** withToken sets a token for a scheme. */
export function withToken(text: string, name: string, scheme: Scheme, value: string): string {
  const token = tokensOf(text).find((one) => one.name === name);
  if (!token) return text;
  const place = token.places[scheme];
  if (place) return text.slice(0, place.start) + value + text.slice(place.end);
  const { light } = token.places;
  if (/light-dark\(|color-scheme\s*:\s*light dark/.test(text))
    return `${text.slice(0, light.start)}light-dark(${token.light}, ${value})${text.slice(light.end)}`;
  return withDark(text, name, value);
}

// withDark adds a value to the block for dark mode, or a block for it.
function withDark(text: string, name: string, value: string): string {
  const last = declared(text).findLast(({ isDark }) => isDark);
  if (last) {
    const indent = /[ \t]*$/.exec(text.slice(0, text.lastIndexOf('--', last.value.start)))![0];
    const end = text[last.value.end] === ';' ? last.value.end + 1 : last.value.end;
    const joint = text[last.value.end] === ';' ? '' : ';';
    return `${text.slice(0, end)}${joint}\n${indent}--${name}: ${value};${text.slice(end)}`;
  }
  const usesClass = /@custom-variant\s+dark\b[^;]*\.dark\b/.test(text);
  const block = usesClass
    ? `.dark {\n  --${name}: ${value};\n}\n`
    : `@media (prefers-color-scheme: dark) {\n  :root {\n    --${name}: ${value};\n  }\n}\n`;
  return `${text.replace(/\n*$/, '\n\n')}${block}`;
}

/** rulesOf writes rules that show the values of some tokens before the page is built with them. */
export function rulesOf(text: string, names: Set<string>): string {
  return declared(text)
    .filter(({ name }) => names.has(name))
    .map(({ name, value, around }) => {
      const blocks = around
        .filter((one) => !one.startsWith('@layer'))
        .map((one) => (one.startsWith('@theme') ? ':root' : one));
      const open = blocks.map((one) => `${one} { `).join('');
      return `${open}--${name}: ${text.slice(value.start, value.end)};${' }'.repeat(blocks.length)}`;
    })
    .join('\n');
}

/** withTokens adds first tokens to a style sheet without any, after its imports. */
export function withTokens(text: string, usesTailwind: boolean): string {
  const block = [
    usesTailwind ? '@theme {' : ':root {',
    '  --color-background: #ffffff;',
    '  --color-foreground: #1c1917;',
    '  --color-primary: #4338ca;',
    '  --color-primary-foreground: #ffffff;',
    usesTailwind ? '  --radius-lg: 0.5rem;' : '  --radius: 0.5rem;',
    '  --font-sans: system-ui, sans-serif;',
    '}',
    '',
  ].join('\n');
  const imports = /^(?:\s|\/\*[\s\S]*?\*\/|@(?:charset|import)[^;]*;)*/.exec(text)![0];
  const at = imports.includes('@') ? imports.trimEnd().length : 0;
  const rest = text.slice(at).trimStart();
  return `${text.slice(0, at)}${at > 0 ? '\n\n' : ''}${block}${rest === '' ? '' : `\n${rest}`}`;
}

/** diffOf returns a unified diff with one hunk, '' if nothing changed. */
export function diffOf(path: string, before: string, after: string): string {
  if (before === after) return '';
  const [old, now] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - 2);
  const rest = Math.max(0, tail - 2);
  const [was, is] = [old.slice(from, old.length - rest), now.slice(from, now.length - rest)];
  const lines = (mark: string, all: string[]) =>
    all.map((line) => (line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`));
  const size = ({ length }: string[]) => (length === 0 ? `${from},0` : `${from + 1},${length}`);
  return [
    `--- a/${path}\n+++ b/${path}\n@@ -${size(was)} +${size(is)} @@\n`,
    ...lines(' ', old.slice(from, head)),
    ...lines('-', old.slice(head, old.length - tail)),
    ...lines('+', now.slice(head, now.length - tail)),
    ...lines(' ', old.slice(old.length - tail, old.length - rest)),
  ].join('');
}
