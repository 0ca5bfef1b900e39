import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChangeSpec, EditorState } from '@codemirror/state';
import { signal } from '@preact/signals';
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs';

import { Dice } from '~/testing/random';
import { breakOf, type LineBreak, textOf } from '../text';
import type { Room } from './room';
import { Shared } from './shared';

/** Person has an editor and a replica of the room's document. */
class Person {
  readonly doc = new Doc();
  state: EditorState;
  shared: Shared;
  odd = 0;
  lineBreak: LineBreak;

  constructor(seed: Uint8Array) {
    applyUpdate(this.doc, seed);
    const text = this.doc.getText('file');
    this.lineBreak = breakOf(text.toString());
    this.state = EditorState.create({ doc: textOf(text.toString(), this.lineBreak) });
    const room = { doc: this.doc, arrived: signal(0), edited: () => 1 } as unknown as Room;
    this.shared = new Shared(room, text, {
      doc: () => this.state.doc,
      lineBreak: () => this.lineBreak,
      change: (changes, lineBreak) => {
        this.lineBreak = lineBreak;
        this.state = this.state.update({ changes }).state;
      },
      odd: () => this.odd++,
    });
  }

  edit(changes: ChangeSpec): void {
    const transaction = this.state.update({ changes });
    this.state = transaction.state;
    this.shared.push(transaction.changes, transaction.startState.doc);
  }

  /** hear applies another person's updates. */
  hear(other: Person): void {
    applyUpdate(this.doc, encodeStateAsUpdate(other.doc, encodeStateVector(this.doc)), 'room');
  }

  text(): string {
    return this.state.doc.sliceString(0, undefined, this.lineBreak);
  }
}

function seedOf(text: string): Uint8Array {
  const doc = new Doc();
  doc.getText('file').insert(0, text);
  return encodeStateAsUpdate(doc);
}

for (const lineBreak of ['\n', '\r\n'] as const) {
  test(`people who type at the same time come to the same text, with lines that end in ${JSON.stringify(lineBreak)}`, () => {
    const dice = new Dice(51);
    for (let round = 0; round < 60; round++) {
      const seed = seedOf(['one', 'two', 'three', ''].join(lineBreak));
      const people = [new Person(seed), new Person(seed), new Person(seed)];
      for (let step = 0; step < 40; step++) {
        const person = dice.of(people);
        const from = dice.below(person.state.doc.length + 1);
        const to = Math.min(person.state.doc.length, from + dice.below(4));
        if (dice.below(3) === 0) person.hear(dice.of(people));
        else person.edit({ from, to, insert: textOf(dice.of(['', 'x', 'yz', '\n', 'a\nb']), '\n') });
        assert.equal(person.text(), person.doc.getText('file').toString());
      }
      for (const one of people) for (const other of people) one.hear(other);
      for (const one of people) for (const other of people) one.hear(other);
      for (const person of people) {
        assert.equal(person.text(), people[0]!.text());
        assert.equal(person.text(), person.doc.getText('file').toString());
        assert.equal(person.odd, 0);
      }
    }
  });

  test(`places are the same for all, with lines that end in ${JSON.stringify(lineBreak)}`, () => {
    const seed = seedOf(['one', '', 'three'].join(lineBreak));
    const [ada, bob] = [new Person(seed), new Person(seed)];
    for (let position = 0; position <= ada.state.doc.length; position++) {
      assert.equal(ada.shared.position(ada.shared.index(position)), position);
      assert.equal(bob.shared.find(ada.shared.spot(position)), position);
    }
    const spot = ada.shared.spot(ada.state.doc.length - 2);
    bob.edit({ from: 0, insert: textOf('more\nlines ', '\n') });
    ada.hear(bob);
    assert.equal(ada.shared.find(spot), ada.state.doc.length - 2);
  });
}

test('a place that says nothing is nowhere', () => {
  const ada = new Person(seedOf('one'));
  for (const spot of [{}, { tname: 'other' }, { item: { client: -1, clock: 'x' } }, { type: 7 }, []])
    assert.equal(ada.shared.find(spot), null);
});

test('typed text is pending until the room confirms it', () => {
  const ada = new Person(seedOf('one'));
  assert.equal(ada.shared.owes, false);
  ada.edit({ from: 0, insert: 'x' });
  assert.equal(ada.shared.owes, true);
  (ada.shared.room.arrived as { value: number }).value = 1;
  assert.equal(ada.shared.owes, false);
});

test('after its end a text is left alone', () => {
  const seed = seedOf('one');
  const [ada, bob] = [new Person(seed), new Person(seed)];
  ada.shared.end();
  bob.edit({ from: 0, insert: 'x' });
  ada.hear(bob);
  assert.equal(ada.text(), 'one');
});
