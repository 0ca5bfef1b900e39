// A file that is open: its text in the editor, what the service has of it, and how
// the two come together.

import { Compartment, type Extension, Text } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { signal } from '@preact/signals';

import type { FileEntry } from '~/api/types';
import { type Draft, draftOf, dropDraft, keepDraft } from './drafts';
import { type Fetched, fetchText, maxEditable, NoText, TooLarge } from './fetch';
import type { Host, Kind, Saving, Theirs } from './kinds';
import { merge } from './merge';
import { isForeign, Paper } from './paper';
import { Shared } from './room/shared';
import { Saver } from './saver';
import { breakOf, linesOf, textOf } from './text';

const images = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp)$/i;

/** moving is how long, in milliseconds, the service may take to tell that a file which is not there has another path. */
const moving = 2000;

/** OpenFile is one file of the pane. */
export class OpenFile extends Paper {
  readonly path;
  readonly kind = signal<Kind>('loading');
  readonly saving = signal<Saving>('saved');
  /** problem is why it could not be loaded, or is not saved. */
  readonly problem = signal<unknown>(null);
  readonly theirs = signal<Theirs | null>(null);
  /** line and column of the cursor, from 1. */
  readonly cursor = signal({ line: 1, column: 1 });
  readonly saver: Saver;

  /** etag is that of the text that base is; null when the service has no such file. */
  etag: string | null = null;
  private base: Text | null = null;
  // typed is whether somebody has typed here since the file was opened.
  private typed = false;
  private joining: ReturnType<typeof setTimeout> | undefined;
  private loading: Promise<void> | null = null;
  private language: Extension = [];
  private readonly naming = new Compartment();
  /** together is what is shared while the text is edited in the room, which saves it. */
  readonly together = signal<Shared | null>(null);

  constructor(
    private readonly host: Host<OpenFile>,
    path: string,
  ) {
    super();
    this.path = signal(path);
    this.saver = new Saver(this, host);
  }

  get shared(): Shared | null {
    return this.together.peek();
  }

  /** load reads the file, once. */
  load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  /** retry reads the file again after it could not be read. */
  retry(): void {
    this.kind.value = 'loading';
    this.loading = this.read();
  }

  private async read(): Promise<void> {
    const path = this.path.value;
    const draft = draftOf(this.host.projectId, path);
    if (!draft && images.test(path)) {
      this.kind.value = 'image';
      return;
    }
    if (!draft && (this.host.entryOf(path)?.size ?? 0) > maxEditable) {
      this.kind.value = 'large';
      return;
    }
    try {
      const [found, language] = await Promise.all([
        fetchText(this.host.projectId, this.path.value),
        this.host.languageOf(path),
      ]);
      this.language = language;
      if (draft) this.restore(draft, found);
      else if (found) this.begin(found.text, found.text, found.etag);
      else this.host.gone(this);
      this.join();
    } catch (error) {
      this.kind.value = error instanceof NoText ? 'binary' : error instanceof TooLarge ? 'large' : 'failed';
      this.problem.value = error;
    }
  }

  private begin(text: string, base: string | null, etag: string | null): void {
    this.lineBreak = breakOf(text);
    this.base = base === null ? null : textOf(base, this.lineBreak);
    this.etag = etag;
    this.lay(text, (doc) => [
      EditorView.updateListener.of((update) => this.took(update)),
      this.host.extensions(this, doc),
      this.naming.of(this.host.named(this.path.peek(), doc, this.language)),
    ]);
    this.kind.value = 'text';
  }

  // restore goes on with what was typed before a reload.
  private restore(draft: Draft, found: Fetched | null): void {
    this.begin(draft.text, draft.base, draft.etag);
    this.saving.value = 'unsaved';
    if ((found?.etag ?? null) === draft.etag) this.saver.soon();
    else this.reconcile(found);
  }

  /** dirty is whether there is text here that the service has not saved. */
  get dirty(): boolean {
    return this.saving.peek() !== 'saved';
  }

  /** owes is whether there is text here that may be nowhere else. */
  get owes(): boolean {
    return this.dirty && !this.shared?.room.synced.peek();
  }

  private took(update: ViewUpdate): void {
    this.state = update.state;
    const at = update.state.selection.main.head;
    const line = update.state.doc.lineAt(at);
    if (update.docChanged || update.selectionSet) this.cursor.value = { line: line.number, column: at - line.from + 1 };
    const own = update.transactions.filter((each) => each.docChanged && !isForeign(each));
    for (const { changes, startState } of own) this.shared?.push(changes, startState.doc);
    if (own.length > 0) this.edited();
    else if (update.docChanged && this.shared) this.settle();
  }

  private edited(): void {
    this.typed = true;
    this.host.typed();
    if (this.shared) {
      this.settle();
      this.saver.keepSoon();
      return;
    }
    if (this.saving.value !== 'conflict') {
      this.saving.value = 'unsaved';
      this.saver.soon();
    }
    this.saver.keepSoon();
  }

  /** keep keeps what is not saved through a reload. */
  keep(): void {
    // What the room has, it saves.
    if (this.shared && !this.shared.owes) dropDraft(this.host.projectId, this.path.value);
    else if (this.dirty)
      keepDraft(this.host.projectId, this.path.value, {
        etag: this.etag,
        base: this.base?.sliceString(0, undefined, this.lineBreak) ?? null,
        text: this.text(),
      });
  }

  /** saved is called with the text that the service has now. */
  saved(sent: Text, entry: FileEntry): void {
    this.base = sent;
    this.etag = entry.etag;
    this.problem.value = null;
    this.settle();
    this.host.written(entry);
  }

  /** settle finds out whether what is here is what the service has. */
  settle(): void {
    if (this.base && this.state.doc.eq(this.base)) {
      this.saving.value = 'saved';
      dropDraft(this.host.projectId, this.path.value);
      this.join();
    } else if (this.shared) {
      this.saving.value = this.shared.room.synced.peek() ? 'saving' : 'offline';
      this.saver.lookSoon();
    } else {
      this.saving.value = 'unsaved';
      this.saver.soon();
    }
  }

  /**
   * join goes on in the room, if it has the file and nothing here is to be saved: then
   * the text here can become the room's.
   */
  join(): void {
    if (this.shared || this.kind.value !== 'text' || this.dirty) return;
    const text = this.host.room.textOf(this.path.value);
    if (!text) return;
    const whole = text.toString();
    // What was typed and saved here may not have come to the room yet.
    if (this.typed && whole !== this.text()) {
      clearTimeout(this.joining);
      this.joining = setTimeout(() => this.join(), 250);
      return;
    }
    this.adopt(breakOf(whole));
    this.become(textOf(whole, this.lineBreak), false);
    this.together.value = new Shared(this.host.room, text, {
      doc: () => this.state.doc,
      lineBreak: () => this.lineBreak,
      change: (changes, lineBreak) => {
        this.adopt(lineBreak);
        this.alter(changes, false);
        if (!this.view) this.settle();
      },
      odd: () => this.part(),
    });
    this.settle();
  }

  /** part goes on without the room: what is here is merged with what the service has. */
  part(): void {
    if (!this.shared) return;
    this.leave();
    this.settle();
  }

  private leave(): void {
    this.shared?.end();
    this.together.value = null;
  }

  /** heard takes over what the service has of a text that is edited in the room. */
  heard({ text, etag }: Fetched): void {
    if (!this.shared) return;
    this.base = textOf(text, this.lineBreak);
    this.etag = etag;
    this.settle();
  }

  /** refresh takes over what others have made of the file, if they have, wherever it has come to be. */
  async refresh(): Promise<void> {
    if (this.kind.value !== 'text') return;
    await this.host.still(this);
    const path = this.path.value;
    let found = await fetchText(this.host.projectId, path);
    if (!found && !this.dirty) {
      await new Promise((go) => setTimeout(go, moving));
      if (path === this.path.value) found = await fetchText(this.host.projectId, path);
    }
    if (path !== this.path.value) return this.refresh();
    if (this.shared && found) this.heard(found);
    else if ((found?.etag ?? null) !== this.etag) this.reconcile(found);
  }

  /**
   * reconcile brings the editor's text together with another that somebody saved. Text
   * that cannot be merged stays beside the other, until somebody chooses.
   */
  reconcile(found: Fetched | null): void {
    this.leave();
    if (!found) {
      if (this.dirty) this.conflict({ text: null, etag: null });
      else this.host.gone(this);
      return;
    }
    this.adopt(breakOf(found.text));
    const theirs = textOf(found.text, this.lineBreak);
    const mine = this.state.doc;
    const merged =
      !this.dirty || mine.eq(theirs) ? theirs : this.base && merge(linesOf(this.base), linesOf(mine), linesOf(theirs));
    if (!merged) {
      this.conflict({ text: theirs, etag: found.etag });
      return;
    }
    this.base = theirs;
    this.etag = found.etag;
    this.theirs.value = null;
    this.become(merged instanceof Text ? merged : Text.of([...merged]), false);
    this.settle();
  }

  private conflict(theirs: Theirs): void {
    this.saver.stop();
    this.theirs.value = theirs;
    this.saving.value = 'conflict';
    this.keep();
  }

  /** keepMine saves the editor's text over the other. */
  keepMine(): void {
    const theirs = this.theirs.value;
    if (!theirs) return;
    this.base = theirs.text;
    this.etag = theirs.etag;
    this.theirs.value = null;
    this.saving.value = 'unsaved';
    void this.saver.now();
  }

  /** takeTheirs gives up the editor's text, which undoing brings back. */
  takeTheirs(): void {
    const theirs = this.theirs.value;
    if (!theirs) return;
    this.theirs.value = null;
    if (!theirs.text) {
      this.forget();
      this.host.gone(this);
      return;
    }
    this.base = theirs.text;
    this.etag = theirs.etag;
    this.become(theirs.text, true);
    this.settle();
  }

  /** moved gives the file another path. */
  moved(path: string): void {
    dropDraft(this.host.projectId, this.path.value);
    this.path.value = path;
    void this.rename();
    this.part();
    this.keep();
    this.join();
  }

  // rename has the editor go by the file's path, once it knows its language.
  private async rename(): Promise<void> {
    const path = this.path.peek();
    const language = await this.host.languageOf(path);
    if (path === this.path.peek())
      this.apply({ effects: this.naming.reconfigure(this.host.named(path, this.state.doc, language)) });
  }

  /** close ends what the file does by itself. */
  close(): void {
    this.leave();
    this.saver.stop();
  }

  /** forget gives up what is not saved. */
  forget(): void {
    this.close();
    this.saving.value = 'saved';
    dropDraft(this.host.projectId, this.path.value);
  }
}
