// Translates the engine's reasons for rejecting a value. The engine reports them in English
// only, so its messages are mapped back to error codes.

import type { DataField } from '~/api/types';
import { sentence, t } from '~/text';
import { refusalOf } from './values';

/** known maps error codes to the engine's messages. Groups capture parts of the message. */
const known = {
  required: /^(?:cannot be blank|is required)$/i,
  not_unique: /^value must be unique$/i,
  is_email: /^must be a valid email address$/i,
  is_url: /^must be a valid url$/i,
  not_a_number: /^the submitted number is not properly formatted$/i,
  only_int_constraint: /^decimal numbers are not allowed$/i,
  min_number_constraint:
    /^must be (?:greater or equal than|larger than or equal to|no less than) (-?[\d.e+-]+|the minimum)$/i,
  max_number_constraint:
    /^must be (?:less or equal than|less than or equal to|no greater than) (-?[\d.e+-]+|the maximum)$/i,
  min_text_constraint: /^(?:must be at least|the length must be no less than) (\d+)(?: character\(s\))?$/i,
  max_text_constraint: /^(?:must be (?:no more|less) than|the length must be no more than) (\d+)(?: character\(s\))?$/i,
  length_out_of_range: /^the length must be between (\d+) and (\d+)$/i,
  too_many_values: /^select no more than (\d+|the maximum)$/i,
  not_enough_values: /^select at least (\d+|the minimum)$/i,
  too_many_files: /^the maximum allowed files is (\d+)$/i,
  file_size_limit: /^failed to upload (.+) - the maximum allowed file size is (\d+) bytes$/is,
  invalid_mime_type: /^(?:failed to upload .+ due to unsupported file type|.+ mime type must be one of: (.+))$/is,
  missing_rel_records: /^failed to find all relation records with the provided ids$/i,
  min_max_date: /^(?:the date is out(?:side)? of (?:the )?range|must be no (?:less|greater) than \d{4}-.+)$/i,
  date_invalid: /^(?:must be a valid date|.* must be a date as a string|.* must be a date)$/is,
  invalid_json: /^must be (?:a valid json value|in valid json format)$/i,
  content_size_limit: /^the text is too large$/i,
  invalid_format: /^(?:invalid value format|must be in a valid format)$/i,
  domain_not_allowed: /^(?:(?:email |url )?domain is not allowed|the domain is not allowed)$/i,
  values_mismatch: /^values don't match$/i,
  invalid_id: /^(?:the model id is invalid or already exists|the primary key is invalid or already exists)$/i,
  invalid_place: /^(?:latitude|longitude) must be between .+ degrees$/i,
  invalid_value: /^(?:invalid (?:or unsupported )?value(?: type)?(?: .+)?|must be a valid value)$/is,
} as const;

/** RefusalCode is an error code of the engine without its prefix "validation_". */
export type RefusalCode = keyof typeof known;

/** codeOf returns the code of a message and its captured parts, or null if it is unknown. */
export function codeOf(words: string): { code: RefusalCode; values: string[] } | null {
  const text = words.trim().replace(/\.$/, '');
  for (const [code, pattern] of Object.entries(known)) {
    const found = pattern.exec(text);
    if (found) return { code: code as RefusalCode, values: found.slice(1).map((one) => one ?? '') };
  }
  return null;
}

/**
 * reasonInWords translates the reason for a rejected value. It returns unknown messages
 * unchanged.
 */
export function reasonInWords(words: string): string {
  const found = codeOf(words);
  if (!found) return words;
  const say: (...values: string[]) => string = t.data.refusals[found.code];
  return say(...found.values);
}

// failures are the engine's messages about a record as a whole.
const failures = {
  create: /^failed to create record$/i,
  update: /^failed to update record$/i,
  delete: /^failed to delete record\. make sure that the record is not part of a required relation reference$/i,
} as const;

/** Words are what a form says about a rejected record; general belongs to no field of it. */
export interface Words {
  fields: Record<string, string>;
  general: string;
}

/** refusalInWords translates the error for a rejected record. */
export function refusalInWords(message: string, inputs: DataField[]): Words {
  const { fields, others, general } = refusalOf(message, inputs);
  const said = Object.entries(fields).map(([name, words]) => [name, reasonInWords(words)]);
  const elsewhere = Object.entries(others).map(([name, words]) => `${name}: ${sentence(reasonInWords(words))}`);
  // The first part only says that there are reasons.
  const isSaid = said.length + elsewhere.length > 0 && !general.includes('; ');
  return {
    fields: Object.fromEntries(said),
    general: [...(isSaid ? [] : [failureInWords(general)]), ...elsewhere].join(' '),
  };
}

function failureInWords(words: string): string {
  const text = words.trim().replace(/\.$/, '');
  for (const [name, pattern] of Object.entries(failures))
    if (pattern.test(text)) return t.data.failures[name as keyof typeof failures];
  return sentence(words);
}

/** RefusedRows are the records of a file that an import refuses. */
export interface RefusedRows {
  total: number;
  items: { line: number; field?: string; rule: string }[];
}

/** rowInWords says why a record of a file is refused: "Line 4, name: This can’t be empty." */
export function rowInWords({ line, field, rule }: RefusedRows['items'][number], isTable: boolean): string {
  const place = isTable ? t.data.line(String(line)) : t.data.recordNumber(String(line));
  return `${place}${field ? `, ${field}` : ''}: ${sentence(reasonInWords(rule))}`;
}
