import { setDiagnostics } from '@codemirror/lint';
import { EditorSelection, type EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { effect, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import type { Peer } from '../../live/events';
import type { Place } from '../../store';
import { offsetOf } from '../assist/places';
import type { Desk } from '../desk';
import type { OpenFile } from '../openfile';
import type { Problem } from '../problem';
import { sightOf } from '../room/whereabouts';
import { rewrap, size, wrapped } from './preferences';

/** Editor shows and edits the text of a file. */
export function Editor({ desk, file }: { desk: Desk; file: OpenFile }) {
  const parent = useRef<HTMLDivElement>(null);
  const held = useRef<EditorView | null>(null);

  useEffect(() => {
    // The constructor creates style sheets, which need the nonce from a file's state.
    held.current ??= new EditorView({ state: file.state, parent: parent.current! });
    const view = held.current;
    attach(view, file);
    return () => detach(view, file);
  }, [file]);
  useEffect(() => () => held.current?.destroy(), []);

  useEffect(
    () =>
      effect(() => {
        const place = desk.place.value;
        if (!place || place.path !== file.path.value) return;
        desk.place.value = null;
        // A pane that was just shown has no size before the next layout.
        requestAnimationFrame(() => go(held.current, place));
      }),
    [file],
  );
  useEffect(() => {
    let before: Peer | null = null;
    return effect(() => {
      const peer = desk.sight.value;
      if (peer?.path !== file.path.value) return;
      const first = before;
      before = peer;
      requestAnimationFrame(() => {
        if (file.view) accompany(file, first, peer);
      });
    });
  }, [file]);
  useEffect(
    () =>
      effect(() => {
        const path = file.path.value;
        const problems = desk.problems.value.filter((problem) => problem.path === path);
        const view = held.current!;
        queueMicrotask(() => {
          if (file.view === view)
            view.dispatch(
              setDiagnostics(
                view.state,
                problems.map((problem) => markOf(view.state, problem)),
              ),
            );
        });
      }),
    [file],
  );
  useSignalEffect(() => {
    const on = wrapped.value;
    const view = held.current;
    view?.dispatch({ effects: rewrap(view.state.doc, on) });
  });
  useSignalEffect(() => {
    void size.value;
    held.current?.requestMeasure();
  });
  return <div class="code__editor" ref={parent} />;
}

function attach(view: EditorView, file: OpenFile): void {
  if (view.state !== file.state) view.setState(file.state);
  file.view = view;
  view.dispatch({ effects: rewrap(view.state.doc, wrapped.peek()) });
  if (file.scroll) view.dispatch({ effects: file.scroll });
}

function detach(view: EditorView, file: OpenFile): void {
  file.scroll = view.scrollSnapshot();
  file.view = null;
}

function go(view: EditorView | null, { line, column }: Place): void {
  if (!view) return;
  if (line !== undefined) {
    const at = offsetOf(view.state.doc, line, column ?? 1);
    view.dispatch({ selection: EditorSelection.cursor(at), effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  }
  view.focus();
}

// accompany scrolls to the followed user's cursor, or else to the top of their view.
function accompany(file: OpenFile, before: Peer | null, peer: Peer): void {
  const [was, is] = [before && sightOf(before), sightOf(peer)];
  const place = (index: number) => file.shared?.position(index) ?? Math.min(index, file.state.doc.length);
  const scroll = (index: number, y: 'start' | 'nearest') =>
    file.view!.dispatch({ effects: EditorView.scrollIntoView(place(index), { y, yMargin: y === 'start' ? 0 : 40 }) });
  if (is.top !== null && is.top !== was?.top) scroll(is.top, 'start');
  else if (is.head !== null) scroll(is.head, 'nearest');
}

// markOf marks a problem, or the word at which it starts if nobody knows where it ends.
function markOf(state: EditorState, { line, column, endLine, endColumn, message, from: source, severity }: Problem) {
  const from = offsetOf(state.doc, line, column);
  const end = endLine && endColumn ? offsetOf(state.doc, endLine, endColumn) : state.wordAt(from)?.to;
  return {
    from,
    to: Math.max(end ?? 0, Math.min(from + 1, state.doc.length)),
    severity: severity ?? (source === 'build' ? ('error' as const) : ('warning' as const)),
    message,
  };
}
