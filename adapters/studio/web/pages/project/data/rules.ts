// Describes the rules of a collection in plain words.

import type { DataCollection, DataRules } from '~/api/types';

/** Who is the group of people that a rule admits. */
export type Who =
  | { kind: 'anybody' | 'members' | 'signedIn' | 'verified' | 'self' }
  /** the user whom a field of the record names */
  | { kind: 'owner'; field: string }
  /** a user who enters themselves in a field */
  | { kind: 'asThemselves'; field: string }
  /** a rule that words cannot describe */
  | { kind: 'rule'; text: string };

export type Act = 'read' | 'list' | 'view' | 'create' | 'update' | 'delete';

/** Sentence states what a group may do. */
export interface Sentence {
  who: Who;
  acts: Act[];
}

/** sentencesOf describes the rules of a collection, with one sentence per group. */
export function sentencesOf({ rules, type }: Pick<DataCollection, 'rules' | 'type'>): Sentence[] {
  const sentences: Sentence[] = [];
  for (const [act, rule] of actsOf(rules, type)) {
    const who = whoOf(rule, act, type);
    const known = sentences.find((one) => JSON.stringify(one.who) === JSON.stringify(who));
    if (known) known.acts.push(act);
    else sentences.push({ who, acts: [act] });
  }
  return sentences;
}

function actsOf(rules: DataRules, type: DataCollection['type']): [Act, string | null][] {
  const reading: [Act, string | null][] =
    rules.list === rules.view
      ? [['read', rules.list]]
      : [
          ['list', rules.list],
          ['view', rules.view],
        ];
  if (type === 'view') return reading;
  return [...reading, ['create', rules.create], ['update', rules.update], ['delete', rules.delete]];
}

const user = '@request.auth.id';

function whoOf(rule: string | null, act: Act, type: DataCollection['type']): Who {
  if (rule === null) return { kind: 'members' };
  const text = rule.trim();
  if (text === '') return { kind: 'anybody' };
  const special: Who = { kind: 'rule', text };
  const parts = /[()]|\|\|/.test(text)
    ? []
    : text
        .split('&&')
        .map((part) => part.trim())
        // Whose the record is stays as it is, which is no other group of people.
        .filter((part) => !(act === 'update' && /^@request\.body\.\w+:changed = false$/.test(part)))
        .map((part) => partOf(part, act, type));
  if (parts.length === 0 || parts.includes(null)) return special;
  // A user whom the record names is always signed in.
  const telling = parts.filter((part) => part!.kind !== 'signedIn');
  if (telling.length === 0) return { kind: 'signedIn' };
  return telling.length === 1 ? telling[0]! : special;
}

function partOf(part: string, act: Act, type: DataCollection['type']): Who | null {
  const [, left, sign, right] = /^([^\s=!<>~?]+)\s*(\?=|!=|=)\s*([^\s=!<>~?]+)$/.exec(part) ?? [];
  if (!left || !right) return null;
  if (left === user && sign === '!=' && /^(""|'')$/.test(right)) return { kind: 'signedIn' };
  if (left === '@request.auth.verified' && sign === '=' && right === 'true') return { kind: 'verified' };
  if (sign === '!=' || (left === user) === (right === user)) return null;
  const field = (left === user ? right : left).replace(/\.id$/, '');
  const sent = /^@request\.body\.(\w+)$/.exec(field)?.[1];
  if (sent) return act === 'create' ? { kind: 'asThemselves', field: sent } : null;
  if (!/^\w+$/.test(field)) return null;
  if (field === 'id') return type === 'auth' ? { kind: 'self' } : null;
  return act === 'create' ? { kind: 'asThemselves', field } : { kind: 'owner', field };
}
