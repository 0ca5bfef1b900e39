// Access to the browser's storage. It may be full or forbidden, and its values may come
// from an older version or another script. An invalid value counts as missing.

/** Check is a type guard for a stored value. */
export type Check<T> = (value: unknown) => value is T;

export const isText: Check<string> = (value): value is string => typeof value === 'string';
export const isNumber: Check<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);
export const isFlag: Check<boolean> = (value): value is boolean => typeof value === 'boolean';

/** isAnything accepts every value. Use it for members that are checked later. */
export const isAnything: Check<unknown> = (_value): _value is unknown => true;

/** oneOf accepts one of the given words. */
export function oneOf<T extends string>(...words: T[]): Check<T> {
  return (value): value is T => words.some((word) => word === value);
}

/** orNull also accepts null, orNone also accepts undefined. */
export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value);
}
export function orNone<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

/** listOf accepts a list whose items all pass the check. */
export function listOf<T>(check: Check<T>): Check<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(check);
}

/** recordOf accepts an object whose members pass their checks. Further members are allowed. */
export function recordOf<T extends object>(members: { [K in keyof Required<T>]: Check<T[K]> }): Check<T> {
  const checks = Object.entries(members) as [string, Check<unknown>][];
  return (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
  };
}

/** Kept wraps a browser storage and never throws. */
class Kept {
  // Where storage is forbidden, even reading the property throws.
  constructor(private readonly storage: () => Storage) {}

  /** text returns the stored text, or null. */
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

  /** list returns the valid items of a stored list. */
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

  /** setText reports whether the text was stored. On failure the old text remains. */
  setText(name: string, text: string): boolean {
    try {
      this.storage().setItem(name, text);
      return true;
    } catch {
      return false;
    }
  }

  /** write stores a value as JSON and reports whether that succeeded. */
  write(name: string, value: unknown): boolean {
    return this.setText(name, JSON.stringify(value));
  }

  remove(name: string): void {
    try {
      this.storage().removeItem(name);
    } catch {
      // Nothing is stored, so there is nothing to remove.
    }
  }

  /** names returns the stored names with a prefix. */
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

/** browserStorage is shared by all tabs; tabStorage belongs to this tab and survives reloads. */
export const browserStorage = new Kept(() => localStorage);
export const tabStorage = new Kept(() => sessionStorage);
