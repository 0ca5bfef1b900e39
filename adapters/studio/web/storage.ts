// Reads and writes the browser's storage. It may be full or forbidden, and its values may
// be from an older version or from another script. An invalid value counts as missing.

/** Check reports whether a value that was read is valid. */
export type Check<T> = (value: unknown) => value is T;

export const isText: Check<string> = (value): value is string => typeof value === 'string';
export const isNumber: Check<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);
export const isFlag: Check<boolean> = (value): value is boolean => typeof value === 'boolean';

/** isAnything is for members that are looked at later. */
export const isAnything: Check<unknown> = (_value): _value is unknown => true;

/** oneOf checks for one of some words. */
export function oneOf<T extends string>(...words: T[]): Check<T> {
  return (value): value is T => words.some((word) => word === value);
}

/** orNull checks for a value or null, orNone for a value or nothing. */
export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value);
}
export function orNone<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

/** listOf checks for a list without an item that is something else. */
export function listOf<T>(check: Check<T>): Check<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(check);
}

/** recordOf checks for an object by its members, which may have others beside them. */
export function recordOf<T extends object>(members: { [K in keyof Required<T>]: Check<T[K]> }): Check<T> {
  const checks = Object.entries(members) as [string, Check<unknown>][];
  return (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
  };
}

/** Kept is a storage of the browser that never fails. */
class Kept {
  // Where storage is forbidden, even reading the property throws.
  constructor(private readonly storage: () => Storage) {}

  /** text is the stored value of a name, or null. */
  text(name: string): string | null {
    try {
      return this.storage().getItem(name);
    } catch {
      return null;
    }
  }

  /** read returns the value under a name, null if it is missing or invalid. */
  read<T>(name: string, check: Check<T>): T | null {
    const value = this.parsed(name);
    return check(value) ? value : null;
  }

  /** list returns the valid items under a name. */
  list<T>(name: string, check: Check<T>): T[] {
    const value = this.parsed(name);
    return Array.isArray(value) ? value.filter(check) : [];
  }

  private parsed(name: string): unknown {
    try {
      return JSON.parse(this.text(name) ?? 'null');
    } catch {
      return null;
    }
  }

  /** setText reports whether the text was stored; if not, the old one stays. */
  setText(name: string, text: string): boolean {
    try {
      this.storage().setItem(name, text);
      return true;
    } catch {
      return false;
    }
  }

  /** write is setText for a value. */
  write(name: string, value: unknown): boolean {
    return this.setText(name, JSON.stringify(value));
  }

  remove(name: string): void {
    try {
      this.storage().removeItem(name);
    } catch {
      // There is nothing to remove.
    }
  }

  /** names are those that begin with a prefix. */
  names(prefix: string): string[] {
    try {
      const storage = this.storage();
      const all = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
      return all.filter((name) => name.startsWith(prefix));
    } catch {
      return [];
    }
  }
}

/** browserStorage is for this browser, tabStorage for this tab of it, through reloads. */
export const browserStorage = new Kept(() => localStorage);
export const tabStorage = new Kept(() => sessionStorage);
