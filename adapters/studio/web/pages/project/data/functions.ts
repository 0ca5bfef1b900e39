// The functions of a project, found by their files.

import type { FileEntry } from '~/api/types';

/** FunctionFile is the source file of a function. */
export interface FunctionFile {
  name: string;
  path: string;
  etag: string;
}

/**
 * functionsOf returns the functions among a project's files, by name. Other files in the
 * folder are modules that functions import.
 */
export function functionsOf(files: FileEntry[]): FunctionFile[] {
  const found: FunctionFile[] = [];
  for (const { path, etag } of files) {
    const name = /^functions\/([A-Za-z0-9-][A-Za-z0-9_-]{0,63})\.[jt]s$/.exec(path)?.[1];
    if (name) found.push({ name, path, etag });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Schedule is a recurring time in UTC. */
export type Schedule =
  | { kind: 'minutes'; every: number }
  | { kind: 'hour'; minute: number }
  | { kind: 'day'; hour: number; minute: number }
  | { kind: 'week'; weekday: number; hour: number; minute: number }
  | { kind: 'month'; day: number; hour: number; minute: number };

/** read parses a cron expression. It returns null if words cannot describe it. */
export function read(schedule: string): Schedule | null {
  const fields = schedule.split(/\s+/);
  if (fields.length !== 5) return null;
  const [minutes, hours, days, months, weekdays] = fields as [string, string, string, string, string];
  const every = /^(?:\*|\*\/(\d{1,2}))$/.exec(minutes);
  const rest = [hours, days, months, weekdays];
  if (every) return rest.every(isAny) ? { kind: 'minutes', every: Number(every[1] ?? 1) } : null;
  const [minute, hour] = [number(minutes, 59), number(hours, 23)];
  if (minute === null || !isAny(months)) return null;
  if (isAny(hours)) return isAny(days) && isAny(weekdays) ? { kind: 'hour', minute } : null;
  if (hour === null) return null;
  if (isAny(days) && isAny(weekdays)) return { kind: 'day', hour, minute };
  const weekday = number(weekdays, 7);
  if (isAny(days) && weekday !== null) return { kind: 'week', weekday: weekday % 7, hour, minute };
  const day = number(days, 31);
  return isAny(weekdays) && day !== null && day > 0 ? { kind: 'month', day, hour, minute } : null;
}

const isAny = (field: string) => field === '*';

function number(field: string, most: number): number | null {
  return /^\d{1,2}$/.test(field) && Number(field) <= most ? Number(field) : null;
}
