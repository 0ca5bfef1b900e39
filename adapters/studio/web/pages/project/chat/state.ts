// The state machine of a conversation: states, events and actions. It makes no calls;
// Conversation performs the actions.

import type { ChatEvent } from './events';
import { ends } from './events';

/** Run is a run that the page follows, started here or by others. */
export interface Run {
  /** link is the connection that delivers its events. */
  link: 'up' | 'lost';
  wish: 'go on' | 'stop';
  /** arrived is the id of a message that the service accepted, until its event arrives. */
  arrived: string;
}

/** Open is the state of an open conversation. */
export type Open =
  | { kind: 'loading' }
  | { kind: 'failed'; error: unknown }
  /** The log is loaded. A message may be in transit, a run may be followed, or both. */
  | { kind: 'ready'; outbox: 'resting' | 'sending'; run: Run | null };

/** State is the state of a conversation. A closed one keeps its last state. */
export type State = Open | { kind: 'left'; was: Open };

export type Happening =
  | { type: 'load' }
  | { type: 'loaded' }
  | { type: 'not loaded'; error: unknown }
  /** This tab claims a message of the queue, and releases it. */
  | { type: 'claim' }
  | { type: 'release' }
  /** The page follows a run, and stops following it. */
  | { type: 'watch' }
  | { type: 'over' }
  /** The service accepted a call for a run; message is the accepted message's id. */
  | { type: 'answered'; message?: string }
  | { type: 'lost' }
  | { type: 'shown' }
  | { type: 'stop' }
  | { type: 'not stopped' }
  | { type: 'leave' };

export const loading: State = { kind: 'loading' };

const begun: Run = { link: 'up', wish: 'go on', arrived: '' };

/** next returns the state after an event. It ignores events that are impossible in a state. */
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

/** seen returns the part of the state that the page shows. */
export function seen(state: State): Open {
  return state.kind === 'left' ? state.was : state;
}

/** runOf returns the run that the page follows, or null. */
export function runOf(state: State): Run | null {
  const open = seen(state);
  return open.kind === 'ready' ? open.run : null;
}

/**
 * isResting reports whether a conversation can start something: no message is in transit
 * and no run is followed.
 */
export function isResting(state: State): state is Extract<Open, { kind: 'ready' }> {
  return state.kind === 'ready' && state.outbox === 'resting' && state.run === null;
}

/** Position is the end of the log. */
export interface Position {
  /** last is the seq of the newest event, 0 before the first. */
  last: number;
  /** run is 'over' after the last event of a run, and before the first event. */
  run: 'under way' | 'over';
}

export const beginning: Position = { last: 0, run: 'over' };

/** at returns the position after an event. */
export function at(event: ChatEvent): Position {
  return { last: event.seq, run: ends(event) ? 'over' : 'under way' };
}

/** place compares an event with the log: the next one, a known one, or one after a gap. */
export function place(position: Position, event: ChatEvent): 'next' | 'known' | 'gap' {
  if (event.seq <= position.last) return 'known';
  return event.seq === position.last + 1 ? 'next' : 'gap';
}

/** Attempt is the result of one call for a run. */
export type Attempt =
  /**
   * begins is true if the call was to start the run; status is 0 if the service was
   * unreachable.
   */
  | { kind: 'refused'; status: number; begins: boolean }
  /** The stream ended or broke off; before and after are the positions around it. */
  | { kind: 'whole' | 'cut'; before: Position; after: Position };

/**
 * verdict decides what follows a call for a run: 'again' reconnects from the end of the
 * log, 'ask' does so if the service reports an active run, 'done' stops, and 'fail' shows
 * the error.
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

/**
 * Refusal is why a message was not sent: the code and status of the error, '' and 0 for an
 * error that is not the service's.
 */
export interface Refusal {
  code: string;
  status: number;
  /** left is true if the user has closed the chat in the meantime. */
  left: boolean;
}

/**
 * fate decides about a message that was not sent: it 'waits' for the end of another user's
 * run, is 'doubtful' if there was no response, is 'left' to the next page, needs a 'sign
 * in' first, or is 'refused' for good.
 */
export function fate({ code, status, left }: Refusal): 'waits' | 'doubtful' | 'left' | 'sign in' | 'refused' {
  // Only a response proves that a message did not arrive. A closing page leaves the
  // question to the next page.
  if (left && (code === '' || code === 'offline')) return 'left';
  if (code === 'chat_busy') return 'waits';
  if (code === 'offline') return 'doubtful';
  return status === 401 ? 'sign in' : 'refused';
}
