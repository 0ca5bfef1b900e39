// The state machine of an open file: states, events and actions. It makes no calls;
// OpenFile and its saver perform the actions.

/** Content is a text that can be compared. */
interface Content<T> {
  eq: (other: T) => boolean;
}

/** Theirs is another user's version of the file; both members are null if the file was deleted. */
export interface Theirs<T> {
  text: T | null;
  etag: string | null;
}

/** Sync is the state of saving the editor's text. */
export type Sync<T, S> =
  | { kind: 'saved' | 'unsaved' | 'saving' }
  /** The service was unreachable; saving is retried. */
  | { kind: 'waiting' }
  | { kind: 'refused'; problem: unknown }
  /** The user must choose between the two texts. */
  | { kind: 'conflict'; theirs: Theirs<T> }
  /** The room saves the shared text. */
  | { kind: 'room'; shared: S; text: 'saved' | 'saving' | 'offline' };

/** Editing is the state of a text file. */
export interface Editing<T, S> {
  kind: 'text';
  /**
   * base is the last known text of the service; etag is its tag, null if the service does
   * not have the file.
   */
  base: T | null;
  etag: string | null;
  /** left is the room's text at the time the file left it, until the service reports one. */
  left: T | null;
  /** typed is true once the user has changed the text. */
  typed: boolean;
  sync: Sync<T, S>;
}

export type State<T, S> =
  | { kind: 'loading' }
  | { kind: 'image' }
  | { kind: 'unreadable'; as: 'binary' | 'large' | 'failed'; problem: unknown }
  | Editing<T, S>;

export type Happening<T, S> =
  | { type: 'load' }
  | { type: 'image' }
  | { type: 'unreadable'; as: 'binary' | 'large' | 'failed'; problem: unknown }
  | { type: 'opened'; base: T | null; etag: string | null; as: 'saved' | 'unsaved' }
  | EditingHappening<T, S>;

/** Present is the editor's current text; synced is true once the room has sent its whole state. */
interface Present<T> {
  doc: T;
  synced: boolean;
}

type EditingHappening<T, S> =
  | ({ type: 'typed' } & Present<T>)
  /** The editor's text or the room's connection changed. */
  | ({ type: 'settle' } & Present<T>)
  | { type: 'sending' }
  /** The service accepted the sent text, or reported a text. */
  | ({ type: 'saved' | 'heard'; base: T; etag: string } & Present<T>)
  /** Another user saved in the meantime. */
  | { type: 'overtaken' }
  | { type: 'unreached' }
  | { type: 'refused'; problem: unknown }
  | { type: 'joined'; shared: S }
  | { type: 'parted'; doc: T }
  /** Another user's text was merged into the editor's, or conflicts with it. */
  | ({ type: 'merged'; base: T; etag: string } & Present<T>)
  | { type: 'clashed'; theirs: Theirs<T> }
  | { type: 'keep mine' | 'take theirs' }
  | { type: 'forgotten' };

/** next returns the state after an event. It ignores events that are impossible in a state. */
export function next<T extends Content<T>, S>(state: State<T, S>, event: Happening<T, S>): State<T, S> {
  switch (event.type) {
    case 'load':
      return state.kind === 'text' ? state : { kind: 'loading' };
    case 'image':
      return state.kind === 'loading' ? { kind: 'image' } : state;
    case 'unreadable':
      return { kind: 'unreadable', as: event.as, problem: event.problem };
    case 'opened':
      if (state.kind !== 'loading') return state;
      return { kind: 'text', base: event.base, etag: event.etag, left: null, typed: false, sync: { kind: event.as } };
    default:
      return state.kind === 'text' ? edited(state, event) : state;
  }
}

function edited<T extends Content<T>, S>(state: Editing<T, S>, event: EditingHappening<T, S>): Editing<T, S> {
  const { sync } = state;
  switch (event.type) {
    case 'typed': {
      const typed = { ...state, typed: true };
      if (sync.kind === 'room') return settled(typed, event);
      return sync.kind === 'conflict' ? typed : { ...typed, sync: { kind: 'unsaved' } };
    }
    case 'settle':
      return sync.kind === 'conflict' ? state : settled(state, event);
    case 'saved':
      return sync.kind === 'conflict' ? state : settled(reported(state, event), event);
    case 'heard':
      return sync.kind === 'room' ? settled(reported(state, event), event) : state;
    case 'merged':
      return settled(reported(state, event), event);
    case 'joined':
      return sync.kind === 'saved' ? { ...state, sync: { kind: 'room', shared: event.shared, text: 'saved' } } : state;
    case 'parted':
      if (sync.kind !== 'room') return state;
      return { ...state, left: event.doc, sync: { kind: sync.text === 'saved' ? 'saved' : 'unsaved' } };
    case 'clashed':
      return { ...state, sync: { kind: 'conflict', theirs: event.theirs } };
    case 'keep mine':
    case 'take theirs':
      return sync.kind === 'conflict' ? chosen(state, sync.theirs, event.type) : state;
    case 'forgotten':
      return { ...state, sync: { kind: 'saved' } };
    default:
      return { ...state, sync: sent(sync, event) };
  }
}

// reported replaces the last known text of the service.
function reported<T, S>(state: Editing<T, S>, { base, etag }: { base: T; etag: string }): Editing<T, S> {
  return { ...state, base, etag, left: null };
}

type SendingHappening = Extract<
  EditingHappening<never, never>,
  { type: 'sending' | 'overtaken' | 'unreached' | 'refused' }
>;

// sent applies the result of a save. There are no saves in a room or during a conflict.
function sent<T, S>(sync: Sync<T, S>, event: SendingHappening): Sync<T, S> {
  if (sync.kind === 'room' || sync.kind === 'conflict' || sync.kind === 'saved') return sync;
  switch (event.type) {
    case 'sending':
      return { kind: 'saving' };
    case 'overtaken':
      return { kind: 'unsaved' };
    case 'unreached':
      return { kind: 'waiting' };
    case 'refused':
      return { kind: 'refused', problem: event.problem };
  }
}

// settled compares the editor's text with the service's.
function settled<T extends Content<T>, S>(state: Editing<T, S>, { doc, synced }: Present<T>): Editing<T, S> {
  const { base, sync } = state;
  const same = base !== null && doc.eq(base);
  if (sync.kind !== 'room') return { ...state, sync: { kind: same ? 'saved' : 'unsaved' } };
  return { ...state, sync: { ...sync, text: same ? 'saved' : synced ? 'saving' : 'offline' } };
}

// chosen ends a conflict. The other text then counts as the service's.
function chosen<T, S>(state: Editing<T, S>, theirs: Theirs<T>, choice: 'keep mine' | 'take theirs'): Editing<T, S> {
  const sync: Sync<T, S> = { kind: choice === 'keep mine' ? 'unsaved' : 'saved' };
  return { ...state, base: theirs.text, etag: theirs.etag, left: null, sync };
}

/** Kind is how a file is displayed. */
export type Kind = 'loading' | 'text' | 'image' | 'binary' | 'large' | 'failed';

export function kindOf<T, S>(state: State<T, S>): Kind {
  return state.kind === 'unreadable' ? state.as : state.kind;
}

/** Saving is the save state that the status line shows. */
export type Saving = 'saved' | 'unsaved' | 'saving' | 'waiting' | 'conflict' | 'refused' | 'offline';

export function savingOf<T, S>(state: State<T, S>): Saving {
  if (state.kind !== 'text') return 'saved';
  return state.sync.kind === 'room' ? state.sync.text : state.sync.kind;
}

/** problemOf returns why a file could not be loaded or saved. */
export function problemOf<T, S>(state: State<T, S>): unknown {
  if (state.kind === 'unreadable') return state.problem;
  return state.kind === 'text' && state.sync.kind === 'refused' ? state.sync.problem : null;
}

export function theirsOf<T, S>(state: State<T, S>): Theirs<T> | null {
  return state.kind === 'text' && state.sync.kind === 'conflict' ? state.sync.theirs : null;
}

/** sharedOf returns the shared text of a file that is edited in the room, or null. */
export function sharedOf<T, S>(state: State<T, S>): S | null {
  return state.kind === 'text' && state.sync.kind === 'room' ? state.sync.shared : null;
}
