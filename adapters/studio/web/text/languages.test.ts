import assert from 'node:assert/strict';
import { test } from 'node:test';

import { countingIn } from './counting';
import { text as english } from './en';
import {
  base,
  bestOf,
  isLanguage,
  type Language,
  languages,
  loadAdmins,
  loadPages,
  loadProjects,
  loadWorkspaces,
  nameOf,
} from './languages';

/** textsOf are all texts of a language but the manual. */
async function textsOf(language: Language): Promise<object> {
  return {
    ...(language === base ? english : await loadPages(language)),
    ...(await loadProjects(language)),
    workspace: await loadWorkspaces(language),
    admin: await loadAdmins(language),
  };
}

test('languages are called as they call themselves, in the order of these names', () => {
  assert.equal(nameOf('de'), 'Deutsch');
  assert.equal(nameOf('pt-BR'), 'Português (Brasil)');
  const names = languages.map(nameOf);
  assert.deepEqual(
    names,
    [...names].sort((one, other) => one.localeCompare(other, base)),
  );
  assert(
    ['de', 'en', 'es'].every((tag) => languages.includes(tag)),
    `got ${languages}`,
  );
});

test('the first wanted language that the studio speaks is chosen, whatever its region', () => {
  assert.equal(bestOf(['de-AT', 'en']), 'de');
  assert.equal(bestOf(['en-GB', 'de']), 'en');
  assert.equal(bestOf(['tlh', 'de']), 'de');
  assert.equal(bestOf(['tlh']), 'en');
  assert.equal(bestOf([]), 'en');
});

test('an unknown stored language is not chosen', () => {
  assert(isLanguage('de'));
  for (const stored of [null, '', 'xx', 'toString', '__proto__']) assert(!isLanguage(stored));
});

test('numbers of things follow the rules of the language', () => {
  const { plural, list } = countingIn('pl');
  const files = { one: '# plik', few: '# pliki', other: '# plików' };
  assert.deepEqual(
    [1, 2, 5, 22].map((n) => plural(n, files)),
    ['1 plik', '2 pliki', '5 plików', '22 pliki'],
  );
  assert.equal(list(['a', 'b', 'c']), 'a, b i c');
  assert.equal(countingIn('de').plural(12_000, { one: '# Datei', other: '# Dateien' }), '12.000 Dateien');
  assert.equal(countingIn('en').plural(0, { one: '# file', other: '# files' }), '0 files');
  assert.equal(countingIn('es').weekday(0), 'domingo');
});

/** shape describes texts by path: what kind each is, and how many parameters it takes. */
function shape(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) => {
    const at = `${path}.${key}`;
    if (typeof text === 'function') return [`${at}: text with ${text.length} parameters`];
    if (typeof text === 'object' && text !== null) return shape(text, at);
    return [`${at}: ${typeof text}`];
  });
}

// English leaves these to the service, whose own words are English.
const ofTheService = /^\.dashboard\.templates\./;
const shapeOf = (texts: object) =>
  shape(texts)
    .filter((text) => !ofTheService.test(text))
    .sort();

for (const language of languages) {
  test(`${language} has every text, with the parameters of the English one`, async () => {
    const lacks = (texts: object, all: object) => {
      const [has, wanted] = [shapeOf(texts), shapeOf(all)];
      return [
        ...wanted.filter((text) => !has.includes(text)).map((text) => `lacks ${text}`),
        ...has.filter((text) => !wanted.includes(text)).map((text) => `has also ${text}`),
      ];
    };
    assert.deepEqual(lacks(await textsOf(language), await textsOf(base)), []);
  });
}

/** spoken are the words of texts, functions as their source. */
function spoken(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]): [string, string][] => {
    const at = `${path}.${key}`;
    if (typeof text === 'object' && text !== null) return spoken(text, at);
    return [[at, String(text)]];
  });
}

test('no text is empty by mistake', async () => {
  const mayBeEmpty = /\.(baseUrlHints\.demo|fieldTypes\.(text|password))$/;
  for (const language of languages) {
    const empty = spoken(await textsOf(language)).filter(([at, words]) => words.trim() === '' && !mayBeEmpty.test(at));
    assert.deepEqual(empty, [], language);
  }
});
