// The values of records: how they are displayed, edited and sent.

import type { DataCollection, DataField, DataRecord } from '~/api/types';
import { moment } from '~/text';

const field = (name: string, type: string, required = false): DataField => ({ name, type, required, multiple: false });

// userFields exist in every collection of users, even if the schema does not list them.
const userFields = [field('email', 'email', true), field('verified', 'bool'), field('emailVisibility', 'bool')];

/** systemFields are shown only to who asks for them. */
export const systemFields: readonly string[] = ['verified', 'emailVisibility'];

const hiddenFields = ['password', 'tokenKey', 'collectionId', 'collectionName', 'expand'];

/**
 * fieldsOf returns the fields of a collection's records in display order. For a view, they
 * come from its records.
 */
export function fieldsOf(collection: DataCollection, sample?: DataRecord): DataField[] {
  const own = collection.fields.filter(({ name }) => name !== 'id' && !hiddenFields.includes(name));
  const more = collection.type === 'auth' ? userFields.filter(({ name }) => own.every((one) => one.name !== name)) : [];
  const known = [...more, ...own];
  const others =
    collection.type === 'view'
      ? Object.keys(sample ?? {})
          .filter((name) => name !== 'id' && !hiddenFields.includes(name) && known.every((one) => one.name !== name))
          .map((name) => field(name, typeof sample![name] === 'object' ? 'json' : 'text'))
      : [];
  const all = [...known, ...others];
  // Put the creation and modification times last.
  return [...all.filter(({ type }) => type !== 'autodate'), ...all.filter(({ type }) => type === 'autodate')];
}

/** inputsOf returns the editable fields. It includes the password, which is never displayed. */
export function inputsOf(collection: DataCollection, isNew: boolean): DataField[] {
  const inputs = fieldsOf(collection).filter(({ type }) => type !== 'autodate');
  return collection.type === 'auth' ? [...inputs, field('password', 'password', isNew)] : inputs;
}

/** labelOf returns the label of a record in relation fields. */
export function labelOf(record: DataRecord, collection: DataCollection | undefined): string {
  const texts = (collection?.fields ?? []).filter(({ type }) => type === 'text').map(({ name }) => name);
  const usual = ['name', 'title', 'label', 'subject', 'username', 'email'];
  for (const name of [...usual, ...texts.filter((name) => name !== 'id')]) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return record.id;
}

/** listOf returns the values of a field with one or several values. */
export function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' && value !== '' ? [value] : [];
}

/** Files are the kept and the added files of a record. */
export interface Files {
  kept: string[];
  added: File[];
}

/** Input is a value being edited; JSON, numbers and dates are text. */
export type Input = string | boolean | string[] | Files;

/** inputOf converts a field's value to an input. */
export function inputOf({ type, multiple }: DataField, value: unknown): Input {
  switch (type) {
    case 'bool':
      return value === true;
    case 'file':
      return { kept: listOf(value), added: [] };
    case 'relation':
      return listOf(value);
    case 'select':
      return multiple ? listOf(value) : (listOf(value)[0] ?? '');
    case 'json':
    case 'geoPoint':
      return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
    case 'date':
      return localTime(value);
    case 'password':
      return '';
  }
  return value === null || value === undefined ? '' : String(value);
}

// localTime formats a date for a datetime-local input, in the user's time zone.
function localTime(value: unknown): string {
  const at = typeof value === 'string' && value !== '' ? new Date(value.replace(' ', 'T')) : null;
  if (!at || Number.isNaN(at.getTime())) return '';
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, local.endsWith(':00.000Z') ? 16 : local.endsWith('.000Z') ? 19 : 23);
}

/** Wrong maps invalid fields to the expected type. */
export type Wrong = Record<string, 'number' | 'json' | 'date'>;

/** Draft maps field names to their inputs. */
export type Draft = Record<string, Input>;

/** draftOf returns the draft of an existing or a new record. */
export function draftOf(inputs: DataField[], record: DataRecord | null): Draft {
  return Object.fromEntries(inputs.map((one) => [one.name, inputOf(one, record?.[one.name])]));
}

/** isSame reports whether two inputs are equal. */
export function isSame(a: Input, b: Input): boolean {
  const plain = (value: Input) =>
    isFiles(value) ? [value.kept, value.added.map(({ name, size }) => [name, size])] : value;
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

function isFiles(value: Input): value is Files {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Sent is the request body for a draft, null if nothing changed; wrong has the invalid fields. */
export interface Sent {
  body: Record<string, unknown> | FormData | null;
  wrong: Wrong;
}

/** sentOf converts the changed inputs of a draft to a request body. */
export function sentOf(inputs: DataField[], record: DataRecord | null, draft: Draft): Sent {
  const wrong: Wrong = {};
  const values: Record<string, unknown> = {};
  const files: [string, File][] = [];
  const before = draftOf(inputs, record);
  for (const one of inputs) {
    const input = draft[one.name]!;
    if (isSame(input, before[one.name]!)) continue;
    if (isFiles(input)) {
      Object.assign(values, filesGone(one, before[one.name] as Files, input));
      for (const file of input.added) files.push([one.multiple ? `${one.name}+` : one.name, file]);
      continue;
    }
    try {
      Object.assign(values, valuesOf(one, input));
    } catch {
      wrong[one.name] = one.type === 'number' ? 'number' : one.type === 'date' ? 'date' : 'json';
    }
  }
  if (files.length > 0) {
    const form = new FormData();
    form.append('@jsonPayload', JSON.stringify(values));
    for (const [name, file] of files) form.append(name, file);
    return { body: form, wrong };
  }
  return { body: record && Object.keys(values).length === 0 ? null : values, wrong };
}

function filesGone(one: DataField, before: Files, now: Files): Record<string, unknown> {
  const gone = before.kept.filter((name) => !now.kept.includes(name));
  if (gone.length === 0) return {};
  if (one.multiple) return { [`${one.name}-`]: gone };
  return now.added.length > 0 ? {} : { [one.name]: '' };
}

// valuesOf converts an input to the value for the service. It throws if the text is invalid.
function valuesOf({ name, type, multiple }: DataField, input: string | boolean | string[]): Record<string, unknown> {
  if (typeof input === 'boolean') return { [name]: input };
  if (Array.isArray(input)) return { [name]: type === 'relation' && !multiple ? (input[0] ?? '') : input };
  switch (type) {
    case 'number': {
      const number = Number(input);
      if (!Number.isFinite(number)) throw new RangeError('no number');
      return { [name]: number };
    }
    case 'json':
    case 'geoPoint':
      return { [name]: input.trim() === '' ? null : JSON.parse(input) };
    case 'date':
      return { [name]: input === '' ? '' : new Date(input).toISOString().replace('T', ' ') };
    case 'password':
      return { password: input, passwordConfirm: input };
  }
  return { [name]: input };
}

const searched = ['text', 'email', 'url', 'editor', 'select', 'number', 'date'];

/**
 * filterOf converts a search text to a filter. It uses a valid filter as is, and otherwise
 * searches all fields for the text.
 */
export function filterOf(typed: string, collection: DataCollection, sample?: DataRecord): string {
  const text = typed.trim();
  if (text === '') return '';
  const fields = fieldsOf(collection, sample);
  const isFilter = /^\(*\s*([\w.]+)\s*(\?)?(=|!=|>=|<=|>|<|~|!~)/.exec(text)?.[1]?.split('.')[0];
  if (isFilter && (isFilter === 'id' || fields.some(({ name }) => name === isFilter))) return text;
  const names = ['id', ...fields.filter(({ type }) => searched.includes(type)).map(({ name }) => name)];
  return names
    .slice(0, 30)
    .map((name) => `${name} ~ ${quoted(text)}`)
    .join(' || ');
}

/** quoted formats a text as a literal of a filter. */
export function quoted(text: string): string {
  return `"${text.replace(/\\+$/, '').replaceAll('"', '\\"')}"`;
}

/** isSortable reports whether a field's values have an order. */
export function isSortable({ type, multiple }: DataField): boolean {
  return !multiple && !['json', 'file', 'relation', 'geoPoint', 'editor'].includes(type);
}

/** Refusal is the error for a rejected record in parts. */
export interface Refusal {
  /** fields has the reasons by the fields of the form. */
  fields: Record<string, string>;
  /** others has the reasons by fields that the form does not show. */
  others: Record<string, string>;
  /** general is what belongs to no field. */
  general: string;
}

/**
 * refusalOf parses the error for a rejected record: "Failed to create record; title: Cannot
 * be blank".
 */
export function refusalOf(message: string, inputs: DataField[]): Refusal {
  const fields: Record<string, string> = {};
  const others: Record<string, string> = {};
  const rest: string[] = [];
  for (const part of message.split('; ')) {
    const [, name, reason] = /^([A-Za-z_]\w*): (.+)$/s.exec(part) ?? [];
    const known = name === 'passwordConfirm' ? 'password' : name;
    if (!known || !reason) rest.push(part);
    else if (inputs.some((one) => one.name === known)) fields[known] ??= reason;
    else others[known] ??= reason;
  }
  return { fields, others, general: rest.join('; ') };
}

/** momentOf shows the time of a date field, as it is if it cannot be read. */
export function momentOf(value: string): string {
  const at = value.replace(' ', 'T');
  return Number.isNaN(Date.parse(at)) ? value : moment(at);
}
