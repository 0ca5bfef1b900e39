// One chat: its log, its active run and its waiting messages. Events arrive in pages and
// streams; each is applied once and in order, even when connections break. state.ts holds
// the state machine; this file has the calls, timers and signals.

import { computed, signal } from '@preact/signals';

import { ApiError } from '~/api/client';
import type { Plan } from '~/api/types';
import { holdPage } from '~/app/session';
import { inWords } from '~/ui';
import type { Attachment, ChatEvent, Reference } from './events';
import { History } from './history';
import { addAll, type Turn } from './log';
import { pause } from './pause';
import { type Choice, type Picture, Queue, type Waiting } from './queue';
import {
  type Attempt,
  at,
  beginning,
  fate,
  type Happening,
  isResting,
  loading,
  next,
  place,
  runOf,
  type State,
  seen,
  verdict,
} from './state';
import { readChat, Wire } from './wire';

interface Hooks {
  /** me is the user's id. */
  me: string;
  /** live is called for each new event while the chat is open. */
  live: (event: ChatEvent) => void;
  /** isRunning asks the service whether the chat has an active run. */
  isRunning: () => Promise<boolean>;
}

type Call = (signal: AbortSignal) => Promise<Response>;

/** Gap is thrown when a stream skips events. */
class Gap extends Error {}

export class Conversation {
  readonly turns = signal<Turn[]>([]);
  private readonly state = signal<State>(loading);
  readonly loaded = computed(() => seen(this.state.value).kind === 'ready');
  readonly failure = computed(() => {
    const open = seen(this.state.value);
    return open.kind === 'failed' ? open.error : null;
  });
  readonly running = computed(() => runOf(this.state.value) !== null);
  /** broken is true while the connection to a run is lost. */
  readonly broken = computed(() => runOf(this.state.value)?.link === 'lost');
  readonly stopping = computed(() => runOf(this.state.value)?.wish === 'stop');
  /** arrived is the id of a message that the service accepted, until its event arrives. */
  readonly arrived = computed(() => runOf(this.state.value)?.arrived ?? '');
  readonly plan = signal<Plan | null>(null);
  readonly queue: Queue;
  readonly history: History;

  private readonly wire: Wire;
  private readonly life = new AbortController();
  private position = beginning;
  private inbox: ChatEvent[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly unlisten: () => void;

  constructor(
    projectId: string,
    readonly chatId: string,
    private readonly hooks: Hooks,
  ) {
    this.wire = new Wire(projectId, chatId);
    this.queue = new Queue(chatId, hooks.me);
    this.history = new History(this.wire, this.life.signal);
    this.unlisten = this.queue.listen();
  }

  /** last is the seq of the newest event. */
  get last(): number {
    return this.position.last;
  }

  private on(event: Happening): void {
    this.state.value = next(this.state.peek(), event);
  }

  /** close closes the chat. Its run and a message in transit continue. */
  close(): void {
    this.on({ type: 'leave' });
    this.life.abort();
    this.unlisten();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  /** open loads the newest events and joins the active run, if any. */
  async open(isRunning: boolean): Promise<void> {
    this.on({ type: 'load' });
    try {
      await this.loadNewest();
      this.settle((item) => this.queue.isAbandoned(item));
      this.on({ type: 'loaded' });
    } catch (error) {
      this.on({ type: 'not loaded', error });
      return;
    }
    if (isRunning) await this.watch(this.follow);
    void this.pump();
  }

  private async loadNewest(): Promise<void> {
    const items = await this.history.newest();
    const newest = items.at(-1);
    this.position = newest ? at(newest) : beginning;
    this.turns.value = addAll([], items);
  }

  /** loadOlder prepends the previous turns. It calls ready just before that. */
  async loadOlder(ready: () => void): Promise<void> {
    const older = addAll([], await this.history.older());
    ready();
    this.turns.value = [...older, ...this.turns.value];
  }

  /** ask adds a message to the queue. */
  ask(text: string, pictures: Picture[], choice: Choice, references: Reference[] = []): void {
    this.queue.push(text, pictures, choice, references);
    void this.pump();
  }

  /** imageAt returns the address of a message's image. */
  imageAt({ id }: Attachment): string {
    return this.wire.imageAt(id);
  }

  /** retry sends a message again at the user's request. */
  retry(id: string): void {
    this.queue.change(id, { error: undefined, sending: undefined });
    void this.pump();
  }

  async stop(): Promise<void> {
    this.on({ type: 'stop' });
    try {
      await this.wire.stop();
    } catch (error) {
      this.on({ type: 'not stopped' });
      throw error;
    }
  }

  async runPlan(): Promise<void> {
    if (this.running.peek()) return;
    await this.watch((signal) => this.wire.runPlan(signal));
    void this.pump();
  }

  /** approve answers the request for a yes with which the last run ended. */
  async approve(id: string, allow: boolean): Promise<void> {
    if (this.running.peek()) return;
    try {
      await this.watch((signal) => this.wire.approve(id, allow, signal));
    } catch (error) {
      // The answer may have arrived, or somebody else's: the newest messages tell.
      await this.look(false).catch(() => {});
      throw error;
    }
    void this.pump();
  }

  async loadPlan(): Promise<void> {
    this.plan.value = await this.wire.plan(this.life.signal);
  }

  /** look loads events that happened while the chat was not open. */
  async look(isRunning: boolean): Promise<void> {
    if (!isResting(this.state.peek())) return;
    const { items } = await this.wire.page({ after: this.last, limit: 500 }, this.life.signal);
    if (!isResting(this.state.peek())) return;
    for (const event of items) if (place(this.position, event) === 'next') this.add(event);
    this.flush();
    if (isRunning || (items.length > 0 && this.position.run === 'under way')) await this.watch(this.follow);
    this.settle((item) => this.queue.isCutOff(item));
    void this.pump();
  }

  // pump sends waiting messages, one per run.
  private async pump(): Promise<void> {
    while (isResting(this.state.peek())) {
      const item = this.queue.next();
      if (!item) return;
      this.on({ type: 'claim' });
      const sent = this.claimed(item).finally(() => this.on({ type: 'release' }));
      holdPage(sent);
      if (!(await sent)) return;
    }
  }

  // claimed sends a message unless another tab does. It reports whether it did.
  private async claimed(item: Waiting): Promise<boolean> {
    if (!(await this.queue.claim(item.id))) return false;
    try {
      if (this.life.signal.aborted) this.queue.change(item.id, { sending: undefined });
      else await this.deliver(item);
    } finally {
      this.queue.release(item.id);
    }
    return true;
  }

  private async deliver(item: Waiting): Promise<void> {
    if (!this.queue.isWhole(item)) return this.queue.change(item.id, { sending: undefined, error: 'images' });
    const before = this.last;
    const send: Call = (signal) => this.wire.send(item, this.queue.picturesOf(item), signal);
    try {
      await this.watch(send, () => {
        this.on({ type: 'answered', message: item.text });
        this.queue.remove(item.id);
      });
    } catch (error) {
      const { code, status } = error instanceof ApiError ? error : { code: '', status: 0 };
      switch (fate({ code, status, left: this.life.signal.aborted })) {
        case 'left':
          return;
        // The message is sent after the user has signed in again.
        case 'sign in':
          return this.leave(item);
        case 'refused':
          return this.queue.change(item.id, { sending: undefined, error: inWords(error) });
        case 'waits':
          this.queue.change(item.id, { sending: undefined });
          break;
        case 'doubtful':
          await this.findOut(item, before);
      }
      await this.watch(this.follow);
      if (this.last === before) await pause(1, this.life.signal);
    }
  }

  private leave(item: Waiting): void {
    this.queue.change(item.id, { sending: undefined });
    this.close();
  }

  // findOut checks whether a message arrived whose response is missing.
  private async findOut(item: Waiting, after: number): Promise<void> {
    this.on({ type: 'watch' });
    for (let tries = 0; !this.life.signal.aborted; tries++) {
      this.on({ type: 'lost' });
      await pause(tries, this.life.signal);
      try {
        const { items } = await this.wire.page({ after, limit: 500 }, this.life.signal);
        const arrived = items.some(
          (event) => event.type === 'user.message' && event.by === this.hooks.me && event.text === item.text,
        );
        if (arrived) this.queue.remove(item.id);
        else this.queue.change(item.id, { sending: undefined });
        return;
      } catch (error) {
        if (error instanceof ApiError && error.status !== 0)
          return this.queue.change(item.id, { sending: undefined, error: inWords(error) });
      }
    }
  }

  // settle handles messages whose sending was interrupted by closing the page or the chat.
  private settle(isLeft: (item: Waiting) => boolean): void {
    const said = this.turns.value.filter(({ by }) => by === this.hooks.me);
    for (const item of this.queue.items.value) {
      if (!isLeft(item)) continue;
      const arrived = said.some(({ text, at }) => text === item.text && Date.parse(at) > item.written - 60_000);
      if (arrived) this.queue.remove(item.id);
      else this.queue.change(item.id, { sending: undefined, error: 'left' });
    }
  }

  private readonly follow: Call = (signal) => this.wire.follow(this.last, signal);

  // watch follows a run until it ends, and reconnects when the connection breaks. It fails
  // if the first call is rejected, unless verdict says to continue.
  private async watch(first: Call, begun?: () => void): Promise<void> {
    this.on({ type: 'watch' });
    let call = first;
    for (let tries = 0; !this.life.signal.aborted; tries++) {
      const before = this.last;
      try {
        const attempt = await this.readAnswer(call, call === first ? begun : undefined);
        if (this.last > before) tries = 0;
        if (await this.isDone(attempt)) break;
      } catch (error) {
        const status = error instanceof ApiError ? error.status : 0;
        const found = verdict({ kind: 'refused', status, begins: call === first && first !== this.follow });
        if (found === 'done') break;
        if (found === 'fail') {
          this.on({ type: 'over' });
          throw error;
        }
        this.on({ type: 'lost' });
      }
      call = this.follow;
      await pause(tries, this.life.signal);
    }
    this.on({ type: 'over' });
  }

  private async isDone(attempt: Attempt): Promise<boolean> {
    const found = verdict(attempt);
    return found === 'done' || (found === 'ask' && !(await this.hooks.isRunning()));
  }

  // readAnswer reads a stream and returns how it ended. It fails only if the call is rejected.
  private async readAnswer(call: Call, begun?: () => void): Promise<Attempt> {
    const attempt = new AbortController();
    const leave = () => attempt.abort();
    const before = this.position;
    // Do not abort a message in transit: its response says whether it arrived.
    if (!begun) this.life.signal.addEventListener('abort', leave);
    try {
      const answer = await call(attempt.signal);
      begun?.();
      if (begun) this.life.signal.addEventListener('abort', leave);
      if (this.life.signal.aborted) leave();
      this.on({ type: 'answered' });
      try {
        await readChat(answer, attempt, (event) => this.take(event));
        return { kind: 'whole', before, after: this.position };
      } catch (error) {
        if (!(error instanceof Gap)) this.on({ type: 'lost' });
        return { kind: 'cut', before, after: this.position };
      }
    } finally {
      attempt.abort();
      this.life.signal.removeEventListener('abort', leave);
      this.flush();
    }
  }

  // take applies an event of a stream.
  private take(event: ChatEvent): void {
    const placed = place(this.position, event);
    if (placed === 'gap') throw new Gap();
    if (placed === 'next') this.add(event);
  }

  private add(event: ChatEvent): void {
    this.position = at(event);
    this.inbox.push(event);
    this.hooks.live(event);
    if (this.frame || this.timer) return;
    // Hidden pages get no animation frames.
    if (document.hidden) this.timer = setTimeout(() => this.flush(), 100);
    else this.frame = requestAnimationFrame(() => this.flush());
  }

  // flush renders the events since the last frame.
  private flush(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = undefined;
    if (this.inbox.length === 0) return;
    const events = this.inbox;
    this.inbox = [];
    this.on({ type: 'shown' });
    this.turns.value = addAll(this.turns.value, events);
  }
}
