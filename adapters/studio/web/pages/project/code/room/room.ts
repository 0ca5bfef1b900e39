// The project's room: the Yjs document that users and the agent edit together, over the
// y-websocket protocol.

import { effect, signal } from '@preact/signals';
import { createDecoder, readVarString, readVarUint, readVarUint8Array } from 'lib0/decoding';
import { createEncoder, type Encoder, length, toUint8Array, writeVarUint, writeVarUint8Array } from 'lib0/encoding';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness';
import {
  messageYjsSyncStep1,
  messageYjsSyncStep2,
  readSyncMessage,
  writeSyncStep1,
  writeUpdate,
} from 'y-protocols/sync';
import { Doc, type Map as SharedMap, Text } from 'yjs';

import { Link } from '../../live/link';

// The message types of y-websocket.
const [sync, awareness, auth] = [0, 1, 2];

// The delay after an edit, in milliseconds, before asking whether the room has received it.
const pause = 250;

/** Listener receives the events of a room. */
interface Listener {
  /** changed reports the paths whose text was replaced or removed. */
  changed: (paths: string[]) => void;
  /** moved is called when other users' cursors move. */
  moved: () => void;
  /** refused is called with the reason if the room rejects the user's edits. */
  refused: (why: string) => void;
}

/** Room is the local replica of the document. */
export class Room {
  readonly doc = new Doc();
  readonly awareness = new Awareness(this.doc);
  readonly link: Link;
  /** synced is true if both sides have the same state; edits are then sent immediately. */
  readonly synced = signal(false);
  /** edits counts the user's edits; arrived is the number of those that the room has confirmed. */
  edits = 0;
  readonly arrived = signal(0);

  private readonly files: SharedMap<unknown> = this.doc.getMap('files');
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** asked has, for each unanswered question, the number of edits sent before it. */
  private asked: number[] = [];

  constructor(
    projectId: string,
    private readonly listener: Listener,
  ) {
    this.link = new Link(projectId, null, {
      open: () => this.greet(),
      hear: (data) => this.hear(new Uint8Array(data as ArrayBuffer)),
    });
  }

  start(): () => void {
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== this.link) this.send(sync, (to) => writeUpdate(to, update));
    });
    this.files.observe((event) => this.listener.changed([...event.keysChanged]));
    this.awareness.on('change', () => this.listener.moved());
    this.awareness.on('update', (_: unknown, origin: unknown) => {
      if (origin === 'local') this.sayWhere();
    });
    const end = effect(() => {
      if (this.link.state.value !== 'up') this.apart();
    });
    this.link.open();
    return () => {
      end();
      clearTimeout(this.timer);
      removeAwarenessStates(this.awareness, [this.doc.clientID], 'local');
      this.link.close();
      this.doc.destroy();
    };
  }

  /** textOf returns the shared text of a file, or null. */
  textOf(path: string): Text | null {
    const found = this.synced.peek() ? this.files.get(path) : null;
    return found instanceof Text ? found : null;
  }

  /** edited counts an edit and schedules the question whether it has arrived. */
  edited(): number {
    this.askSoon();
    return ++this.edits;
  }

  private askSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
  }

  // ask requests missing updates. The room answers after applying all earlier ones.
  private ask(): void {
    if (this.link.state.peek() !== 'up') return;
    this.asked.push(this.edits);
    this.link.ask(message(sync, (to) => writeSyncStep1(to, this.doc)));
  }

  private greet(): void {
    this.asked = [];
    this.ask();
    this.sayWhere();
  }

  // apart handles a lost connection. It clears the list of users.
  private apart(): void {
    this.synced.value = false;
    this.asked = [];
    const others = [...this.awareness.getStates().keys()].filter((client) => client !== this.doc.clientID);
    removeAwarenessStates(this.awareness, others, this.link);
  }

  private sayWhere(): void {
    this.send(awareness, (to) => writeVarUint8Array(to, encodeAwarenessUpdate(this.awareness, [this.doc.clientID])));
  }

  private send(kind: number, write: (to: Encoder) => void): void {
    this.link.send(message(kind, write));
  }

  private hear(data: Uint8Array): void {
    const from = createDecoder(data);
    switch (readVarUint(from)) {
      case sync: {
        const answer = createEncoder();
        writeVarUint(answer, sync);
        const kind = readSyncMessage(from, answer, this.doc, this.link);
        if (length(answer) > 1) this.link.send(toUint8Array(answer));
        if (kind === messageYjsSyncStep1) this.askSoon();
        if (kind === messageYjsSyncStep2) this.answered();
        break;
      }
      case awareness:
        applyAwarenessUpdate(this.awareness, readVarUint8Array(from), this.link);
        break;
      case auth:
        if (readVarUint(from) === 0) this.listener.refused(readVarString(from));
        break;
    }
  }

  private answered(): void {
    this.arrived.value = this.asked.shift() ?? this.arrived.value;
    this.synced.value = true;
  }
}

function message(kind: number, write: (to: Encoder) => void): Uint8Array<ArrayBuffer> {
  const made = createEncoder();
  writeVarUint(made, kind);
  write(made);
  return toUint8Array(made);
}
