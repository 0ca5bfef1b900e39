// The state machine of a conversation: states, events, and the actions that follow. It calls
// nothing; Conversation carries the actions out.

import type { ChatEvent } from './events';
import { ends } from './events';

/** Run is one that is watched: begun here, or by others. */
export interface Run {
  /** link is the connection on which its events come. */
  link: 'up' | 'lost';
  wish: 'go on' | 'stop';
  /** arrived is a message that the service took and whose event is about to come. */
  arrived: string;
}

/** Open is a conversation that somebody is in. */
export type Open =
  | { kind: 'loading' }
  | { kind: 'failed'; error: unknown }
  /** The log is there. A message of the queue may be on its way, a run may be watched, or both. */
  | { kind: 'ready'; outbox: 'resting' | 'sending'; run: Run | null };

/** State is where a conversation is. One that was left stays as it was. */
export type State = Open | { kind: 'left'; was: Open };

export type Happening =
  | { type: 'load' }
  | { type: 'loaded' }
  | { type: 'not loaded'; error: unknown }
  /** A message of the queue is this tab's to send, and no longer. */
  | { type: 'claim' }
  | { type: 'release' }
  /** A run is joined, or asked for, and is over or given up. */
  | { type: 'watch' }
  | { type: 'over' }
  /** The service answers a call for a run; message is what it took with it. */
  | { type: 'answered'; message?: string }
  | { type: 'lost' }
  | { type: 'shown' }
  | { type: 'stop' }
  | { type: 'not stopped' }
  | { type: 'leave' };

export const loading: State = { kind: 'loading' };

const begun: Run = { link: 'up', wish: 'go on', arrived: '' };

/** next is the state after something happened. What cannot happen in a state leaves it as it is. */
export function next(state: State, event: Happening): State {
  if (state.kind === 'left') return state;
  switch (event.type) {
    case 'leave':
      return { kind: 'left', was: state };
    case 'load':
      return state.kind === 'failed' ? loading : state;
    case 'loaded':
      return state.kind === 'loading' ? { kind: 'ready', outbox: 'resting', run: null } : state;
    case 'not loaded':
      return state.kind === 'loading' ? { kind: 'failed', error: event.error } : state;
    case 'claim':
      return isResting(state) ? { ...state, outbox: 'sending' } : state;
    case 'release':
      return state.kind === 'ready' ? { ...state, outbox: 'resting' } : state;
    case 'watch':
      return state.kind === 'ready' && !state.run ? { ...state, run: begun } : state;
    case 'over':
      return state.kind === 'ready' ? { ...state, run: null } : state;
    default:
      return state.kind === 'ready' && state.run ? { ...state, run: nextRun(state.run, event) } : state;
  }
}

type RunHappening = Extract<Happening, { type: 'answered' | 'lost' | 'shown' | 'stop' | 'not stopped' }>;

function nextRun(run: Run, event: RunHappening): Run {
  switch (event.type) {
    case 'answered':
      return { ...run, link: 'up', arrived: event.message ?? run.arrived };
    case 'lost':
      return { ...run, link: 'lost' };
    case 'shown':
      return { ...run, arrived: '' };
    case 'stop':
      return { ...run, wish: 'stop' };
    case 'not stopped':
      return { ...run, wish: 'go on' };
  }
}

/** seen is the part of a state that the page shows. */
export function seen(state: State): Open {
  return state.kind === 'left' ? state.was : state;
}

/** runOf is the run that a page shows. */
export function runOf(state: State): Run | null {
  const open = seen(state);
  return open.kind === 'ready' ? open.run : null;
}

/** isResting is whether a conversation may begin something: nothing is on its way, and no run is watched. */
export function isResting(state: State): state is Extract<Open, { kind: 'ready' }> {
  return state.kind === 'ready' && state.outbox === 'resting' && state.run === null;
}

/** Position is how far the log has come. */
export interface Position {
  /** last is the seq of the newest event, 0 before the first. */
  last: number;
  /** run is 'over' after the last event of one, and before the first of all. */
  run: 'under way' | 'over';
}

export const beginning: Position = { last: 0, run: 'over' };

/** at is the position after an event. */
export function at(event: ChatEvent): Position {
  return { last: event.seq, run: ends(event) ? 'over' : 'under way' };
}

/** place compares an event with the log: it is the next one, a known one, or one after a gap. */
export function place(position: Position, event: ChatEvent): 'next' | 'known' | 'gap' {
  if (event.seq <= position.last) return 'known';
  return event.seq === position.last + 1 ? 'next' : 'gap';
}

/** Attempt is the result of one call for a run. */
export type Attempt =
  /** begins is whether the call was to begin the run; status is 0 when the service was not reached. */
  | { kind: 'refused'; status: number; begins: boolean }
  /** The stream came to its end, or broke off; before and after are the positions around it. */
  | { kind: 'whole' | 'cut'; before: Position; after: Position };

/**
 * verdict says how to go on after a call for a run: 'again' follows it from where the
 * log is, 'ask' does so if the service says that it runs, 'done' leaves it, and 'fail'
 * tells who began it.
 */
export function verdict(attempt: Attempt): 'again' | 'ask' | 'done' | 'fail' {
  if (attempt.kind === 'refused') {
    if (attempt.begins) return 'fail';
    return attempt.status >= 400 && attempt.status < 500 && attempt.status !== 429 ? 'done' : 'again';
  }
  const { before, after } = attempt;
  if (attempt.kind === 'whole') return after.run === 'over' ? 'done' : 'ask';
  return after.run === 'over' && after.last > before.last ? 'done' : 'again';
}

/** Refusal is why a message was not sent: the code and status of the error, '' and 0 if the error is not the service's. */
export interface Refusal {
  code: string;
  status: number;
  /** left is whether the reader has left the chat in the meantime. */
  left: boolean;
}

/**
 * fate says what becomes of a message that was not sent: it 'waits' until the run of
 * somebody else is over, is 'doubtful' when no answer came, is 'left' to the page that
 * comes next, must 'sign in' first, or is 'refused' for good.
 */
export function fate({ code, status, left }: Refusal): 'waits' | 'doubtful' | 'left' | 'sign in' | 'refused' {
  // Only an answer tells that a message did not arrive. A page that is being closed leaves
  // that question to the next page.
  if (left && (code === '' || code === 'offline')) return 'left';
  if (code === 'chat_busy') return 'waits';
  if (code === 'offline') return 'doubtful';
  return status === 401 ? 'sign in' : 'refused';
}
