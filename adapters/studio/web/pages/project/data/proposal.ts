// Proposals: tables of a Postgres database as collections, which a person sees before they are kept.

import type { DataCollection, DataRules, FileEntry } from '~/api/types';

/** Proposal is a schema file that is not saved yet. */
export interface Proposal {
  schema: string;
  /** added are the names of its new collections. */
  added: string[];
  /** notes say what was left out or means something else. */
  notes?: string[];
}

/** Proposed is a new collection of a proposal. */
export interface Proposed extends Pick<DataCollection, 'name' | 'type' | 'rules'> {
  /** fields are the names of its fields. */
  fields: string[];
}

interface Declared {
  name: string;
  type: DataCollection['type'];
  fields: { name: string }[];
  listRule?: string;
  viewRule?: string;
  createRule?: string;
  updateRule?: string;
  deleteRule?: string;
}

/** migrationsOf returns the paths of a project's migrations of Supabase, in their order. */
export function migrationsOf(files: readonly FileEntry[]): string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => /(^|\/)supabase\/migrations\/[^/]+\.sql$/.test(path))
    .sort();
}

/** proposedIn returns the new collections of a proposal. */
export function proposedIn({ schema, added }: Proposal): Proposed[] {
  const { collections } = JSON.parse(schema) as { collections: Declared[] };
  return collections
    .filter(({ name }) => added.includes(name))
    .map(({ name, type, fields, ...rules }) => ({
      name,
      type,
      fields: fields.map((field) => field.name),
      rules: rulesOf(rules),
    }));
}

function rulesOf(rules: Omit<Declared, 'name' | 'type' | 'fields'>): DataRules {
  const { listRule, viewRule, createRule, updateRule, deleteRule } = rules;
  return {
    list: listRule ?? null,
    view: viewRule ?? null,
    create: createRule ?? null,
    update: updateRule ?? null,
    delete: deleteRule ?? null,
  };
}
