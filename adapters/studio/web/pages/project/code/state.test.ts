import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice, frozen } from '~/testing/random';
import { type Happening, kindOf, next, problemOf, type State, savingOf, sharedOf, theirsOf } from './state';

/** Words is a simple Content. */
class Words {
  constructor(readonly text: string) {}

  eq(other: Words): boolean {
    return this.text === other.text;
  }
}

type Event = Happening<Words, string>;
type File = State<Words, string>;

const words = (text: string) => new Words(text);
const now = (text: string, synced = true) => ({ doc: words(text), synced });
const loading: File = { kind: 'loading' };
const opened: Event = { type: 'opened', base: words('a'), etag: '1', as: 'saved' };
const typed = (text: string): Event => ({ type: 'typed', ...now(text) });
const settle = (text: string, synced = true): Event => ({ type: 'settle', ...now(text, synced) });
const clashed: Event = { type: 'clashed', theirs: { text: words('theirs'), etag: '2' } };
const after = (...events: Event[]): File => events.reduce(next<Words, string>, loading);
const inRoom: Event[] = [opened, { type: 'joined', shared: 'room' }];

function sync(file: File): string {
  assert(file.kind === 'text');
  return file.sync.kind === 'room' ? `room ${file.sync.text}` : file.sync.kind;
}

function base(file: File): [string | undefined, string | null] {
  assert(file.kind === 'text');
  return [file.base?.text, file.etag];
}

test('a file is shown as what it is, and can be loaded again', () => {
  assert.equal(kindOf(after({ type: 'image' })), 'image');
  assert.equal(kindOf(after(opened)), 'text');
  for (const as of ['binary', 'large', 'failed'] as const) {
    const file = after({ type: 'unreadable', as, problem: as });
    assert.deepEqual([kindOf(file), problemOf(file), savingOf(file)], [as, as, 'saved']);
    assert.deepEqual(next(file, { type: 'load' }), loading);
  }
});

test('an open text is not loaded over', () => {
  const file = after(opened, typed('ab'));
  for (const event of [opened, { type: 'load' }, { type: 'image' }] as Event[]) {
    assert.equal(next(file, event), file);
  }
});

test('text is saved, and text typed during the save is saved after it', () => {
  const sending = after(opened, typed('ab'), { type: 'sending' });
  assert.equal(sync(sending), 'saving');
  const done = next(sending, { type: 'saved', base: words('ab'), etag: '2', ...now('ab') });
  assert.deepEqual([sync(done), base(done)], ['saved', ['ab', '2']]);
  const more = [typed('abc'), { type: 'saved', base: words('ab'), etag: '2', ...now('abc') } as Event].reduce(
    next<Words, string>,
    sending,
  );
  assert.deepEqual([sync(more), base(more)], ['unsaved', ['ab', '2']]);
});

test('what has not been saved says why, until it is typed in or sent again', () => {
  const waiting = after(opened, typed('ab'), { type: 'sending' }, { type: 'unreached' });
  const refused = after(opened, typed('ab'), { type: 'sending' }, { type: 'refused', problem: 'no' });
  assert.deepEqual([savingOf(waiting), problemOf(waiting)], ['waiting', null]);
  assert.deepEqual([savingOf(refused), problemOf(refused)], ['refused', 'no']);
  for (const file of [waiting, refused]) {
    assert.equal(sync(next(file, { type: 'sending' })), 'saving');
    assert.equal(sync(next(file, typed('abc'))), 'unsaved');
    assert.equal(problemOf(next(file, typed('abc'))), null);
  }
  assert.equal(sync(after(opened, typed('ab'), { type: 'sending' }, { type: 'overtaken' })), 'unsaved');
});

test('a text that is saved is not sent', () => {
  for (const type of ['sending', 'overtaken', 'unreached'] as const)
    assert.equal(sync(after(opened, { type })), 'saved');
  assert.equal(sync(after(opened, { type: 'refused', problem: 'late' })), 'saved');
});

test('undoing what was typed needs no saving, once it is looked at', () => {
  assert.equal(sync(after(opened, typed('ab'), settle('a'))), 'saved');
  assert.equal(sync(after(opened, settle('ab'))), 'unsaved');
});

test('a text whose origin is not known is never taken for saved', () => {
  const draft = after({ type: 'opened', base: null, etag: null, as: 'unsaved' }, settle(''));
  assert.equal(sync(draft), 'unsaved');
});

test('only a text that is saved goes into the room', () => {
  assert.equal(sharedOf(after(...inRoom)), 'room');
  for (const before of [typed('ab'), clashed])
    assert.equal(sharedOf(after(opened, before, { type: 'joined', shared: 'room' })), null);
});

test('the room saves what is typed in it', () => {
  assert.equal(sync(after(...inRoom, typed('ab'))), 'room saving');
  assert.equal(sync(after(...inRoom, { type: 'typed', ...now('ab', false) })), 'room offline');
  assert.equal(savingOf(after(...inRoom, typed('ab'))), 'saving');
  for (const type of ['sending', 'overtaken', 'unreached'] as const)
    assert.equal(sync(after(...inRoom, typed('ab'), { type })), 'room saving');
  const heard = after(...inRoom, typed('ab'), { type: 'heard', base: words('ab'), etag: '2', ...now('ab') });
  assert.deepEqual([sync(heard), base(heard)], ['room saved', ['ab', '2']]);
});

test('who leaves the room has to save what the room has not', () => {
  assert.equal(sync(after(...inRoom, { type: 'parted', doc: words('ab') })), 'saved');
  assert.equal(sync(after(...inRoom, typed('ab'), { type: 'parted', doc: words('ab') })), 'unsaved');
  assert.equal(sync(after(opened, typed('ab'), { type: 'parted', doc: words('ab') })), 'unsaved');
});

test('the text of the room that somebody left is known until the service reports one', () => {
  const leftOf = (file: File) => file.kind === 'text' && file.left?.text;
  const left = after(...inRoom, typed('ab'), { type: 'parted', doc: words('ab') }, typed('abc'));
  assert.equal(leftOf(left), 'ab');
  for (const type of ['saved', 'merged'] as const)
    assert.equal(leftOf(next(left, { type, base: words('ab'), etag: '2', ...now('abc') })), undefined);
  assert.equal(leftOf(next(next(left, clashed), { type: 'keep mine' })), undefined);
});

test('what the room tells does not concern a text that is not in it', () => {
  assert.deepEqual(base(after(opened, { type: 'heard', base: words('b'), etag: '9', ...now('a') })), ['a', '1']);
});

test('a conflict stays until somebody chooses, or the texts can be merged', () => {
  const conflict = after(opened, typed('mine'), clashed);
  for (const event of [
    typed('more'),
    settle('a'),
    settle('mine'),
    { type: 'sending' },
    { type: 'unreached' },
    { type: 'parted', doc: words('ab') },
    { type: 'saved', base: words('x'), etag: '9', ...now('x') },
  ] as Event[]) {
    assert.equal(savingOf(next(conflict, event)), 'conflict', event.type);
    assert.deepEqual(base(next(conflict, event)), ['a', '1']);
  }
  assert.deepEqual(theirsOf(conflict), { text: words('theirs'), etag: '2' });
  const mine = next(conflict, { type: 'keep mine' });
  assert.deepEqual([sync(mine), base(mine)], ['unsaved', ['theirs', '2']]);
  const theirs = next(conflict, { type: 'take theirs' });
  assert.deepEqual([sync(theirs), base(theirs)], ['saved', ['theirs', '2']]);
  const merged = next(conflict, { type: 'merged', base: words('b'), etag: '3', ...now('b, mine') });
  assert.deepEqual([sync(merged), base(merged), theirsOf(merged)], ['unsaved', ['b', '3'], null]);
});

test('of a file that others deleted, mine is written anew', () => {
  const mine = after(
    opened,
    typed('mine'),
    { type: 'clashed', theirs: { text: null, etag: null } },
    { type: 'keep mine' },
  );
  assert.deepEqual([sync(mine), base(mine)], ['unsaved', [undefined, null]]);
});

test('there is nothing to choose without a conflict', () => {
  for (const type of ['keep mine', 'take theirs'] as const)
    assert.equal(sync(after(opened, typed('ab'), { type })), 'unsaved');
});

test('forgotten text is not saved again', () => {
  for (const before of [typed('ab'), clashed])
    assert.equal(sync(after(opened, before, { type: 'forgotten' })), 'saved');
});

test('whatever happens, in whatever order: nothing typed counts as saved but what the service has', () => {
  const dice = new Dice(91);
  const text = () => dice.of(['a', 'ab', 'abc']);
  for (let round = 0; round < 2000; round++) {
    let file: File = frozen(after({ type: 'opened', base: dice.of([null, words('a')]), etag: '1', as: 'unsaved' }));
    let doc = 'a';
    for (let step = 0; step < 25; step++) {
      const type = () => {
        doc = text();
        return typed(doc);
      };
      const event = dice.of<() => Event>([
        type,
        type,
        () => settle(doc, dice.below(2) === 0),
        () => ({ type: 'sending' }),
        () => ({ type: 'overtaken' }),
        () => ({ type: 'unreached' }),
        () => ({ type: 'refused', problem: 'no' }),
        () => ({ type: 'joined', shared: 'room' }),
        () => ({ type: 'parted', doc: words(doc) }),
        () => ({ type: dice.of(['saved', 'heard'] as const), base: words(text()), etag: '2', ...now(doc) }),
        () => clashed,
        () => ({ type: 'keep mine' }),
        () => ({ type: 'merged', base: words(text()), etag: '3', ...now(doc) }),
      ])();
      file = frozen(next(file, event));
      assert(file.kind === 'text');
      if (savingOf(file) === 'saved') assert.equal(file.base?.text, doc, `after ${event.type}`);
    }
  }
});
