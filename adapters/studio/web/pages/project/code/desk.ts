// The open files of the code pane, remembered for this tab.

import type { Extension } from '@codemirror/state';
import { computed, effect, signal } from '@preact/signals';

import { api } from '~/api/client';
import type { Diagnostic, FileEntry } from '~/api/types';
import { editorKeys, isMac } from '~/app/shortcuts';
import { isText, listOf, orNull, recordOf, tabStorage } from '~/storage';
import { t } from '~/text';
import { complain, say } from '~/ui';
import type { Peer } from '../live/events';
import { visit } from '../recent';
import type { Place, ProjectStore } from '../store';
import type { Assist } from './assist/assist';
import { speaks } from './assist/places';
import { draftsOf } from './drafts';
import { languageOf } from './editor/languages';
import { formats } from './editor/preferences';
import { extensions, named } from './editor/setup';
import type { Host } from './host';
import { OpenFile } from './openfile';
import type { Problem } from './problem';
import { Company } from './room/company';

interface Memory {
  open: string[];
  current: string | null;
  folders: string[];
}

const isMemory = recordOf<Memory>({ open: listOf(isText), current: orNull(isText), folders: listOf(isText) });

interface TypeCheck {
  diagnostics: Diagnostic[];
  truncated?: boolean;
}

/** Desk manages the open files. */
export class Desk {
  readonly open = signal<OpenFile[]>([]);
  readonly current = signal<OpenFile | null>(null);
  /** place is where the editor goes once the current file is loaded. */
  readonly place = signal<Place | null>(null);
  /** sight is the view of the followed user. */
  readonly sight = signal<Peer | null>(null);
  /** shows counts the requests to show a place. */
  readonly shows = signal(0);
  /** folders are the expanded folders of the tree. */
  readonly folders = signal<ReadonlySet<string>>(new Set());
  readonly types = signal<TypeCheck | null>(null);
  readonly checking = signal(false);
  /** assist is TypeScript's language server, once a file that it knows was opened. */
  readonly assist = signal<Assist | null>(null);
  readonly problems = computed<Problem[]>(() => {
    const live = this.assist.value?.live.value;
    const types = this.types.value?.diagnostics.filter(({ path }) => path !== live?.path) ?? [];
    return [
      ...this.store.diagnostics.value.map((each) => ({ ...each, from: 'build' as const })),
      ...this.store.warnings.value.map((each) => ({ ...each, from: 'build' as const, severity: 'warning' as const })),
      ...(live?.problems ?? []),
      ...types.map((each) => ({ ...each, from: 'types' as const })),
    ];
  });

  /** moving is a path that is being renamed. Its file does not count as deleted meanwhile. */
  moving: { path: string; over: Promise<void> } | null = null;
  private readonly memory: string;
  private readonly host: Host<OpenFile>;
  /** company is the shared editing of the files. */
  readonly company: Company;

  constructor(readonly store: ProjectStore) {
    this.memory = `atelier.code.${store.id}`;
    this.company = new Company(this);
    this.host = {
      projectId: store.id,
      room: this.company.room,
      languageOf: (path) => this.languageOf(path),
      typed: () => {
        store.live.following.value = null;
      },
      get canEdit() {
        return store.canEdit.peek();
      },
      extensions: (file, text) =>
        extensions(
          {
            canEdit: store.canEdit.peek(),
            save: () => void file.saver.now(),
            moved: () => this.company.whereabouts.tell(),
          },
          text,
        ),
      named,
      changed: (file) => {
        if (file === this.current.peek()) this.assist.peek()?.checkSoon(file);
      },
      entryOf: (path) => store.files.peek().find((entry) => entry.path === path),
      written: (entry) => this.written(entry),
      gone: (file) => {
        if (!this.isMoving(file)) this.drop(file);
      },
      still: async (file) => {
        if (this.isMoving(file)) await this.moving!.over;
      },
    };
    this.recall();
  }

  /** languageOf loads what the editor knows of a file's language, without what cannot be loaded. */
  private languageOf(path: string): Promise<Extension> {
    const parts = [languageOf(path)?.load(), speaks(path) ? this.assisted(path) : undefined];
    return Promise.all(parts.map((part) => part?.catch(() => []) ?? []));
  }

  private async assisted(path: string): Promise<Extension> {
    const { Assist, assisted } = await import('./assist/extension');
    this.assist.value ??= new Assist(this.store.id, api, signal(null), signal(null));
    return assisted(path, {
      assist: this.assist.value,
      show: (place) => this.show(place),
      format: () => void this.format(),
      say,
      keys: { definition: editorKeys('definition'), format: editorKeys('format') },
      isMac: isMac(),
      words: t.code,
    });
  }

  /** start follows changes of files until the pane is closed. */
  start(): () => void {
    const ends = [
      effect(() => {
        this.compare(this.store.files.value);
      }),
      effect(() => {
        const place = this.store.wanted.value;
        if (!place) return;
        this.store.wanted.value = null;
        this.show(place);
      }),
      effect(() => this.remember()),
      effect(() => {
        const path = this.current.value?.path.value;
        if (path !== undefined) visit(this.store.id, path);
      }),
      this.company.start(),
      effect(() => {
        const file = this.current.value;
        // Other files decide what is wrong in this one.
        void this.store.files.value;
        const isShown = file?.kind.value === 'text' && this.store.pane.value === 'code' && file.path.value !== '';
        this.assist.value?.checkSoon(isShown ? file : null);
      }),
      () => this.assist.peek()?.stop(),
      effect(() => {
        if (this.store.pane.value !== 'code') void this.save();
      }),
    ];
    const leave = () => {
      for (const file of this.open.peek()) file.keep();
    };
    const turn = () => {
      if (document.hidden) void this.save(true);
      else this.store.filesChanged();
    };
    const online = () => void this.save();
    addEventListener('pagehide', leave);
    addEventListener('online', online);
    document.addEventListener('visibilitychange', turn);
    return () => {
      leave();
      removeEventListener('pagehide', leave);
      removeEventListener('online', online);
      document.removeEventListener('visibilitychange', turn);
      void this.save();
      for (const end of ends) end();
    };
  }

  /** show opens a file, optionally at a place. */
  show(place: Place): void {
    this.store.live.following.value = null;
    this.bring(place.path);
    this.place.value = place;
    this.shows.value = this.shows.peek() + 1;
  }

  bring(path: string): void {
    const file = this.find(path) ?? this.add(path);
    this.current.value = file;
    void file.load();
    this.reveal(path);
  }

  /** reveal expands the ancestors of a path in the tree. */
  reveal(path: string): void {
    const above = path
      .split('/')
      .slice(0, -1)
      .map((_, index, all) => all.slice(0, index + 1).join('/'));
    if (above.every((folder) => this.folders.peek().has(folder))) return;
    this.folders.value = new Set([...this.folders.peek(), ...above]);
  }

  find(path: string): OpenFile | undefined {
    return this.open.peek().find((file) => file.path.peek() === path);
  }

  private add(path: string): OpenFile {
    const file = new OpenFile(this.host, path);
    const at = this.current.peek() ? this.open.peek().indexOf(this.current.peek()!) + 1 : this.open.peek().length;
    this.open.value = this.open.peek().toSpliced(at, 0, file);
    return file;
  }

  /** close saves and closes a file. A file with an unresolved conflict stays open. */
  async close(file: OpenFile): Promise<void> {
    if (file.kind.peek() === 'text') await file.saver.now();
    if (file.owes) {
      this.current.value = file;
      return;
    }
    file.forget();
    this.drop(file);
  }

  private drop(file: OpenFile): void {
    const at = this.open.peek().indexOf(file);
    if (at < 0) return;
    file.close();
    this.open.value = this.open.peek().toSpliced(at, 1);
    if (this.current.peek() === file) this.select(this.open.peek()[Math.min(at, this.open.peek().length - 1)] ?? null);
  }

  select(file: OpenFile | null): void {
    this.current.value = file;
    void file?.load();
  }

  /** turn selects a file at the user's request. */
  turn(file: OpenFile): void {
    this.store.live.following.value = null;
    this.select(file);
  }

  /** step selects the next or the previous tab. */
  step(by: 1 | -1): void {
    const all = this.open.peek();
    const at = all.indexOf(this.current.peek()!);
    if (all.length > 0) this.turn(all[(at + by + all.length) % all.length]!);
  }

  /** save saves all files. isLast is true if the page is about to close. */
  save(isLast = false): Promise<unknown> {
    return Promise.all(
      this.open
        .peek()
        .filter((file) => file.dirty)
        .map((file) => file.saver.now(isLast)),
    );
  }

  /** saveByHand saves at the user's request, with the current file formatted first. */
  async saveByHand(): Promise<void> {
    if (formats.peek()) await this.format();
    await this.save();
  }

  /** format formats the current file, as one step of undo. */
  async format(): Promise<void> {
    const file = this.current.peek();
    if (file?.kind.peek() !== 'text' || !this.store.canEdit.peek()) return;
    const { doc } = file.state;
    const changes = await this.assist.peek()?.format(file.path.peek(), doc, file.text());
    if (changes && doc === file.state.doc) file.format(changes);
  }

  /** moves performs a move of files and updates the open ones. Saving waits meanwhile. */
  async moves(from: string, to: string, act: () => Promise<void>): Promise<void> {
    await this.save();
    for (const file of this.below(from)) await file.saver.rest();
    const moved = act().then(() => this.moved(from, to));
    this.moving = { path: from, over: moved.catch(() => {}) };
    try {
      await moved;
    } finally {
      this.moving = null;
    }
  }

  private isMoving(file: OpenFile): boolean {
    return this.moving !== null && isBelow(file.path.peek(), this.moving.path);
  }

  /** moved updates the paths of moved files. */
  moved(from: string, to: string): void {
    const there = (path: string) => (isBelow(path, from) ? to + path.slice(from.length) : path);
    for (const file of this.below(from)) this.follow(file, there(file.path.peek()));
    this.folders.value = new Set([...this.folders.peek()].map(there));
  }

  // follow gives a file its new path and keeps its editor.
  private follow(file: OpenFile, path: string): void {
    if (file.kind.peek() === 'text') {
      file.moved(path);
      this.open.value = [...this.open.peek()];
      return;
    }
    const anew = new OpenFile(this.host, path);
    this.open.value = this.open.peek().map((other) => (other === file ? anew : other));
    if (this.current.peek() === file) this.select(anew);
  }

  /** removed closes deleted files. */
  removed(path: string): void {
    for (const file of this.below(path)) {
      file.forget();
      this.drop(file);
    }
  }

  private below(path: string): OpenFile[] {
    return this.open.peek().filter((file) => isBelow(file.path.peek(), path));
  }

  /** checkTypes requests a type check. */
  async checkTypes(): Promise<void> {
    if (this.checking.peek()) return;
    this.checking.value = true;
    try {
      await this.save();
      this.types.value = await api.post<TypeCheck>(`/projects/${this.store.id}/typecheck`);
    } catch (error) {
      complain(error);
    } finally {
      this.checking.value = false;
    }
  }

  private written(entry: FileEntry): void {
    // Type errors of the previous text no longer apply.
    const left = this.types.peek()?.diagnostics.filter(({ path }) => path !== entry.path) ?? [];
    this.types.value = left.length > 0 ? { ...this.types.peek(), diagnostics: left } : null;
    const files = this.store.files.peek();
    const at = files.findIndex(({ path }) => path === entry.path);
    if (at >= 0) this.store.files.value = files.toSpliced(at, 1, entry);
    else this.store.filesChanged();
  }

  // compare refreshes open files that others have changed.
  private compare(entries: FileEntry[]): void {
    const tags = new Map(entries.map(({ path, etag }) => [path, etag]));
    for (const file of this.open.peek()) {
      if (file.kind.peek() === 'text' && !this.isMoving(file) && (tags.get(file.path.peek()) ?? null) !== file.etag)
        void file.saver.look();
    }
  }

  private recall(): void {
    const kept = tabStorage.read(this.memory, isMemory);
    const drafts = draftsOf(this.store.id);
    const paths = new Set([...(kept?.open ?? []), ...drafts]);
    this.open.value = [...paths].map((path) => new OpenFile(this.host, path));
    this.folders.value = new Set(kept?.folders ?? ['src']);
    for (const path of drafts) void this.find(path)!.load();
    this.select(this.find(kept?.current ?? '') ?? this.open.peek()[0] ?? null);
  }

  private remember(): void {
    const memory: Memory = {
      open: this.open.value.map((file) => file.path.value),
      current: this.current.value?.path.value ?? null,
      folders: [...this.folders.value],
    };
    tabStorage.write(this.memory, memory);
  }
}

// isBelow reports whether a path is a folder or inside it.
function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
