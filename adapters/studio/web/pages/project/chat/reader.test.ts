import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { type Block, MarkdownReader } from './reader';

const forever = Number.POSITIVE_INFINITY;

const blocksOf = (reader: MarkdownReader): Block[] =>
  reader
    .sections()
    .flatMap(({ blocks }) => blocks)
    .filter((block) => 'code' in block || block.token.type !== 'space');

/** plain returns what a block shows, without the lexer's objects. */
const plain = (block: Block) =>
  'code' in block
    ? { ...block.code, pieces: block.code.pieces.join('\n') }
    : { type: block.token.type, raw: block.token.raw.trimEnd() };

/** readAtOnce reads a complete text. */
function readAtOnce(text: string): MarkdownReader {
  const reader = new MarkdownReader();
  while (!reader.read(text, forever));
  return reader;
}

/** readInPieces reads a text that grows. */
function readInPieces(pieces: readonly string[]): MarkdownReader {
  const reader = new MarkdownReader();
  let text = '';
  for (const piece of pieces) {
    text += piece;
    while (!reader.read(text, forever));
  }
  return reader;
}

const parts = [
  '# A heading\n\n',
  'A paragraph with **words** and `code`.\n\n',
  '- one\n- two\n  - three\n\n',
  '> quoted\n\n',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n',
  '~~~\n```\n~~~\n\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
  '---\n\n',
  '    indented\n\n',
  'Two\nlines\n\n',
  '````md\n```\nnested\n```\n````\n\n',
];

test('a text that comes in pieces reads as it does at once', () => {
  const dice = new Dice(5);
  for (let round = 0; round < 150; round++) {
    const text = Array.from({ length: 1 + dice.below(12) }, () => dice.of(parts)).join('');
    assert.deepEqual(
      blocksOf(readInPieces(dice.cut(text))).map(plain),
      blocksOf(readAtOnce(text)).map(plain),
      JSON.stringify(text),
    );
  }
});

test('what is finished stays the same object, and keeps its key', () => {
  const reader = new MarkdownReader();
  let text = '';
  let before: Block[] = [];
  for (let count = 0; count < 60; count++) {
    text += `Paragraph ${count}.\n\n`;
    while (!reader.read(text, forever));
    const blocks = blocksOf(reader);
    for (const [index, block] of before.slice(0, -3).entries()) assert.equal(blocks[index], block);
    assert.equal(new Set(blocks.map(({ key }) => key)).size, blocks.length);
    before = blocks;
  }
  assert.equal(before.length, 60);
});

test('every block belongs to one section, and full sections are passed over', () => {
  const reader = readAtOnce('A paragraph.\n\n'.repeat(70));
  const sections = reader.sections();
  assert.deepEqual(
    sections.slice(0, -1).map(({ blocks }) => blocks.length),
    [20, 20, 20],
  );
  assert.equal(blocksOf(reader).length, 70);
  assert.equal(new Set(sections.map(({ key }) => key)).size, sections.length);
  assert.equal(readInPieces(['A paragraph.\n\n'.repeat(70), 'More.']).sections()[0]!.blocks.length, 20);
});

test('a fence that is not closed yet is code', () => {
  const [block] = blocksOf(readInPieces(['```tsx title="a"\ncon', 'st a']));
  assert(block && 'code' in block);
  assert.deepEqual(block.code, { language: 'tsx', pieces: ['const a'], closed: false });
});

test('long code comes in pieces of some lines, none of which is lost', () => {
  const lines = Array.from({ length: 333 }, (_, line) => `line ${line}`);
  for (const reader of [
    readAtOnce(`\`\`\`\n${lines.join('\n')}\n\`\`\`\n`),
    readInPieces(['```\n', ...lines.map((line) => `${line}\n`), '```\n']),
  ]) {
    const [block] = blocksOf(reader);
    assert(block && 'code' in block);
    assert(block.code.closed && block.code.pieces.length > 5);
    assert.equal(block.code.pieces.join('\n'), lines.join('\n'));
  }
});

test('line breaks of Windows are line breaks', () => {
  assert.deepEqual(
    blocksOf(readAtOnce('# One\r\n\r\nTwo\r\n')).map(plain),
    blocksOf(readAtOnce('# One\n\nTwo\n')).map(plain),
  );
});

test('a closing mark is one of the same kind and at least as long', () => {
  const text = '````\n```\n~~~~\n    ````\n````x\n`````\nafter\n';
  const [code, after] = blocksOf(readInPieces([...text]));
  assert(code && 'code' in code && after && 'token' in after);
  assert.equal(code.code.pieces.join('\n'), '```\n~~~~\n    ````\n````x');
  assert.equal(after.token.raw.trim(), 'after');
});

test('reading stops at its time and goes on later', () => {
  const text = 'A paragraph with **words**.\n\n'.repeat(2000);
  const reader = new MarkdownReader();
  let calls = 1;
  while (!reader.read(text, Number.NEGATIVE_INFINITY)) calls++;
  assert(calls > 10, `got ${calls} calls`);
  assert.equal(blocksOf(reader).length, 2000);
});

const hostile: Record<string, string> = {
  'one endless line': 'x'.repeat(200_000),
  'an endless list': '- a\n'.repeat(20_000),
  'quotes in quotes': `${'> '.repeat(5000)}deep\n`,
  brackets: '['.repeat(50_000),
  'emphasis that never ends': '**a '.repeat(20_000),
  'a table without an end': '|a'.repeat(20_000),
  'fences of one line each': '```\n'.repeat(9999),
  'an endless line in a fence': `\`\`\`\n${'y'.repeat(100_000)}`,
  'a fence in a list that stays open': '- a\n  ```\n  code\n'.repeat(300),
  'nothing but line breaks': '\n'.repeat(100_000),
  tags: '<div>'.repeat(10_000),
  'broken surrogates': '\ud800'.repeat(5000),
};

for (const [name, text] of Object.entries(hostile)) {
  test(`${name} is read to its end, with nothing lost`, () => {
    const letters = (from: string) => from.replace(/[\s`>|-]/g, '').length;
    const reader = readInPieces([text.slice(0, 1000), text.slice(1000, 30_000), text.slice(30_000)]);
    const said = blocksOf(reader)
      .map((block) => ('code' in block ? block.code.pieces.join('\n') : block.token.raw))
      .join('\n');
    assert.equal(letters(said), letters(text));
  });
}
