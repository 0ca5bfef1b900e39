import { standardTokens } from './tokens';

/** Theme holds the tokens of a project that uses Tailwind, and where they are set. */
export interface Theme {
  /** path is the style sheet that imports Tailwind. */
  path: string;
  /** tokens are the values by name, without the hyphens in front: 'color-primary'. */
  tokens: Map<string, string>;
  /** own are the names of the tokens that the project sets. */
  own: Set<string>;
}

/** usesTailwind reports whether a style sheet imports Tailwind. */
export function usesTailwind(sheet: string): boolean {
  return /@import\s+(url\()?["']tailwindcss(\/[\w.-]+)?["']|@tailwind\s/.test(withoutComments(sheet));
}

/** readTheme reads the tokens of a style sheet, over those of Tailwind. */
export function readTheme(path: string, sheet: string): Theme {
  const tokens = standardTokens();
  const own = new Set<string>();
  for (const [, body] of blocksOf(withoutComments(sheet), /@theme[^{};]*\{/g)) {
    for (const [, name, value] of body!.matchAll(/--([a-z0-9-]+(?:-\*)?|\*)\s*:\s*([^;}]+)/g)) {
      const kind = name!.endsWith('*') ? name!.slice(0, -1) : null;
      if (kind !== null) {
        for (const token of [...tokens.keys()]) if (token.startsWith(kind)) tokens.delete(token);
        continue;
      }
      tokens.set(name!, value!.trim());
      own.add(name!);
    }
  }
  return { path, tokens, own };
}

// blocksOf finds blocks by their beginning, with what is between their braces.
function* blocksOf(sheet: string, begin: RegExp): Generator<[number, string]> {
  for (const { index, 0: head } of sheet.matchAll(begin)) {
    let depth = 1;
    let at = index + head.length;
    for (; at < sheet.length && depth > 0; at += 1) depth += sheet[at] === '{' ? 1 : sheet[at] === '}' ? -1 : 0;
    yield [index, sheet.slice(index + head.length, at - 1)];
  }
}

function withoutComments(sheet: string): string {
  return sheet.replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

const spaced =
  /^(padding|margin)(-(top|right|bottom|left))?$|^((row|column)-)?gap$|^(min-|max-)?(width|height)$|^(top|right|bottom|left)$/;

/**
 * inTokens writes a value as a token of the theme if one has exactly this value, and else
 * returns it as it is.
 */
export function inTokens(theme: Theme, property: string, value: string): string {
  const pixels = pixelsOf(value);
  if (pixels === null) return value;
  if (spaced.test(property)) {
    const unit = pixelsOf(theme.tokens.get('spacing') ?? '');
    const steps = unit ? pixels / unit : Number.NaN;
    return pixels !== 0 && Number.isInteger(steps * 2) && Math.abs(steps) <= 96
      ? `calc(var(--spacing) * ${steps})`
      : value;
  }
  const kind = { 'font-size': 'text-', 'border-radius': 'radius-' }[property];
  if (!kind) return value;
  const found = [...theme.tokens].find(
    ([name, token]) => name.startsWith(kind) && !name.includes('--') && pixelsOf(token) === pixels,
  );
  return found ? `var(--${found[0]})` : value;
}

/** plainValue resolves the tokens in a value, to pixels where it is a length. */
export function plainValue(theme: Theme, value: string): string {
  const spacing = /^calc\(var\(--spacing\) \* (-?[\d.]+)\)$/.exec(value);
  if (spacing) {
    const unit = pixelsOf(theme.tokens.get('spacing') ?? '');
    return unit === null ? value : `${unit * Number(spacing[1])}px`;
  }
  const token = tokenIn(value);
  const plain = (token !== null && theme.tokens.get(token)) || value;
  const pixels = pixelsOf(plain);
  return pixels === null ? plain : `${pixels}px`;
}

/** tokenIn returns the name of the token that a value is, or null. */
export function tokenIn(value: string | undefined): string | null {
  return /^var\(--([a-z0-9-]+)(?:,.*)?\)$/.exec(value ?? '')?.[1] ?? null;
}

function pixelsOf(value: string): number | null {
  const found = /^(-?\d*\.?\d+)(px|rem)$/.exec(value.trim());
  if (!found) return value.trim() === '0' ? 0 : null;
  return Number((Number(found[1]) * (found[2] === 'rem' ? 16 : 1)).toFixed(4));
}

/** Colour is a colour of the theme. */
export interface Colour {
  name: string;
  value: string;
}

/** coloursOf returns the project's own colours, and all hues with their shades. */
export function coloursOf({ tokens, own }: Theme): { own: Colour[]; hues: Colour[][] } {
  const all = [...tokens]
    .filter(([name]) => name.startsWith('color-'))
    .map(([name, value]) => ({ name: name.slice('color-'.length), value }));
  const hues = new Map<string, Colour[]>();
  for (const colour of all) {
    const hue = /^([a-z]+)-\d+$/.exec(colour.name)?.[1];
    if (hue && !own.has(`color-${colour.name}`)) hues.set(hue, [...(hues.get(hue) ?? []), colour]);
  }
  const mine = all.filter(({ name }) => own.has(`color-${name}`));
  const plain = all.filter(({ name }) => !own.has(`color-${name}`) && !/-\d+$/.test(name));
  return { own: [...mine, ...plain], hues: [...hues.values()] };
}
