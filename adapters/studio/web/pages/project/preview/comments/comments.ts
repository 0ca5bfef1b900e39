import { computed, effect, signal, untracked } from '@preact/signals';

import { api } from '~/api/client';
import type { CommentThread, Member } from '~/api/types';
import { t } from '~/text';
import type { ProjectStore } from '../../store';
import type { Frame } from '../frame';
import type { Move, PageMessage } from '../messages';
import { type Anchor, anchorOf, pageOf, pinOf, referenceOf, requestOf } from './anchor';

const pageLimit = 100;

/** Comments are the comments on the project's pages, their pins and the choice of an element. */
export class Comments {
  /** shown is true while the panel is open, picking while people choose an element for a comment. */
  readonly shown = signal(false);
  readonly picking = signal(false);
  /** threads are the newest first, null until they are loaded. */
  readonly threads = signal<CommentThread[] | null>(null);
  readonly failure = signal<unknown>(null);
  /** list says which threads are listed. */
  readonly list = signal<'unresolved' | 'resolved'>('unresolved');
  /** selected is the id of the thread that is open, or ''. */
  readonly selected = signal('');
  /** draft is where the comment that is being written is pinned, or null. */
  readonly draft = signal<Anchor | null>(null);
  /** wantsFocus is true when the draft's field is to get the focus. */
  readonly wantsFocus = signal(false);
  /** found are the places of the elements on the page by thread, null until the page has told. */
  readonly found = signal<Map<string, string> | null>(null);
  readonly names = signal(new Map<string, string>());

  readonly open = computed(() => (this.threads.value ?? []).filter(({ resolvedAt }) => !resolvedAt));
  readonly resolved = computed(() => (this.threads.value ?? []).filter(({ resolvedAt }) => resolvedAt));
  /** page is the page that is shown. */
  readonly page = computed(() => pageOf(this.frame.path.value));
  /** pins are those of the open threads of the page, and of the selected one. */
  private readonly pins = computed(() =>
    this.shown.value
      ? (this.threads.value ?? [])
          .filter(({ id, page, resolvedAt }) => page === this.page.value && (!resolvedAt || id === this.selected.value))
          .map((thread) => pinOf(thread, this.numberOf(thread), this.nameOf(thread.by)))
          .filter((pin) => pin !== null)
      : [],
  );
  private loads = 0;
  /** wanted is the thread that the address names, until it is there. */
  private wanted = new URLSearchParams(location.search).get('comment') ?? '';

  constructor(
    private readonly store: ProjectStore,
    private readonly frame: Frame,
  ) {}

  /** start follows the comments until the returned function is called. */
  start(): () => void {
    const stopLoading = effect(() => {
      void this.store.comments.value;
      untracked(() => void this.load());
    });
    const stopPinning = effect(() => {
      const pins = this.pins.value;
      const active = this.selected.value;
      this.found.value = null;
      this.frame.send({ type: 'pins', pins, active });
    });
    return () => {
      stopLoading();
      stopPinning();
    };
  }

  /** load reads all threads again. */
  async load(): Promise<void> {
    const load = ++this.loads;
    try {
      const [threads, names] = await Promise.all([this.read(), this.readNames()]);
      if (load !== this.loads) return;
      this.names.value = names;
      this.threads.value = threads;
      this.failure.value = null;
      this.closeLost();
      this.openWanted();
    } catch (error) {
      if (load === this.loads) this.failure.value = error;
    }
  }

  private async read(): Promise<CommentThread[]> {
    const threads: CommentThread[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const page: { items: CommentThread[]; nextCursor: string | null } = await api.get(
        `/projects/${this.store.id}/comments?limit=${pageLimit}${more}`,
      );
      threads.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor);
    return threads;
  }

  private async readNames(): Promise<Map<string, string>> {
    const workspace = this.store.project.peek().workspaceId;
    const { items } = await api.get<{ items: Member[] }>(`/workspaces/${workspace}/members`);
    return new Map(items.map(({ userId, displayName, email }) => [userId, displayName || email]));
  }

  // closeLost closes the open thread if somebody else has deleted, resolved or reopened it.
  private closeLost(): void {
    const listed = this.list.peek() === 'resolved' ? this.resolved.peek() : this.open.peek();
    if (!listed.some(({ id }) => id === this.selected.peek())) this.selected.value = '';
  }

  // openWanted opens the thread that the address names.
  private openWanted(): void {
    const wanted = this.threads.peek()?.find(({ id }) => id === this.wanted);
    this.wanted = '';
    if (wanted) this.go(wanted);
  }

  /** nameOf names a person, who may have left. */
  nameOf(user: string): string {
    return this.names.value.get(user) ?? t.publish.somebody;
  }

  /** numberOf counts the threads by age, so that numbers stay. */
  numberOf({ id }: CommentThread): number {
    const threads = this.threads.value ?? [];
    return threads.length - threads.findIndex((thread) => thread.id === id);
  }

  /** isGone reports whether the page is shown and does not have a thread's element. */
  isGone({ id, page, element, resolvedAt }: CommentThread): boolean {
    const found = this.found.value;
    return element !== null && !resolvedAt && page === this.page.value && found !== null && !found.has(id);
  }

  /** toggle opens the panel, ready for a new comment, or closes it. */
  toggle(on = !this.shown.value): void {
    this.shown.value = on;
    this.pick(on);
    if (!on) {
      this.draft.value = null;
      this.selected.value = '';
    }
  }

  /** pick begins or ends the choice of an element on the page. */
  pick(on: boolean): void {
    if (on === this.picking.value) return;
    this.picking.value = on;
    this.frame.send({ type: 'pick', on });
  }

  move(to: Move): void {
    if (this.picking.value) this.frame.send({ type: 'move', to });
  }

  /** begin begins a comment on the whole page. */
  begin(): void {
    this.draft.value = anchorOf(this.frame.path.value, this.frame.width, null);
    this.wantsFocus.value = true;
  }

  /** dismiss drops the comment that is being written. */
  dismiss(): void {
    this.draft.value = null;
    this.pick(false);
  }

  /** take handles a message from the page. */
  take(message: PageMessage): void {
    if (!this.shown.value) return;
    switch (message.type) {
      case 'picked':
        if (this.picking.value && message.element)
          this.draft.value = anchorOf(this.frame.path.value, this.frame.width, message.element);
        break;
      case 'chosen':
        if (this.picking.value) this.wantsFocus.value = true;
        break;
      case 'picking':
        if (!message.on) this.picking.value = false;
        break;
      case 'pinned':
        this.found.value = new Map(message.found.map(({ id, loc }) => [id, loc]));
        break;
      case 'pin':
        this.select(message.id);
        break;
    }
  }

  /** resume restores the pins and the choice after the page has reloaded. */
  resume(): void {
    if (!this.shown.value) return;
    this.found.value = null;
    this.frame.send({ type: 'pins', pins: this.pins.value, active: this.selected.value });
    if (this.picking.value) this.frame.send({ type: 'pick', on: true });
  }

  /** select opens a thread, or closes it with ''. */
  select(id: string): void {
    const thread = this.threads.value?.find((one) => one.id === id);
    this.selected.value = thread?.id ?? '';
    if (!thread) return;
    this.list.value = thread.resolvedAt ? 'resolved' : 'unresolved';
    this.dismiss();
  }

  /** go opens a thread, and shows its element. */
  go(thread: CommentThread): void {
    this.shown.value = true;
    this.select(thread.id);
    if (thread.page !== this.page.value) this.frame.go(thread.page);
    else if (thread.element) this.frame.send({ type: 'reveal', id: thread.id });
  }

  /** create stores the comment that is being written. */
  async create(text: string): Promise<void> {
    const draft = this.draft.value;
    if (!draft) return;
    const { element, ...rest } = draft;
    const body = element ? { ...rest, text, element } : { ...rest, text };
    const made = await api.post<CommentThread>(`/projects/${this.store.id}/comments`, body);
    this.threads.value = [made, ...(this.threads.value ?? []).filter(({ id }) => id !== made.id)];
    this.select(made.id);
  }

  async reply(thread: CommentThread, text: string): Promise<void> {
    this.put(await api.post<CommentThread>(`/projects/${this.store.id}/comments/${thread.id}/replies`, { text }));
  }

  /** change changes the text of a comment, or resolves a thread. */
  async change(id: string, change: { text?: string; resolved?: boolean }): Promise<void> {
    const thread = await api.patch<CommentThread>(`/projects/${this.store.id}/comments/${id}`, change);
    this.put(thread);
    if (change.resolved === undefined) return;
    if (this.store.errand.value?.thread === id) this.store.errand.value = null;
    if (this.selected.value === id) this.select(change.resolved ? '' : id);
  }

  async remove(id: string): Promise<void> {
    await api.delete<void>(`/projects/${this.store.id}/comments/${id}`);
    await this.load();
  }

  private put(changed: CommentThread): void {
    this.threads.value = (this.threads.value ?? []).map((thread) => (thread.id === changed.id ? changed : thread));
  }

  /** ask sends a thread to the agent, with its element. */
  ask(thread: CommentThread): void {
    const text = requestOf(thread, (user) => this.nameOf(user)).trim();
    const loc = this.found.value?.get(thread.id) ?? '';
    this.store.errand.value = { thread: thread.id, text, state: 'asked' };
    this.store.ask(text, referenceOf(thread, loc, this.store.files.value));
  }
}
