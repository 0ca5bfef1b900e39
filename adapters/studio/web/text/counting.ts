// What texts count and list with. Each language has one (its folder's words.ts), so that
// its texts follow its own rules.

/** Forms are the forms of a text for the categories of numbers that a language tells apart. */
export type Forms = { [category in Intl.LDMLPluralRule]?: string } & { other: string };

export interface Counting {
  /** plural chooses the form for a number, and puts the number in the place of #. */
  plural: (of: number, forms: Forms) => string;
  number: (value: number, options?: Intl.NumberFormatOptions) => string;
  /** list joins parts by commas and an “and”. */
  list: (parts: string[]) => string;
  /** weekday names a day of the week; 0 is Sunday. */
  weekday: (day: number) => string;
}

/** countingIn returns the functions with which texts in a language count and list. */
export function countingIn(language: string): Counting {
  const rules = new Intl.PluralRules(language);
  const number = (value: number, options?: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(language, options).format(value);
  return {
    number,
    plural: (of, forms) => (forms[rules.select(of)] ?? forms.other).replaceAll('#', number(of)),
    list: (parts) => new Intl.ListFormat(language).format(parts),
    // 4 January 1970 was a Sunday.
    weekday: (day) =>
      new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(
        new Date(Date.UTC(1970, 0, 4 + day)),
      ),
  };
}
