// The languages of the studio: the folders beside this file. A language is its folder and
// nothing else.

import type { News, Topic } from '~/pages/help/manual';
import type { Text } from './en';
import type { Admin } from './en/admin';
import type { Workbench } from './en/workbench';
import type { Workspace } from './en/workspace';

/** Language is the tag of a language, such as de or pt-BR, after which its folder is named. */
export type Language = string;

/** base is the language whose texts are the type of the others, and come with every page. */
export const base = 'en';

const pages = import.meta.glob<{ text: Text }>(['./*/index.ts', '!./en/index.ts']);
const projects = import.meta.glob<{ workbench: Workbench }>(['./*/workbench.ts', '!./en/workbench.ts']);
const workspaces = import.meta.glob<{ workspace: Workspace }>(['./*/workspace.ts', '!./en/workspace.ts']);
const admins = import.meta.glob<{ admin: Admin }>(['./*/admin.ts', '!./en/admin.ts']);
const manuals = import.meta.glob<Manual>(['./*/manual.ts', '!./en/manual.ts']);

/** Manual is what a language's manual.ts exports. */
export interface Manual {
  topics: Topic[];
  news: News[];
}

const folderOf = (path: string) => path.split('/')[1]!;

/** languages are the tags of all languages, in the order of their names. */
export const languages: Language[] = [base, ...Object.keys(pages).map(folderOf)].sort((one, other) =>
  nameOf(one).localeCompare(nameOf(other), base),
);

/** nameOf is what a language calls itself, with a capital as in a list. */
export function nameOf(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

/** isLanguage says whether the studio speaks a language. */
export function isLanguage(tag: string | null): tag is Language {
  return tag !== null && languages.includes(tag);
}

/** loadPages loads the texts of a language, without those of projects. */
export async function loadPages(language: Language): Promise<Text> {
  return (await pages[`./${language}/index.ts`]!()).text;
}

/** loadProjects loads a language's texts of projects. */
export async function loadProjects(language: Language): Promise<Workbench> {
  if (language === base) return (await import('./en/workbench')).workbench;
  return (await projects[`./${language}/workbench.ts`]!()).workbench;
}

/** loadWorkspaces loads a language's texts of workspaces. */
export async function loadWorkspaces(language: Language): Promise<Workspace> {
  if (language === base) return (await import('./en/workspace')).workspace;
  return (await workspaces[`./${language}/workspace.ts`]!()).workspace;
}

/** loadAdmins loads a language's texts for the installation's admins. */
export async function loadAdmins(language: Language): Promise<Admin> {
  if (language === base) return (await import('./en/admin')).admin;
  return (await admins[`./${language}/admin.ts`]!()).admin;
}

/** loadManual loads the manual in a language. */
export function loadManual(language: Language): Promise<Manual> {
  return language === base ? import('./en/manual') : manuals[`./${language}/manual.ts`]!();
}

/**
 * bestOf is the first of the wanted languages that the studio speaks, in the wanted region
 * or any, or English.
 */
export function bestOf(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find((known) => tag.toLowerCase() === known.toLowerCase());
    const related = languages.find((known) => primary(tag) === primary(known));
    if (found ?? related) return (found ?? related)!;
  }
  return base;
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0];
