// The texts of the studio. start sets `t` to the user's language, so use `t` inside
// functions only, never at the top level of a module.

import { browserStorage } from '~/storage';
import { type Text, text } from './en';
import type { Admin } from './en/admin';
import type { Workbench } from './en/workbench';
import type { Workspace } from './en/workspace';
import {
  base,
  bestOf,
  isLanguage,
  type Language,
  loadAdmins,
  loadPages,
  loadProjects,
  loadWorkspaces,
} from './languages';

export { type Language, languages, nameOf } from './languages';

/**
 * t are the texts. Those of projects are there once loadWorkbench is done, those of workspaces
 * once loadWorkspace is, and those of the installation's admins once loadAdmin is.
 */
export const t = { ...text } as Text & Workbench & { workspace: Workspace; admin: Admin };

let language: Language = base;

/** start selects the language: the stored choice, else the browser's, else English. */
export async function start(): Promise<void> {
  const kept = browserStorage.text(memory);
  language = isLanguage(kept) ? kept : bestOf(navigator.languages);
  if (language !== base) Object.assign(t, await loadPages(language));
  document.documentElement.lang = language;
}

/** loadWorkbench adds the texts of projects, without which other pages load faster. */
export async function loadWorkbench(): Promise<void> {
  Object.assign(t, await loadProjects(language));
}

/** loadWorkspace adds the texts of the pages of workspaces, and of their models. */
export async function loadWorkspace(): Promise<void> {
  Object.assign(t, { workspace: await loadWorkspaces(language) });
}

/** loadAdmin adds the texts of the pages for the installation's admins. */
export async function loadAdmin(): Promise<void> {
  Object.assign(t, { admin: await loadAdmins(language) });
}

const memory = 'atelier.language';

/** choose changes the language and reloads the page. */
export function choose(next: Language): void {
  browserStorage.setText(memory, next);
  location.reload();
}

export function currentLanguage(): Language {
  return language;
}

/**
 * isolate wraps a name in bidi isolates, so that its direction does not affect the
 * surrounding text.
 */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}

/** day formats the date of a time in the user's time zone. */
export function day(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(iso));
}

/** number formats a number for the user's locale. */
export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language, options).format(value);
}

/** list joins parts by commas and an “and”. */
export function list(parts: string[]): string {
  return new Intl.ListFormat(language).format(parts);
}

/** money formats US dollars. Small amounts get more digits. */
export function money(value: number): string {
  const digits = value > 0 && value < 0.1 ? 4 : 2;
  return number(value, { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: digits });
}

export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(1000)));
  return number(value / 1000 ** step, {
    style: 'unit',
    unit: units[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
}

/** sentence gives a text a capital letter and a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** moment formats a date and time in the user's time zone. */
export function moment(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

/** ago formats a time relative to now. */
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
