// The cursor positions of the user and of the others.

import { effect, type ReadonlySignal } from '@preact/signals';

import type { Peer } from '../../live/events';
import type { ProjectStore } from '../../store';
import type { OpenFile } from '../openfile';
import { type Mark, marking, topOf } from './cursors';
import type { Room } from './room';

/** pause is the interval between updates of a moving cursor, in milliseconds. */
const pause = 80;

/** Said is another client's unchecked awareness state. */
interface Said {
  user?: { id?: unknown; name?: unknown; color?: unknown };
  cursor?: {
    file?: unknown;
    selection?: { start?: unknown; end?: unknown } | null;
    anchor?: unknown;
    head?: unknown;
  } | null;
}

/** View is the visible part of a file. */
interface View {
  readonly store: ProjectStore;
  readonly current: ReadonlySignal<OpenFile | null>;
}

/** Whereabouts sends the user's cursor and shows the others'. */
export class Whereabouts {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private frame = 0;

  constructor(
    private readonly desk: View,
    private readonly room: Room,
  ) {}

  start(): () => void {
    const end = effect(() => {
      const { current, store } = this.desk;
      const path = store.pane.value === 'code' ? (current.value?.path.value ?? null) : null;
      store.live.be(path);
      this.tell();
    });
    return () => {
      end();
      clearTimeout(this.timer);
      cancelAnimationFrame(this.frame);
      this.desk.store.live.be(null);
    };
  }

  /** tell schedules sending the user's position. */
  tell(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.say();
    }, pause);
  }

  private say(): void {
    const { current, store } = this.desk;
    const file = store.pane.peek() === 'code' ? current.peek() : null;
    if (!file?.view || !file.shared) {
      this.room.awareness.setLocalState({ user: {}, cursor: null });
      return;
    }
    const { shared, view } = file;
    const { anchor, head, from, to } = view.state.selection.main;
    this.room.awareness.setLocalState({
      user: {},
      cursor: {
        file: file.path.peek(),
        selection: { start: shared.index(from), end: shared.index(to) },
        anchor: shared.spot(anchor),
        head: shared.spot(head),
      },
      position: { top: shared.index(topOf(view)) },
    });
    this.show();
  }

  /** show draws the other users' cursors in the next frame. */
  show(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const file = this.desk.current.peek();
      if (file?.view) file.view.dispatch({ effects: marking(this.marksIn(file)) });
    });
  }

  private marksIn(file: OpenFile): Mark[] {
    const { shared } = file;
    if (!shared) return [];
    const marks: Mark[] = [];
    for (const [client, state] of this.room.awareness.getStates()) {
      const { user, cursor } = state as Said;
      if (client === this.room.doc.clientID || cursor?.file !== file.path.peek()) continue;
      const { start, end } = cursor.selection ?? {};
      const at = (spot: unknown, index: unknown) =>
        spot && typeof spot === 'object'
          ? shared.find(spot)
          : typeof index === 'number'
            ? shared.position(index)
            : null;
      const [anchor, head] = [at(cursor.anchor, start), at(cursor.head, end)];
      if (anchor === null || head === null) continue;
      marks.push({ name: String(user?.name ?? ''), color: colorOf(user?.color), anchor, head });
    }
    return marks;
  }
}

function colorOf(color: unknown): string {
  return typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : 'var(--accent)';
}

/** sightOf returns the followed user's first visible line and cursor. */
export function sightOf({ cursor, selection }: Peer): { top: number | null; head: number | null } {
  const top = (cursor as { top?: unknown } | null | undefined)?.top;
  return { top: typeof top === 'number' ? top : null, head: selection?.end ?? null };
}
