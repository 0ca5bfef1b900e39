// All words of the studio. `t` holds them in the reader's language from the moment
// in which start has been awaited; so use it inside functions, never while a module
// is loaded.

import { browserStorage } from '~/storage';
import { en, type Text } from './en';
export type Language = 'en' | 'de';

export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch' };

export const t: Text = { ...en };

let language: Language = 'en';

/** start chooses the language: the chosen one, else the browser's, else English. */
export async function start(): Promise<void> {
  language =
    chosen() ??
    (navigator.languages.some((tag) => tag.startsWith('de')) && !navigator.language.startsWith('en') ? 'de' : 'en');
  if (language === 'de') Object.assign(t, (await import('./de')).de);
  document.documentElement.lang = language;
}

const memory = 'atelier.language';

function chosen(): Language | null {
  const kept = browserStorage.text(memory);
  return kept === 'en' || kept === 'de' ? kept : null;
}

/** choose changes the language, which shows all pages anew. */
export function choose(next: Language): void {
  browserStorage.setText(memory, next);
  location.reload();
}

export function currentLanguage(): Language {
  return language;
}

/** isolate keeps the direction of a name from turning the words around it. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}

/** day writes the date of a time in the reader's zone. */
export function day(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(iso));
}

/** number writes a number as the reader does. */
export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language, options).format(value);
}

/** money writes US dollars, small sums with as many digits as they need. */
export function money(value: number): string {
  const digits = value > 0 && value < 0.1 ? 4 : 2;
  return number(value, { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: digits });
}

/** bytes writes a size. */
export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(1000)));
  return number(value / 1000 ** step, {
    style: 'unit',
    unit: units[step],
    unitDisplay: 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
}

/** moment writes a time in the reader's zone, in full. */
export function moment(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** ago writes how long ago a time was. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['year', 31536000],
    ['month', 2592000],
    ['week', 604800],
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
  ];
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return t.shell.justNow;
}
