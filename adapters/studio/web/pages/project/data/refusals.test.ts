import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadWorkbench, t } from '~/text';
import { workbench as de } from '~/text/de/workbench';
import { codeOf, reasonInWords, refusalInWords, rowInWords } from './refusals';

await loadWorkbench();

test('the words of the engine lead to its codes', () => {
  const words: Record<string, [string, ...string[]]> = {
    'Cannot be blank.': ['required'],
    'cannot be blank': ['required'],
    'Value must be unique': ['not_unique'],
    'Must be a valid email address.': ['is_email'],
    'Must be a valid URL.': ['is_url'],
    'Must be a valid url': ['is_url'],
    'Must be greater or equal than -2.5': ['min_number_constraint', '-2.5'],
    'Must be less than or equal to the maximum.': ['max_number_constraint', 'the maximum'],
    'Must be at least 8 character(s).': ['min_text_constraint', '8'],
    'Must be less than 71 character(s)': ['max_text_constraint', '71'],
    'Must be no more than 5000 character(s).': ['max_text_constraint', '5000'],
    'The length must be between 3 and 255.': ['length_out_of_range', '3', '255'],
    'Select no more than 2': ['too_many_values', '2'],
    'The maximum allowed files is 1': ['too_many_files', '1'],
    'Failed to upload a.png - the maximum allowed file size is 5242880 bytes.': ['file_size_limit', 'a.png', '5242880'],
    '"a_x1.txt" mime type must be one of: image/png, image/jpeg.': ['invalid_mime_type', 'image/png, image/jpeg'],
    'Failed to upload "a.txt" due to unsupported file type.': ['invalid_mime_type', ''],
    'Must be no less than 2026-01-01 00:00:00 +0000 UTC': ['min_max_date'],
    'Invalid value purple.': ['invalid_value'],
    'Invalid value format.': ['invalid_format'],
    'Invalid value.': ['invalid_value'],
  };
  for (const [text, [code, ...values]] of Object.entries(words)) assert.deepEqual(codeOf(text), { code, values }, text);
  assert.equal(codeOf('Something new went wrong.'), null);
});

test('a refusal is said in the language of the reader', () => {
  const before = { ...t };
  Object.assign(t, de);
  try {
    assert.equal(reasonInWords('Cannot be blank.'), 'Das darf nicht leer bleiben.');
    assert.equal(reasonInWords('Must be at least 8 character(s)'), 'Das braucht mindestens 8 Zeichen.');
    assert.equal(reasonInWords('Something new.'), 'Something new.');
    const blank = { line: 4, field: 'name', rule: 'Cannot be blank' };
    assert.equal(rowInWords(blank, true), 'Zeile 4, name: Das darf nicht leer bleiben.');
    assert.equal(rowInWords({ line: 2, rule: 'hat 3 Zellen' }, false), 'Datensatz 2: Hat 3 Zellen.');
  } finally {
    Object.assign(t, before);
  }
});

test('a field that the form does not show is named, in the language of the reader', () => {
  const inputs = [{ name: 'title', type: 'text', required: true, multiple: false }];
  const before = { ...t };
  Object.assign(t, de);
  try {
    const refused = 'Failed to create record; rank: Cannot be blank; slug: Something new; title: Value must be unique';
    assert.deepEqual(refusalInWords(refused, inputs), {
      fields: { title: 'Ein anderer Datensatz hat diesen Wert schon.' },
      general: 'rank: Das darf nicht leer bleiben. slug: Something new.',
    });
    const needed = 'Failed to delete record. Make sure that the record is not part of a required relation reference.';
    assert.deepEqual(refusalInWords(needed, inputs), {
      fields: {},
      general: 'Dieser Datensatz lässt sich nicht löschen, solange andere ihn brauchen.',
    });
    assert.equal(refusalInWords('Failed to create record', inputs).general, 'Der Datensatz ließ sich nicht anlegen.');
    assert.equal(refusalInWords('the service is closed', inputs).general, 'The service is closed.');
  } finally {
    Object.assign(t, before);
  }
});

test('every code has words in both languages', () => {
  const texts = [t.data.refusals, de.data.refusals];
  for (const refusals of texts)
    for (const say of Object.values(refusals))
      assert.equal((say as (...values: string[]) => string)('3', '4').endsWith('.'), true);
});
