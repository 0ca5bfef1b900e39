// Other users' cursors in a text, and the user's own.

import { EditorSelection, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  type EditorView,
  type LayerMarker,
  layer,
  RectangleMarker,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** Mark is another user's cursor and selection. */
export interface Mark {
  name: string;
  color: string;
  anchor: number;
  head: number;
}

const put = StateEffect.define<readonly Mark[]>();

/** marking returns the effect that replaces the marks of an editor. */
export function marking(marks: readonly Mark[]) {
  return put.of(marks);
}

const field = StateField.define<readonly Mark[]>({
  create: () => [],
  update: (marks, { changes, effects, docChanged }) => {
    for (const effect of effects) if (effect.is(put)) return effect.value;
    return docChanged
      ? marks.map((mark) => ({ ...mark, anchor: changes.mapPos(mark.anchor), head: changes.mapPos(mark.head, 1) }))
      : marks;
  },
});

/** Sign draws a mark: a rectangle in the user's colour, optionally with the name. */
class Sign implements LayerMarker {
  constructor(
    private readonly box: RectangleMarker,
    private readonly color: string,
    private readonly name: string | null,
    private readonly below: boolean,
  ) {}

  eq(other: Sign): boolean {
    return this.box.eq(other.box) && this.color === other.color && this.name === other.name;
  }

  draw(): HTMLElement {
    const drawn = this.box.draw();
    drawn.style.setProperty('--peer', this.color);
    if (this.name === null) return drawn;
    const label = document.createElement('bdi');
    label.className = this.below ? 'peer__name peer__name--below' : 'peer__name';
    label.textContent = this.name;
    drawn.append(label);
    return drawn;
  }
}

const isNew = ({ docChanged, startState, state, viewportChanged, geometryChanged }: ViewUpdate) =>
  docChanged || viewportChanged || geometryChanged || startState.field(field) !== state.field(field);

const selections = layer({
  above: false,
  class: 'peers',
  update: isNew,
  markers: (view) =>
    view.state
      .field(field)
      .filter(({ anchor, head }) => anchor !== head)
      .flatMap(({ anchor, head, color }) =>
        RectangleMarker.forRange(view, 'peer__selection', EditorSelection.range(anchor, head)).map(
          (box) => new Sign(box, color, null, false),
        ),
      ),
});

const carets = layer({
  above: true,
  class: 'peers',
  update: isNew,
  markers: (view) =>
    view.state
      .field(field)
      .flatMap(({ head, color, name }) =>
        RectangleMarker.forRange(view, 'peer', EditorSelection.cursor(head)).map(
          (box) => new Sign(box, color, name, head <= view.state.doc.line(1).to),
        ),
      ),
});

/** cursors shows other users' cursors. It calls told when the own cursor or view moves. */
export function cursors(told: () => void): Extension {
  const watcher = ViewPlugin.define((view) => {
    view.scrollDOM.addEventListener('scroll', told, { passive: true });
    told();
    return {
      update: ({ selectionSet, docChanged }) => {
        if (selectionSet || docChanged) told();
      },
      destroy: () => view.scrollDOM.removeEventListener('scroll', told),
    };
  });
  return [field, selections, carets, watcher];
}

/** topOf returns the position of the first visible character. */
export function topOf(view: EditorView): number {
  return view.lineBlockAtHeight(view.scrollDOM.scrollTop).from;
}
