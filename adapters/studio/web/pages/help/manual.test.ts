import assert from 'node:assert/strict';
import { test } from 'node:test';

import { latestNews } from '~/app/news';
import { shortcutIds } from '~/app/shortcuts';
import { base, languages, loadManual } from '~/text/languages';
import { blocksOf, search, spansOf, topicIds } from './manual';

const en = await loadManual(base);

for (const language of languages) {
  const { topics, news } = await loadManual(language);
  test(`the manual in ${language} has every topic once, in order`, () => {
    assert.deepEqual(
      topics.map(({ id }) => id),
      [...topicIds],
    );
    assert.deepEqual(
      topics.map(({ picture }) => picture?.name),
      en.topics.map(({ picture }) => picture?.name),
    );
  });

  test(`what is marked in ${language} is known, and no mark is left over`, () => {
    for (const { id, text } of [...topics, ...news]) {
      const lines = blocksOf(text).flatMap((block) => ('items' in block ? block.items : [block.text]));
      for (const span of lines.flatMap(spansOf)) {
        if (span.kind === 'key')
          assert(
            shortcutIds.some((name) => name === span.text),
            `${id}: {${span.text}}`,
          );
        if (span.kind === 'link')
          assert(/^\/(dashboard|settings\/\w+|help\/[\w-]+)$/.test(span.to), `${id}: ${span.to}`);
        if (span.kind === 'plain') assert(!/[*`{}[\]]/.test(span.text), `${id}: ${span.text}`);
      }
    }
  });

  test(`the newest news in ${language} are those that a browser remembers`, () => {
    assert.equal(news[0]!.id, latestNews);
  });
}

test('a text has paragraphs, headings, lists and steps', () => {
  assert.deepEqual(blocksOf('\na\nb\n\n## c\n\n- d\n- e\n\n1. f\n2. g'), [
    { kind: 'text', text: 'a b' },
    { kind: 'heading', text: 'c' },
    { kind: 'list', items: ['d', 'e'] },
    { kind: 'steps', items: ['f', 'g'] },
  ]);
  assert.deepEqual(spansOf('a **b** `c` [d](/e) {stop}'), [
    { kind: 'plain', text: 'a ' },
    { kind: 'bold', text: 'b' },
    { kind: 'plain', text: ' ' },
    { kind: 'code', text: 'c' },
    { kind: 'plain', text: ' ' },
    { kind: 'link', text: 'd', to: '/e' },
    { kind: 'plain', text: ' ' },
    { kind: 'key', text: 'stop' },
  ]);
});

test('topics are found by what people call them', async () => {
  const first = (query: string) => search(en.topics, query)[0]?.id;
  assert.equal(first('domain'), 'publishing');
  assert.equal(first('undo'), 'versions');
  assert.equal(first('invite'), 'team');
  assert.equal(first('ollama'), 'models');
  assert.equal(first('shortcut'), 'keyboard');
  assert.equal(first('xyzzy'), undefined);
  assert.equal(search(en.topics, '').length, topicIds.length);
  assert.equal(search((await loadManual('de')).topics, 'einladen')[0]?.id, 'team');
});
