import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice, frozen } from '~/testing/random';
import type { ChatEvent } from './events';
import {
  add,
  addAll,
  answerOf,
  hasLapsed,
  type Item,
  stepsOf,
  type TextItem,
  type ThinkingItem,
  type ToolItem,
  type Turn,
  versionsOf,
  workOf,
} from './log';

type Said = ChatEvent extends infer E ? (E extends ChatEvent ? Omit<E, 'seq' | 'createdAt'> : never) : never;

/** chat adds sequence numbers and times to events. */
function chat(...said: Said[]): ChatEvent[] {
  return said.map((event, index) => ({ ...event, seq: index + 1, createdAt: at(index + 1) }) as ChatEvent);
}

const at = (seq: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString();
const asked = (text = 'Make it blue'): Said => ({ type: 'user.message', text, attachments: null, by: 'ada' });
const delta = (text: string): Said => ({ type: 'assistant.message_delta', delta: text });
const thinks = (text: string): Said => ({ type: 'assistant.reasoning_delta', delta: text });
const whole = (text: string): Said => ({ type: 'assistant.message', text });
const calls = (id: string, tool = 'write_file'): Said => ({ type: 'tool.call', id, tool, args: { path: 'a.ts' } });
const usage = (inputTokens: number, outputTokens: number, cost: number): Said => ({
  type: 'session.usage_info',
  inputTokens,
  outputTokens,
  cost,
});
const waits = (id: string): Said => ({
  type: 'approval.request',
  id,
  connector: 'Tracker',
  tool: 'close',
  args: { id: 7 },
  reason: 'consent',
});
const done: Said = { type: 'session.task_complete', reason: 'done' };

/** only returns the single turn of a log. */
function only(turns: Turn[]): Turn {
  assert.equal(turns.length, 1);
  return turns[0]!;
}

const itemsOf = (...said: Said[]): Item[] => only(addAll([], chat(asked(), ...said))).items;

function random(dice: Dice): Said {
  const id = () => dice.of(['1', '2', '3']);
  const text = () => dice.of(['', 'a', 'bc', 'longer text']);
  return dice.of<() => Said>([
    () => asked(text()),
    () => delta(text()),
    () => delta(text()),
    () => thinks(text()),
    () => whole(text()),
    () => calls(id()),
    () => ({ type: 'tool.result', id: id(), result: text() }),
    () => ({ type: 'tool.error', id: id(), error: text() }),
    () => ({ type: 'file.changed', path: text(), action: 'write' }),
    () => ({ type: 'version.created', versionId: id(), filesChanged: 2 }),
    () => usage(1, 2, 0.5),
    () => ({ ...usage(0, 0, 0), retry: { cause: 'rate_limited', at: at(9) } }) as Said,
    () => ({ type: 'session.compaction_start' }),
    () => ({ type: 'session.compaction_complete', tokensBefore: dice.below(3), tokensAfter: 1 }),
    () => waits(id()),
    () => done,
    () => ({ type: 'session.error', error: 'internal', message: text() }),
  ])();
}

test('the same events give the same log, however they were cut into streams and pages', () => {
  const dice = new Dice(1);
  for (let round = 0; round < 300; round++) {
    const events = chat(...dice.list(40, () => random(dice)));
    const expected = addAll([], events);
    assert.deepEqual(dice.cut(events).reduce(addAll, [] as Turn[]), expected);
    const begin = events.findLastIndex(({ type }) => type === 'user.message');
    if (begin < 0) continue;
    // A page of the history ends at the start of a turn and is prepended.
    const [older, newer] = [addAll([], events.slice(0, begin)), addAll([], events.slice(begin))];
    assert.deepEqual(newer, expected.slice(older.length));
  }
});

test('shown events are never changed, only replaced', () => {
  const dice = new Dice(2);
  for (let round = 0; round < 100; round++) {
    chat(...dice.list(40, () => random(dice))).reduce(
      (turns, event) => frozen(add(turns, event)),
      frozen([] as Turn[]),
    );
  }
});

test('no two turns and no two items of a turn share a key', () => {
  const dice = new Dice(3);
  for (let round = 0; round < 100; round++) {
    const turns = addAll([], chat(...dice.list(60, () => random(dice))));
    assert.equal(new Set(turns.map(({ key }) => key)).size, turns.length);
    for (const { items } of turns) assert.equal(new Set(items.map(({ key }) => key)).size, items.length);
  }
});

test('a call waits in its turn, and the next message says what became of it', () => {
  const answered = {
    type: 'user.message',
    text: 'Yes',
    attachments: null,
    by: 'ada',
    approval: { id: '1', allow: true },
  };
  const turns = addAll([], chat(asked(), calls('1', 'call_connector'), waits('1'), answered as Said, done));
  assert.deepEqual(turns[0]!.request, {
    id: '1',
    connector: 'Tracker',
    tool: 'close',
    args: { id: 7 },
    reason: 'consent',
  });
  assert.deepEqual(
    turns.map(({ allowed }) => allowed),
    [null, true],
  );
  assert.deepEqual([undefined, turns[1]].map(hasLapsed), [false, false]);
  assert.equal(hasLapsed(addAll(turns.slice(0, 1), chat(asked('Something else')))[1]), true);
});

test('nothing of a run that has ended is under way', () => {
  const dice = new Dice(4);
  for (let round = 0; round < 200; round++) {
    const { items, retry, end } = addAll([], chat(...dice.list(30, () => random(dice)), done)).at(-1)!;
    assert.deepEqual(end, { kind: 'complete', reason: 'done', question: null });
    assert.equal(retry, null);
    for (const item of items) {
      assert(item.kind !== 'tool' || item.state !== 'running');
      assert(item.kind !== 'text' || item.done);
      assert(item.kind !== 'thinking' || item.ended !== null);
      assert(item.kind !== 'compaction' || item.done);
    }
  }
});

test('pieces of an answer are one text, which the whole closes', () => {
  const [text] = itemsOf(delta('Hel'), delta('lo'), whole('Hello')) as TextItem[];
  assert.deepEqual(text, { kind: 'text', key: 2, text: 'Hello', edition: 0, done: true });
});

test('the whole counts where the pieces say something else', () => {
  const [text] = itemsOf(delta('Help'), whole('Hello')) as TextItem[];
  assert.deepEqual(text, { kind: 'text', key: 2, text: 'Hello', edition: 1, done: true });
});

test('an answer without pieces is shown', () => {
  assert.deepEqual(itemsOf(whole('Hello')), [{ kind: 'text', key: 2, text: 'Hello', edition: 0, done: true }]);
});

test('pieces around a tool are not told twice by the whole', () => {
  const items = itemsOf(
    delta('One. '),
    calls('1'),
    { type: 'tool.result', id: '1', result: 'ok' },
    delta('Two.'),
    whole('One. Two.'),
  );
  assert.deepEqual(
    items.filter(({ kind }) => kind === 'text').map((item) => (item as TextItem).text),
    ['One. ', 'Two.'],
  );
});

test('thinking ends when the answer begins', () => {
  const [thinking] = itemsOf(thinks('Hm'), thinks('…'), delta('Yes')) as ThinkingItem[];
  assert.deepEqual(thinking, { kind: 'thinking', key: 2, text: 'Hm…', began: at(2), ended: at(4) });
});

test('a tool is answered once, by its id, the last one first', () => {
  const items = itemsOf(
    calls('1'),
    calls('1'),
    { type: 'tool.result', id: '1', result: 'second' },
    { type: 'tool.error', id: '1', error: 'first' },
    { type: 'tool.result', id: '1', result: 'late' },
  ) as ToolItem[];
  assert.deepEqual(
    items.map(({ state, output }) => [state, output]),
    [
      ['failed', 'first'],
      ['done', 'second'],
    ],
  );
});

test('a result for a call that nobody made is no item', () => {
  assert.deepEqual(
    itemsOf({ type: 'tool.result', id: '7', result: 'x' }, { type: 'file.changed', path: 'a', action: 'write' }),
    [],
  );
});

test('a changed file belongs to the first call under way', () => {
  const [first, second] = itemsOf(calls('1'), calls('2'), {
    type: 'file.changed',
    path: 'a.ts',
    action: 'write',
  }) as ToolItem[];
  assert.deepEqual([first!.files, second!.files], [[{ path: 'a.ts', action: 'write' }], []]);
});

test('arguments that are not an object are ignored', () => {
  for (const args of [null, 'text', 7, ['a']]) {
    const [tool] = itemsOf({ type: 'tool.call', id: '1', tool: 'x', args }) as ToolItem[];
    assert.deepEqual(tool!.args, {});
  }
});

test('a run that was cut off is closed by the next message', () => {
  const turns = addAll([], chat(asked(), thinks('Hm'), calls('1'), asked('Again')));
  assert.deepEqual(
    turns.map(({ text, end }) => [text, end]),
    [
      ['Make it blue', null],
      ['Again', null],
    ],
  );
  assert.deepEqual(
    turns[0]!.items.map((item) => (item.kind === 'tool' ? item.state : (item as ThinkingItem).ended)),
    [at(3), 'failed'],
  );
});

test('events without the message before them are a turn of their own', () => {
  const turn = only(addAll([], chat(delta('Hello'), delta('!'))));
  assert.deepEqual([turn.key, turn.by, (turn.items[0] as TextItem).text], [1, '', 'Hello!']);
});

test('a summary that made nothing shorter is not told of', () => {
  const begun: Said = { type: 'session.compaction_start' };
  assert.deepEqual(itemsOf(begun, { type: 'session.compaction_complete', tokensBefore: 9, tokensAfter: 9 }), []);
  assert.deepEqual(itemsOf(begun, { type: 'session.compaction_complete', tokensBefore: 9, tokensAfter: 3 }), [
    { kind: 'compaction', key: 2, done: true },
  ]);
});

test('model calls are summed up, failed ones are not', () => {
  const events = chat(asked(), usage(10, 2, 0.25), {
    ...usage(5, 5, 5),
    retry: { cause: 'rate_limited', at: at(9) },
  } as Said);
  assert.deepEqual(only(addAll([], events)).retry, { cause: 'rate_limited', at: at(9) });
  const turn = only(
    addAll(
      [],
      chat(
        asked(),
        usage(10, 2, 0.25),
        { ...usage(5, 5, 5), retry: { cause: 'rate_limited', at: at(9) } } as Said,
        { ...usage(1, 1, 0.5), cachedTokens: 7 } as Said,
      ),
    ),
  );
  assert.equal(turn.retry, null);
  assert.deepEqual(turn.usage, { inputTokens: 11, cachedTokens: 7, outputTokens: 3, cost: 0.75 });
});

test('an event of a newer service changes nothing', () => {
  const turns = addAll([], chat(asked(), delta('Hello')));
  assert.deepEqual(add(turns, { type: 'session.sparkles', seq: 3, createdAt: at(3) } as unknown as ChatEvent), turns);
});

test('a turn tells its words, versions and steps', () => {
  const call: Said = { type: 'tool.call', id: '1', tool: 'write_file', args: { path: 'a' } };
  const version = (versionId: string): Said => ({ type: 'version.created', versionId, filesChanged: 1 });
  const said = (text: string): Said => ({ type: 'assistant.message', text });
  const [turn] = addAll([], chat(asked(), said(' One. '), call, version('v1'), said('Two.'), version('v2')));
  assert.equal(answerOf(turn!), 'One.\n\nTwo.');
  assert.deepEqual(versionsOf(turn!), ['v2', 'v1']);
  assert.equal(stepsOf(turn!), 1);
});

test('a message keeps its command and what it is about', () => {
  const references = [{ type: 'file' as const, path: 'a.ts' }];
  const [turn] = addAll(
    [],
    chat({ type: 'user.message', text: '/fix @a.ts', attachments: null, by: 'ada', command: 'fix', references }),
  );
  assert.equal(turn?.command, 'fix');
  assert.deepEqual(turn?.references, references);
});

test('a step lasts until the next event that is no check', () => {
  const step = (...said: Said[]) => only(addAll([], chat(asked(), ...said))).step;
  const checks: Said = { type: 'session.step', step: 'checks' };
  const passed: Said = { type: 'check.result', name: 'a', title: 'A', passed: true };
  assert.deepEqual(step({ type: 'session.step', step: 'mend', faults: 2 }), { step: 'mend', faults: 2 });
  assert.deepEqual(step(checks, passed), { step: 'checks', faults: 0 });
  assert.equal(step(checks, passed, delta('Now it is green.')), null);
});

test('the steps of a long turn that ended well are its work, and what people keep is not', () => {
  const steps = (count: number, tool?: string) =>
    Array.from({ length: count }, (_, n): Said[] => [
      whole(`I write ${n}`),
      calls(`${n}`, tool),
      { type: 'tool.result', id: `${n}`, result: '' },
    ]).flat();
  const made: Said[] = [{ type: 'version.created', versionId: 'v', filesChanged: 2 }, whole('It is done.')];
  const kinds = (...said: Said[]) => workOf(only(addAll([], chat(asked(), ...said)))).map(({ kind }) => kind);
  assert.deepEqual(kinds(...steps(4), ...made, done), []);
  assert.deepEqual(kinds(...steps(5), ...made), []);
  assert.deepEqual(kinds(...steps(5), ...made, { ...done, reason: 'stopped' }), []);
  assert.deepEqual(kinds(...steps(5), ...made, done), Array.from({ length: 5 }, () => ['text', 'tool']).flat());
  assert.deepEqual(kinds(...steps(4), ...steps(1, 'generate_image'), ...made, done).slice(-1), ['text']);
});
