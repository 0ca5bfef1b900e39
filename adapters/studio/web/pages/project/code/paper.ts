// The editor state of a text, whether or not it is visible.

import {
  Annotation,
  type ChangeSpec,
  Compartment,
  EditorState,
  type Extension,
  type Text,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { edits } from './edits';
import { type LineBreak, textOf } from './text';

// foreign marks changes that did not come from this editor.
const foreign = Annotation.define<boolean>();

/** isForeign reports whether others made a change. */
export function isForeign(transaction: Transaction): boolean {
  return transaction.annotation(foreign) === true;
}

/** Paper is a text with its editor state. */
export class Paper {
  state = EditorState.create();
  view: EditorView | null = null;
  scroll: ReturnType<EditorView['scrollSnapshot']> | null = null;

  protected lineBreak: LineBreak = '\n';
  private readonly breaks = new Compartment();

  /** lay sets the initial text. */
  protected lay(text: string, extensions: (doc: Text) => Extension): void {
    const doc = textOf(text, this.lineBreak);
    this.state = EditorState.create({
      doc,
      extensions: [
        this.breaks.of(EditorState.lineSeparator.of(this.lineBreak)),
        EditorView.clipboardInputFilter.of((pasted, state) => pasted.replace(/\r\n?|\n/g, state.lineBreak)),
        extensions(doc),
      ],
    });
  }

  /** text returns the whole text as it is saved. */
  text(): string {
    return this.state.sliceDoc();
  }

  /** apply changes the editor's state. */
  protected apply(spec: TransactionSpec): void {
    if (this.view) this.view.dispatch(spec);
    else this.state = this.state.update(spec).state;
  }

  /** adopt sets the kind of line break. */
  protected adopt(lineBreak: LineBreak): void {
    if (lineBreak === this.lineBreak) return;
    this.lineBreak = lineBreak;
    this.apply({ effects: this.breaks.reconfigure(EditorState.lineSeparator.of(lineBreak)) });
  }

  /** alter applies changes by others. */
  protected alter(changes: ChangeSpec[], undoable: boolean): void {
    if (changes.length > 0)
      this.apply({ changes, annotations: [foreign.of(true), Transaction.addToHistory.of(undoable)] });
  }

  /** become replaces the text with a minimal set of changes. */
  protected become(text: Text, undoable: boolean): void {
    this.alter(edits(this.state.doc, text), undoable);
  }
}
