// An open file: the editor's text, the service's text, and their merge. state.ts holds the
// state machine; this file has the calls and the editor.

import { isolateHistory } from '@codemirror/commands';
import { type ChangeSpec, Compartment, type Extension, Text } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { computed, signal } from '@preact/signals';

import type { FileEntry } from '~/api/types';
import { type Draft, draftOf, dropDraft, keepDraft } from './drafts';
import { type Fetched, fetchText, maxEditable, NoText, TooLarge } from './fetch';
import type { Host } from './host';
import { merge } from './merge';
import { isForeign, Paper } from './paper';
import { Shared } from './room/shared';
import { Saver } from './saver';
import {
  type Happening,
  kindOf,
  next,
  problemOf,
  type State,
  savingOf,
  sharedOf,
  type Theirs,
  theirsOf,
} from './state';
import { breakOf, linesOf, textOf } from './text';

const images = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp)$/i;

/** moving is how long, in milliseconds, to wait for the news that a missing file was moved. */
const moving = 2000;

/** OpenFile is an open file of the code pane. */
export class OpenFile extends Paper {
  readonly path;
  private readonly condition = signal<State<Text, Shared>>({ kind: 'loading' });
  readonly kind = computed(() => kindOf(this.condition.value));
  readonly saving = computed(() => savingOf(this.condition.value));
  /** problem is why the file could not be loaded or saved. */
  readonly problem = computed(() => problemOf(this.condition.value));
  readonly theirs = computed(() => theirsOf(this.condition.value));
  /** together is the shared text while the file is edited in the room, which saves it. */
  readonly together = computed(() => sharedOf(this.condition.value));
  /** cursor is the cursor's position; line and column start at 1. */
  readonly cursor = signal({ line: 1, column: 1 });
  readonly saver: Saver;

  private joining: ReturnType<typeof setTimeout> | undefined;
  private loading: Promise<void> | null = null;
  private language: Extension = [];
  private readonly naming = new Compartment();

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

  /**
   * etag belongs to the last known text of the service; null if the service does not have
   * the file.
   */
  get etag(): string | null {
    const state = this.condition.peek();
    return state.kind === 'text' ? state.etag : null;
  }

  // base is the last known text of the service.
  private get base(): Text | null {
    const state = this.condition.peek();
    return state.kind === 'text' ? state.base : null;
  }

  /** on handles an event. */
  on(event: Happening<Text, Shared>): void {
    this.condition.value = next(this.condition.peek(), event);
  }

  // merged returns the editor's text with their changes, or null if they conflict.
  private merged(theirs: Text): Text | null {
    const state = this.condition.peek();
    const mine = this.state.doc;
    if (!this.dirty || mine.eq(theirs) || state.kind !== 'text') return theirs;
    // The room has saved everything typed in it, though the event may arrive late.
    if (state.left?.eq(theirs)) return mine;
    const lines = state.base && merge(linesOf(state.base), linesOf(mine), linesOf(theirs));
    return lines && Text.of(lines);
  }

  // present returns the text to compare with the service's.
  private present(): { doc: Text; synced: boolean } {
    return { doc: this.state.doc, synced: this.shared?.room.synced.peek() ?? false };
  }

  /** load reads the file once. */
  load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  /** retry reads the file again after a failure. */
  retry(): void {
    this.on({ type: 'load' });
    this.loading = this.read();
  }

  private async read(): Promise<void> {
    const path = this.path.value;
    const draft = draftOf(this.host.projectId, path);
    if (!draft && images.test(path)) {
      this.on({ type: 'image' });
      return;
    }
    if (!draft && (this.host.entryOf(path)?.size ?? 0) > maxEditable) {
      this.on({ type: 'unreadable', as: 'large', problem: null });
      return;
    }
    try {
      const [found, language] = await Promise.all([
        fetchText(this.host.projectId, this.path.value),
        this.host.languageOf(path),
      ]);
      this.language = language;
      this.show(found, draft);
    } catch (error) {
      const as = error instanceof NoText ? 'binary' : error instanceof TooLarge ? 'large' : 'failed';
      this.on({ type: 'unreadable', as, problem: error });
    }
  }

  private show(found: Fetched | null, draft: Draft | null): void {
    if (draft) this.restore(draft, found);
    else if (found) this.begin({ text: found.text, base: found.text, etag: found.etag }, 'saved');
    else this.host.gone(this);
    this.join();
  }

  private begin({ text, base, etag }: Draft, as: 'saved' | 'unsaved'): void {
    this.lineBreak = breakOf(text);
    this.lay(text, (doc) => [
      EditorView.updateListener.of((update) => this.took(update)),
      this.host.extensions(this, doc),
      this.naming.of(this.host.named(this.path.peek(), doc, this.language)),
    ]);
    this.on({ type: 'opened', base: base === null ? null : textOf(base, this.lineBreak), etag, as });
  }

  // restore continues with the draft from before a reload.
  private restore(draft: Draft, found: Fetched | null): void {
    this.begin(draft, 'unsaved');
    if ((found?.etag ?? null) === draft.etag) this.saver.soon();
    else this.reconcile(found);
  }

  /** dirty reports whether the text has changes that the service has not saved. */
  get dirty(): boolean {
    return this.saving.peek() !== 'saved';
  }

  /** owes reports whether the text has changes that may not be stored anywhere else. */
  get owes(): boolean {
    return this.dirty && !this.shared?.room.synced.peek();
  }

  private took(update: ViewUpdate): void {
    this.state = update.state;
    const at = update.state.selection.main.head;
    const line = update.state.doc.lineAt(at);
    if (update.docChanged || update.selectionSet) this.cursor.value = { line: line.number, column: at - line.from + 1 };
    if (update.docChanged) this.host.changed(this);
    const own = update.transactions.filter((each) => each.docChanged && !isForeign(each));
    for (const { changes, startState } of own) this.shared?.push(changes, startState.doc);
    if (own.length > 0) this.edited();
    else if (update.docChanged && this.shared) this.settle();
  }

  private edited(): void {
    this.on({ type: 'typed', ...this.present() });
    this.host.typed();
    if (this.shared) this.follow();
    else if (this.saving.peek() === 'unsaved') this.saver.soon();
    this.saver.keepSoon();
  }

  /** format applies the changes of the formatter. One undo takes all of them back. */
  format(changes: ChangeSpec[]): void {
    if (changes.length > 0)
      this.view?.dispatch({ changes, userEvent: 'format', annotations: isolateHistory.of('full') });
  }

  /** keep stores unsaved text, so that it survives a reload. */
  keep(): void {
    // The room saves shared texts.
    if (this.shared && !this.shared.owes) dropDraft(this.host.projectId, this.path.value);
    else if (this.dirty)
      keepDraft(this.host.projectId, this.path.value, {
        etag: this.etag,
        base: this.base?.sliceString(0, undefined, this.lineBreak) ?? null,
        text: this.text(),
      });
  }

  /** saved records the text that the service has accepted. */
  saved(sent: Text, entry: FileEntry): void {
    this.on({ type: 'saved', base: sent, etag: entry.etag, ...this.present() });
    this.follow();
    this.host.written(entry);
  }

  /** settle compares the text with the service's. */
  settle(): void {
    this.on({ type: 'settle', ...this.present() });
    this.follow();
  }

  // follow performs the actions that the state requires.
  private follow(): void {
    if (!this.dirty) {
      dropDraft(this.host.projectId, this.path.value);
      this.join();
    } else if (this.shared) this.saver.lookSoon();
    else if (this.saving.peek() === 'unsaved') this.saver.soon();
  }

  /**
   * join switches to shared editing if the room has the file and nothing is unsaved. Then
   * the room's text can replace the local one.
   */
  join(): void {
    const state = this.condition.peek();
    if (state.kind !== 'text' || state.sync.kind !== 'saved') return;
    const text = this.host.room.textOf(this.path.value);
    if (!text) return;
    const whole = text.toString();
    // The room may not have received the saved text yet.
    if (state.typed && whole !== this.text()) {
      clearTimeout(this.joining);
      this.joining = setTimeout(() => this.join(), 250);
      return;
    }
    this.adopt(breakOf(whole));
    this.become(textOf(whole, this.lineBreak), false);
    const shared = new Shared(this.host.room, text, {
      doc: () => this.state.doc,
      lineBreak: () => this.lineBreak,
      change: (changes, lineBreak) => {
        this.adopt(lineBreak);
        this.alter(changes, false);
        if (!this.view) this.settle();
      },
      odd: () => this.part(),
    });
    this.on({ type: 'joined', shared });
    this.settle();
  }

  /** part leaves shared editing and merges the text with the service's. */
  part(): void {
    if (!this.shared) return;
    this.leave();
    this.settle();
  }

  private leave(): void {
    this.shared?.end();
    this.on({ type: 'parted', doc: this.state.doc });
  }

  /** heard records the service's text of a file that is edited in the room. */
  heard({ text, etag }: Fetched): void {
    if (!this.shared) return;
    this.on({ type: 'heard', base: textOf(text, this.lineBreak), etag, ...this.present() });
    this.follow();
  }

  /** refresh applies other users' changes to the file, under its current path. */
  async refresh(): Promise<void> {
    if (this.kind.peek() !== 'text') return;
    await this.host.still(this);
    const path = this.path.value;
    let found = await fetchText(this.host.projectId, path);
    if (!found) {
      await new Promise((go) => setTimeout(go, moving));
      if (path === this.path.value) found = await fetchText(this.host.projectId, path);
    }
    if (path !== this.path.value) return this.refresh();
    if (this.shared && found) this.heard(found);
    else if ((found?.etag ?? null) !== this.etag) this.reconcile(found);
  }

  /**
   * reconcile merges the editor's text with one that another user saved. If they conflict,
   * both stay until the user chooses.
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
    const merged = this.merged(theirs);
    if (!merged) {
      this.conflict({ text: theirs, etag: found.etag });
      return;
    }
    this.become(merged, false);
    this.on({ type: 'merged', base: theirs, etag: found.etag, ...this.present() });
    this.follow();
  }

  private conflict(theirs: Theirs<Text>): void {
    this.saver.stop();
    this.on({ type: 'clashed', theirs });
    this.keep();
  }

  /** keepMine resolves a conflict with the editor's text. */
  keepMine(): void {
    this.on({ type: 'keep mine' });
    void this.saver.now();
  }

  /** takeTheirs resolves a conflict with the other text. Undo restores the editor's. */
  takeTheirs(): void {
    const theirs = this.theirs.peek();
    if (!theirs) return;
    this.on({ type: 'take theirs' });
    if (!theirs.text) {
      this.forget();
      this.host.gone(this);
      return;
    }
    this.become(theirs.text, true);
    this.settle();
  }

  /** moved sets the file's new path. */
  moved(path: string): void {
    dropDraft(this.host.projectId, this.path.value);
    this.path.value = path;
    void this.rename();
    this.part();
    this.keep();
    this.join();
  }

  // rename passes the path, which determines the language, to the editor.
  private async rename(): Promise<void> {
    const path = this.path.peek();
    const language = await this.host.languageOf(path);
    if (path === this.path.peek())
      this.apply({ effects: this.naming.reconfigure(this.host.named(path, this.state.doc, language)) });
  }

  /** close leaves the room and stops saving. */
  close(): void {
    this.leave();
    this.saver.stop();
  }

  /** forget deletes the draft. */
  forget(): void {
    this.close();
    this.on({ type: 'forgotten' });
    dropDraft(this.host.projectId, this.path.value);
  }
}
