import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice, frozen } from '~/testing/random';
import type { ChatEvent } from './events';
import {
  at,
  beginning,
  fate,
  type Happening,
  isResting,
  loading,
  next,
  type Position,
  place,
  runOf,
  type State,
  seen,
  verdict,
} from './state';

const after = (...events: Happening[]): State => events.reduce(next, loading);
const happens = (...types: Exclude<Happening['type'], 'not loaded'>[]): Happening[] =>
  types.map((type) => ({ type }) as Happening);

const everything: Happening[] = [
  ...happens('load', 'loaded', 'claim', 'release', 'watch', 'over', 'lost', 'shown', 'stop', 'not stopped', 'leave'),
  { type: 'not loaded', error: 'no' },
  { type: 'answered' },
  { type: 'answered', message: 'hello' },
];

test('a chat is loaded, or can be loaded again', () => {
  assert.deepEqual(after(), { kind: 'loading' });
  assert.deepEqual(after(...happens('loaded')), { kind: 'ready', outbox: 'resting', run: null });
  const failed = after({ type: 'not loaded', error: 'offline' });
  assert.deepEqual(failed, { kind: 'failed', error: 'offline' });
  assert.deepEqual(next(next(failed, { type: 'load' }), { type: 'loaded' }), after(...happens('loaded')));
});

test('nothing begins before the log is there', () => {
  for (const before of [loading, after({ type: 'not loaded', error: 'no' })]) {
    for (const event of happens('claim', 'watch', 'stop', 'lost')) assert.deepEqual(next(before, event), before);
  }
});

test('a message is sent by one at a time, and not while a run is watched', () => {
  assert(isResting(after(...happens('loaded'))));
  assert(!isResting(after(...happens('loaded', 'claim'))));
  assert(!isResting(after(...happens('loaded', 'watch'))));
  assert(!isResting(after(...happens('loaded', 'claim', 'watch', 'over'))));
  assert(isResting(after(...happens('loaded', 'claim', 'watch', 'over', 'release'))));
  assert.deepEqual(after(...happens('loaded', 'watch', 'claim')), after(...happens('loaded', 'watch')));
});

test('what a run was is forgotten when it is over', () => {
  const run = after(...happens('loaded', 'watch', 'stop'), { type: 'answered', message: 'hello' }, { type: 'lost' });
  assert.deepEqual(runOf(run), { link: 'lost', wish: 'stop', arrived: 'hello' });
  const again = [...happens('over', 'watch')].reduce(next, run);
  assert.deepEqual(runOf(again), { link: 'up', wish: 'go on', arrived: '' });
});

test('to watch a run that is watched changes nothing about it', () => {
  const run = after(...happens('loaded', 'watch', 'lost', 'stop'));
  assert.equal(next(run, { type: 'watch' }), run);
});

test('a connection that is back keeps the message whose event has not come', () => {
  const run = after(...happens('loaded', 'watch'), { type: 'answered', message: 'hello' }, ...happens('lost'), {
    type: 'answered',
  });
  assert.deepEqual(runOf(run), { link: 'up', wish: 'go on', arrived: 'hello' });
  assert.equal(runOf(next(run, { type: 'shown' }))?.arrived, '');
});

test('a wish to stop that failed can be made again', () => {
  assert.equal(runOf(after(...happens('loaded', 'watch', 'stop', 'not stopped')))?.wish, 'go on');
});

test('who has left hears of nothing, and the page stays as it was', () => {
  const run = after(...happens('loaded', 'watch', 'lost'));
  const left = next(run, { type: 'leave' });
  for (const event of everything) assert.equal(next(left, event), left);
  assert.equal(seen(left), run);
  assert.deepEqual(runOf(left), runOf(run));
  assert(!isResting(next(after(...happens('loaded')), { type: 'leave' })));
});

test('whatever happens, in whatever order, no state is changed in place, and none is lost', () => {
  const dice = new Dice(81);
  for (let round = 0; round < 500; round++) {
    let state: State = frozen(loading);
    for (const event of dice.list(30, () => dice.of(everything))) {
      const come = frozen(next(state, event));
      // A loaded chat stays loaded.
      if (seen(state).kind === 'ready') assert.equal(seen(come).kind, 'ready');
      if (state.kind === 'left') assert.equal(come, state);
      state = come;
    }
    const ended = next(next(state, { type: 'over' }), { type: 'release' });
    if (ended.kind === 'ready') assert(isResting(ended));
  }
});

const event = (seq: number, type = 'assistant.message_delta') => ({ seq, type, createdAt: '' }) as ChatEvent;

test('an event is taken once and in order, whatever pages and streams repeat or leave out', () => {
  const dice = new Dice(82);
  for (let round = 0; round < 300; round++) {
    const all = Array.from({ length: 1 + dice.below(40) }, (_, index) => event(index + 1));
    const taken: number[] = [];
    let position: Position = beginning;
    for (let tries = 0; tries < 2000 && position.last < all.length; tries++) {
      // A stream starts after the log, or repeats some of it, and may lose events.
      const from = Math.max(0, position.last - dice.below(4));
      for (const come of all.slice(from, from + dice.below(12))) {
        if (dice.below(10) === 0) continue;
        const placed = place(position, come);
        if (placed === 'gap') break;
        if (placed === 'known') continue;
        taken.push(come.seq);
        position = at(come);
      }
    }
    assert.deepEqual(
      taken,
      all.map(({ seq }) => seq),
    );
  }
});

test('a run is over after its last event, and before the first of all', () => {
  assert.equal(beginning.run, 'over');
  assert.deepEqual(at(event(3)), { last: 3, run: 'under way' });
  assert.deepEqual(at(event(4, 'session.task_complete')), { last: 4, run: 'over' });
  assert.deepEqual(at(event(4, 'session.error')), { last: 4, run: 'over' });
});

test('a stream that ended well leaves a run that is over, and asks about one that is not', () => {
  const before = at(event(3));
  assert.equal(verdict({ kind: 'whole', before, after: at(event(9, 'session.error')) }), 'done');
  assert.equal(verdict({ kind: 'whole', before, after: at(event(9)) }), 'ask');
  assert.equal(verdict({ kind: 'whole', before, after: before }), 'ask');
});

test('a stream that broke off is followed on, unless it had brought the end', () => {
  const over = at(event(9, 'session.task_complete'));
  assert.equal(verdict({ kind: 'cut', before: at(event(3)), after: at(event(5)) }), 'again');
  assert.equal(verdict({ kind: 'cut', before: at(event(3)), after: over }), 'done');
  // The last known end belongs to the previous run.
  assert.equal(verdict({ kind: 'cut', before: over, after: over }), 'again');
});

test('a refusal is told to who began the run; else the run is given up, or tried again', () => {
  for (const status of [0, 404, 409, 429, 500])
    assert.equal(verdict({ kind: 'refused', status, begins: true }), 'fail');
  for (const status of [400, 403, 404, 410]) assert.equal(verdict({ kind: 'refused', status, begins: false }), 'done');
  for (const status of [0, 429, 500, 503]) assert.equal(verdict({ kind: 'refused', status, begins: false }), 'again');
});

test('a message that was not sent waits, is looked for, or says why', () => {
  assert.equal(fate({ code: 'chat_busy', status: 409, left: false }), 'waits');
  assert.equal(fate({ code: 'chat_busy', status: 409, left: true }), 'waits');
  assert.equal(fate({ code: 'offline', status: 0, left: false }), 'doubtful');
  assert.equal(fate({ code: 'unauthenticated', status: 401, left: false }), 'sign in');
  assert.equal(fate({ code: 'validation_failed', status: 400, left: false }), 'refused');
  assert.equal(fate({ code: '', status: 0, left: false }), 'refused');
});

test('of a page that was left, only an answer says that a message did not arrive', () => {
  assert.equal(fate({ code: '', status: 0, left: true }), 'left');
  assert.equal(fate({ code: 'offline', status: 0, left: true }), 'left');
  assert.equal(fate({ code: 'validation_failed', status: 400, left: true }), 'refused');
});
