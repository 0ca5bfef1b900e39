// Shared editing of the open files.

import { effect, type ReadonlySignal, type Signal, untracked } from '@preact/signals';

import type { LiveEvent, Peer } from '../../live/events';
import type { ProjectStore } from '../../store';
import type { OpenFile } from '../openfile';
import { Room } from './room';
import { Whereabouts } from './whereabouts';

/** settling is how long, in milliseconds, to wait for all events about a deleted or moved file. */
const settling = 800;

/** OpenFiles is the desk as the room sees it. */
interface OpenFiles {
  readonly store: ProjectStore;
  readonly open: ReadonlySignal<OpenFile[]>;
  readonly current: ReadonlySignal<OpenFile | null>;
  readonly sight: Signal<Peer | null>;
  /** moving is set while the user moves files. */
  readonly moving: object | null;
  find: (path: string) => OpenFile | undefined;
  bring: (path: string) => void;
  moved: (from: string, to: string) => void;
}

/** Company connects the open files with the project's room. */
export class Company {
  readonly room: Room;
  readonly whereabouts: Whereabouts;

  constructor(private readonly desk: OpenFiles) {
    this.room = new Room(desk.store.id, {
      changed: (paths) => this.reshared(paths),
      moved: () => this.whereabouts.show(),
      refused: () => this.part(),
    });
    this.whereabouts = new Whereabouts(desk, this.room);
  }

  start(): () => void {
    const { live } = this.desk.store;
    const ends = [
      effect(() => this.meet()),
      effect(() => this.accompany(live.followed.value)),
      live.listen((event) => this.hear(event)),
      this.room.start(),
      this.whereabouts.start(),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  // meet connects the open files to the room, or disconnects them from it.
  private meet(): void {
    const state = this.room.link.state.value;
    void this.room.synced.value;
    void this.room.arrived.value;
    untracked(() => {
      if (state === 'lost' || state === 'ended') return this.part();
      for (const file of this.desk.open.value) {
        if (!file.shared) file.join();
        else if (this.room.synced.value && this.room.textOf(file.path.value) !== file.shared.text)
          this.leave(file.path.value);
        else file.settle();
      }
    });
  }

  private part(): void {
    for (const file of this.desk.open.peek()) file.part();
  }

  // reshared handles files whose shared text was replaced or removed.
  private reshared(paths: string[]): void {
    for (const path of paths) {
      const file = this.desk.find(path);
      if (!file?.shared) file?.join();
      else if (this.room.synced.peek() && this.room.textOf(path) !== file.shared.text) this.leave(path);
    }
  }

  // leave disconnects a file that is being deleted or moved. An event from the service follows.
  private leave(path: string): void {
    const file = this.desk.find(path);
    file?.part();
    setTimeout(() => {
      if (file && this.desk.open.peek().includes(file)) void file.saver.look();
    }, settling);
  }

  private hear(event: LiveEvent): void {
    if (event.type === 'file.changed' && event.content !== null)
      this.desk.find(event.path)?.heard({ text: event.content, etag: event.etag });
    else if (event.type === 'file.renamed' && this.desk.moving === null) this.desk.moved(event.from, event.to);
  }

  // accompany opens the file of the followed user.
  private accompany(peer: Peer | null): void {
    const { path } = peer ?? {};
    if (!path) return;
    untracked(() => {
      if (this.desk.current.value?.path.value !== path) this.desk.bring(path);
      this.desk.sight.value = peer;
    });
  }
}
