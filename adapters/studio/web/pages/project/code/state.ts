// The state machine of an open file: states, events, and the actions that follow. It reads,
// saves and merges nothing; OpenFile and its saver carry the actions out.

/** Content is a text that can be compared. */
interface Content<T> {
  eq: (other: T) => boolean;
}

/** Theirs is the file as somebody else changed it; both are null if they deleted it. */
export interface Theirs<T> {
  text: T | null;
  etag: string | null;
}

/** Sync is the state of the editor's text. */
export type Sync<T, S> =
  | { kind: 'saved' | 'unsaved' | 'saving' }
  /** The service was not reached; it is tried again. */
  | { kind: 'waiting' }
  | { kind: 'refused'; problem: unknown }
  /** Somebody has to choose between the editor's text and another. */
  | { kind: 'conflict'; theirs: Theirs<T> }
  /** The text is shared in the room, which saves it. */
  | { kind: 'room'; shared: S; text: 'saved' | 'saving' | 'offline' };

/** Editing is a text in the editor. */
export interface Editing<T, S> {
  kind: 'text';
  /** base is the text that the service had last, as far as it is known; etag is its tag, null when the service has no such file. */
  base: T | null;
  etag: string | null;
  /** typed is whether somebody has typed here since the file was opened. */
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

/** Present is the editor's current text; synced is whether the room has sent its whole state. */
interface Present<T> {
  doc: T;
  synced: boolean;
}

type EditingHappening<T, S> =
  | ({ type: 'typed' } & Present<T>)
  /** The editor's text changed, or the room's connection did. */
  | ({ type: 'settle' } & Present<T>)
  | { type: 'sending' }
  /** The service has a text that was sent, or that it told of. */
  | ({ type: 'saved' | 'heard'; base: T; etag: string } & Present<T>)
  /** Somebody else saved in between. */
  | { type: 'overtaken' }
  | { type: 'unreached' }
  | { type: 'refused'; problem: unknown }
  | { type: 'joined'; shared: S }
  | { type: 'parted' }
  /** What somebody else saved is part of the editor's text, or cannot be. */
  | ({ type: 'merged'; base: T; etag: string } & Present<T>)
  | { type: 'clashed'; theirs: Theirs<T> }
  | { type: 'keep mine' | 'take theirs' }
  | { type: 'forgotten' };

/** next is the state after something happened. What cannot happen in a state leaves it as it is. */
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
      return { kind: 'text', base: event.base, etag: event.etag, typed: false, sync: { kind: event.as } };
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
      return sync.kind === 'conflict' ? state : settled({ ...state, base: event.base, etag: event.etag }, event);
    case 'heard':
      return sync.kind === 'room' ? settled({ ...state, base: event.base, etag: event.etag }, event) : state;
    case 'merged':
      return settled({ ...state, base: event.base, etag: event.etag }, event);
    case 'joined':
      return sync.kind === 'saved' ? { ...state, sync: { kind: 'room', shared: event.shared, text: 'saved' } } : state;
    case 'parted':
      return sync.kind === 'room' ? { ...state, sync: { kind: sync.text === 'saved' ? 'saved' : 'unsaved' } } : state;
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

type SendingHappening = Extract<
  EditingHappening<never, never>,
  { type: 'sending' | 'overtaken' | 'unreached' | 'refused' }
>;

// sent follows a save by the editor, which saves neither in a room nor during a conflict.
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

// settled compares the text here with the one that the service has.
function settled<T extends Content<T>, S>(state: Editing<T, S>, { doc, synced }: Present<T>): Editing<T, S> {
  const { base, sync } = state;
  const same = base !== null && doc.eq(base);
  if (sync.kind !== 'room') return { ...state, sync: { kind: same ? 'saved' : 'unsaved' } };
  return { ...state, sync: { ...sync, text: same ? 'saved' : synced ? 'saving' : 'offline' } };
}

// chosen ends a conflict: from then on the other text counts as the service's.
function chosen<T, S>(state: Editing<T, S>, theirs: Theirs<T>, choice: 'keep mine' | 'take theirs'): Editing<T, S> {
  const sync: Sync<T, S> = { kind: choice === 'keep mine' ? 'unsaved' : 'saved' };
  return { ...state, base: theirs.text, etag: theirs.etag, sync };
}

/** Kind says how a file is shown. */
export type Kind = 'loading' | 'text' | 'image' | 'binary' | 'large' | 'failed';

export function kindOf<T, S>(state: State<T, S>): Kind {
  return state.kind === 'unreadable' ? state.as : state.kind;
}

/** Saving says where the text is in a word. */
export type Saving = 'saved' | 'unsaved' | 'saving' | 'waiting' | 'conflict' | 'refused' | 'offline';

export function savingOf<T, S>(state: State<T, S>): Saving {
  if (state.kind !== 'text') return 'saved';
  return state.sync.kind === 'room' ? state.sync.text : state.sync.kind;
}

/** problemOf is why a file could not be loaded, or is not saved. */
export function problemOf<T, S>(state: State<T, S>): unknown {
  if (state.kind === 'unreadable') return state.problem;
  return state.kind === 'text' && state.sync.kind === 'refused' ? state.sync.problem : null;
}

export function theirsOf<T, S>(state: State<T, S>): Theirs<T> | null {
  return state.kind === 'text' && state.sync.kind === 'conflict' ? state.sync.theirs : null;
}

/** sharedOf returns the shared text while the file is edited in the room. */
export function sharedOf<T, S>(state: State<T, S>): S | null {
  return state.kind === 'text' && state.sync.kind === 'room' ? state.sync.shared : null;
}
