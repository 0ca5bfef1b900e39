// Whether people can read the theme's colours on each other.

import type { Scheme, Token } from './sheet';

export type Rgb = readonly [number, number, number];

/** leastContrast is what WCAG 2.2 asks of text. */
export const leastContrast = 4.5;

/** contrast returns the ratio of two colours by WCAG, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Weak is a pair of tokens that is hard to read in a scheme. */
export interface Weak {
  text: string;
  ground: string;
  ratio: number;
}

/**
 * weakPairs finds text and grounds that belong together by their names, and have too little
 * contrast. rgbOf returns null for what is no opaque colour.
 */
export function weakPairs(tokens: Token[], scheme: Scheme, rgbOf: (value: string) => Rgb | null): Weak[] {
  const colours = tokens.filter(({ kind }) => kind === 'color');
  const coded = (token: Token) => rgbOf((scheme === 'dark' && token.dark) || token.light);
  const weak: Weak[] = [];
  for (const text of colours) {
    const ground = groundOf(text.name, colours);
    const [front, back] = [coded(text), ground && coded(ground)];
    if (!front || !back || !ground) continue;
    const ratio = contrast(front, back);
    if (ratio < leastContrast) weak.push({ text: text.name, ground: ground.name, ratio });
  }
  return weak;
}

function groundOf(name: string, colours: Token[]): Token | undefined {
  const plain = name.replace(/^colou?r-/, '');
  const find = (pattern: RegExp) => colours.find((one) => pattern.test(one.name.replace(/^colou?r-/, '')));
  const own = /^(.+)-foreground$/.exec(plain)?.[1] ?? /^on-(.+)$/.exec(plain)?.[1];
  if (own && own !== 'muted') {
    const escaped = own.replaceAll(/[^\w-]/g, '');
    return find(new RegExp(`^${escaped}$`));
  }
  if (
    /^(text|foreground|ink|body|muted|muted-foreground|fg)$/.test(plain) &&
    !(plain === 'muted' && find(/^muted-foreground$/))
  )
    return find(/^(background|page|paper|bg|canvas|surface)$/);
  return undefined;
}
