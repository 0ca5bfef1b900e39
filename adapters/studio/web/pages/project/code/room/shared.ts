// Binds an editor to a shared text: local edits go to the room, remote edits to the editor.

import type { ChangeSet, ChangeSpec, Text } from '@codemirror/state';
import type { Text as SharedText, YTextEvent } from 'yjs';
import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromJSON,
  createRelativePositionFromTypeIndex,
} from 'yjs';

import { edits } from '../edits';
import { breakOf, type LineBreak, textOf } from '../text';
import type { Room } from './room';

/** Sheet is the editor of a shared file. */
interface Sheet {
  doc: () => Text;
  lineBreak: () => LineBreak;
  /** change changes the editor's text only. */
  change: (changes: ChangeSpec[], lineBreak: LineBreak) => void;
  /** odd is called if the two texts cannot be mapped to each other. */
  odd: () => void;
}

/** Spot is a relative position in the Yjs format that clients exchange. */
type Spot = object;

/** Shared keeps the editor's text and the room's text equal. */
export class Shared {
  /** last is the number of the last edit to this file. */
  private last = 0;
  private readonly take = (event: YTextEvent) => {
    if (event.transaction.origin !== this) this.took(event);
  };

  constructor(
    readonly room: Room,
    readonly text: SharedText,
    private readonly sheet: Sheet,
  ) {
    text.observe(this.take);
  }

  end(): void {
    this.text.unobserve(this.take);
  }

  /** owes reports whether the room may lack some of the user's edits. */
  get owes(): boolean {
    return this.last > this.room.arrived.peek();
  }

  /** push sends changes of the editor to the room. */
  push(changes: ChangeSet, before: Text): void {
    const lineBreak = this.sheet.lineBreak();
    this.last = this.room.edited();
    this.room.doc.transact(() => {
      let shift = 0;
      changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
        const from = indexOf(before, fromA, lineBreak) + shift;
        const length = indexOf(before, toA, lineBreak) + shift - from;
        const come = inserted.sliceString(0, undefined, lineBreak);
        if (length > 0) this.text.delete(from, length);
        if (come) this.text.insert(from, come);
        shift += come.length - length;
      });
    }, this);
  }

  private took(event: YTextEvent): void {
    const lineBreak = this.sheet.lineBreak();
    if (lineBreak === '\n') this.sheet.change(changesOf(event.delta as Delta[]), lineBreak);
    else {
      // Offsets differ if line breaks have two characters, so compare the whole texts.
      const whole = this.text.toString();
      const now = breakOf(whole);
      this.sheet.change(edits(this.sheet.doc(), textOf(whole, now)), now);
    }
    const doc = this.sheet.doc();
    if (indexOf(doc, doc.length, this.sheet.lineBreak()) !== this.text.length) this.sheet.odd();
  }

  /** index converts a position in the editor to an index in the room's text. */
  index(position: number): number {
    return indexOf(this.sheet.doc(), position, this.sheet.lineBreak());
  }

  /** position is the inverse of index. */
  position(index: number): number {
    return positionOf(this.sheet.doc(), index, this.sheet.lineBreak());
  }

  /** spot converts a position to a relative one, which stays correct while others edit. */
  spot(position: number): Spot {
    return createRelativePositionFromTypeIndex(this.text, this.index(position)) as Spot;
  }

  /** find is the inverse of spot. It returns null for a position in another text. */
  find(spot: Spot): number | null {
    try {
      const found = createAbsolutePositionFromRelativePosition(createRelativePositionFromJSON(spot), this.room.doc);
      return found?.type === this.text ? this.position(found.index) : null;
    } catch {
      // Other clients' positions are untrusted.
      return null;
    }
  }
}

/** Delta is a part of a text change; see YTextEvent. */
interface Delta {
  retain?: number;
  insert?: unknown;
  delete?: number;
}

function changesOf(delta: Delta[]): ChangeSpec[] {
  const changes: ChangeSpec[] = [];
  let at = 0;
  for (const part of delta) {
    if (typeof part.insert === 'string') changes.push({ from: at, insert: textOf(part.insert, '\n') });
    if (part.delete) changes.push({ from: at, to: at + part.delete });
    at += (part.retain ?? 0) + (part.delete ?? 0);
  }
  return changes;
}

// A line break is one position in the editor, but one or two characters in the room's text.
function indexOf(doc: Text, position: number, lineBreak: LineBreak): number {
  return lineBreak === '\n' ? position : position + doc.lineAt(position).number - 1;
}

function positionOf(doc: Text, index: number, lineBreak: LineBreak): number {
  if (lineBreak === '\n') return Math.max(0, Math.min(doc.length, index));
  let [first, last] = [1, doc.lines];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (doc.line(middle).from + middle - 1 <= index) first = middle;
    else last = middle - 1;
  }
  const line = doc.line(first);
  return Math.max(line.from, Math.min(line.to, index - first + 1));
}
