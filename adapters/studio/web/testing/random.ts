// A seeded random source for property tests, so that a failure can be reproduced.

/** Dice is a linear congruential generator. */
export class Dice {
  constructor(private seed: number) {}

  /** below returns a number from 0 up to, but excluding, an end. */
  below(end: number): number {
    this.seed = (Math.imul(this.seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.seed >>> 8) % end;
  }

  /** of picks one of the given values. */
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** list makes a list of at most most values. */
  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  /** cut splits a list or a text into parts, some of which may be empty. */
  cut<T extends string | readonly unknown[]>(whole: T): T[] {
    const pieces: T[] = [];
    for (let at = 0; at < whole.length; ) {
      const end = at + this.below(Math.max(2, Math.ceil(whole.length / 3)));
      pieces.push(whole.slice(at, end) as T);
      at = end;
    }
    return pieces;
  }
}

/** frozen freezes a value deeply, so that a mutation throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
