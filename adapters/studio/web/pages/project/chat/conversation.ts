// One chat: its log, the run that is under way, and what waits to be sent. Events come
// from pages and streams; each is taken once, in order, whatever breaks in between.

import { signal } from '@preact/signals';

import { ApiError } from '~/api/client';
import type { Plan } from '~/api/types';
import { holdPage } from '~/app/session';
import { inWords } from '~/ui';
import { type ChatEvent, ends } from './events';
import { History } from './history';
import { addAll, type Turn } from './log';
import { pause } from './pause';
import { type Choice, type Picture, Queue, type Waiting } from './queue';
import { readChat, Wire } from './wire';

interface Hooks {
  /** me is the id of the reader. */
  me: string;
  /** live is called with each event that happens while the chat is watched. */
  live: (event: ChatEvent) => void;
  /** isRunning asks whether the chat has a run under way. */
  isRunning: () => Promise<boolean>;
}

type Call = (signal: AbortSignal) => Promise<Response>;

/** Gap is a hole in a stream: events are missing before the one that came. */
class Gap extends Error {}

export class Conversation {
  readonly turns = signal<Turn[]>([]);
  readonly loaded = signal(false);
  readonly failure = signal<unknown>(null);
  readonly running = signal(false);
  /** broken is while the connection to a run is lost. */
  readonly broken = signal(false);
  readonly stopping = signal(false);
  /** arrived is a message that the service took and whose event is about to come. */
  readonly arrived = signal('');
  readonly plan = signal<Plan | null>(null);
  readonly queue: Queue;
  readonly history: History;

  private readonly wire: Wire;
  private readonly life = new AbortController();
  /** last is the seq of the newest event that came, ended whether it was the last of its run. */
  last = 0;
  private ended = true;
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

  /** close leaves the chat; its run goes on, and so does a message on its way. */
  close(): void {
    this.life.abort();
    this.unlisten();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  /** open loads the newest events and joins the run that is under way, if there is one. */
  async open(isRunning: boolean): Promise<void> {
    this.failure.value = null;
    try {
      await this.loadNewest();
      this.settle((item) => this.queue.isAbandoned(item));
      this.loaded.value = true;
    } catch (error) {
      if (!this.life.signal.aborted) this.failure.value = error;
      return;
    }
    if (isRunning) await this.watch(this.follow);
    void this.pump();
  }

  private async loadNewest(): Promise<void> {
    const items = await this.history.newest();
    this.last = items.at(-1)?.seq ?? 0;
    this.ended = items.length === 0 || ends(items.at(-1)!);
    this.turns.value = addAll([], items);
  }

  /** loadOlder puts the turns before the first in front of it; it calls ready right before. */
  async loadOlder(ready: () => void): Promise<void> {
    const older = addAll([], await this.history.older());
    ready();
    this.turns.value = [...older, ...this.turns.value];
  }

  /** ask puts a message at the end of the queue; it is sent when it is its turn. */
  ask(text: string, pictures: Picture[], choice: Choice): void {
    this.queue.push(text, pictures, choice);
    void this.pump();
  }

  /** retry sends a message that waits for a person. */
  retry(id: string): void {
    this.queue.change(id, { error: undefined, sending: undefined });
    void this.pump();
  }

  async stop(): Promise<void> {
    this.stopping.value = true;
    try {
      await this.wire.stop();
    } catch (error) {
      this.stopping.value = false;
      throw error;
    }
  }

  async runPlan(): Promise<void> {
    if (this.running.value) return;
    await this.watch((signal) => this.wire.runPlan(signal));
    void this.pump();
  }

  async loadPlan(): Promise<void> {
    this.plan.value = await this.wire.plan(this.life.signal);
  }

  /** look finds out what others did while nothing was followed. */
  async look(isRunning: boolean): Promise<void> {
    if (!this.loaded.value || this.running.value || this.pumping) return;
    const { items } = await this.wire.page({ after: this.last, limit: 500 }, this.life.signal);
    if (this.running.value || this.pumping) return;
    for (const event of items) if (event.seq === this.last + 1) this.take(event);
    this.flush();
    if (isRunning || (items.length > 0 && !this.ended)) await this.watch(this.follow);
    this.settle((item) => this.queue.isCutOff(item));
    void this.pump();
  }

  private pumping = false;

  // pump sends what waits, one message a run.
  private async pump(): Promise<void> {
    if (this.pumping || !this.loaded.value) return;
    this.pumping = true;
    try {
      for (;;) {
        const next = this.queue.next();
        if (!next || this.running.value || this.life.signal.aborted) return;
        const sent = this.claimed(next);
        holdPage(sent);
        if (!(await sent)) return;
      }
    } finally {
      this.pumping = false;
    }
  }

  // claimed delivers a message unless another tab does, and reports whether it did.
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
    const send: Call = (signal) => this.wire.send(item.text, this.queue.picturesOf(item), item.choice, signal);
    try {
      await this.watch(send, () => {
        this.arrived.value = item.text;
        this.queue.remove(item.id);
      });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : '';
      // Only an answer says that a message did not arrive; a page that was left has no
      // time to find out, and the next one does it.
      if (this.life.signal.aborted && (code === '' || code === 'offline')) return;
      if (code === 'chat_busy') this.queue.change(item.id, { sending: undefined });
      else if (code === 'offline') await this.findOut(item, before);
      // The page leaves to sign in, and sends it when it is back.
      else if (error instanceof ApiError && error.status === 401) this.leave(item);
      else this.queue.change(item.id, { sending: undefined, error: inWords(error) });
      if (code !== 'chat_busy' && code !== 'offline') return;
      await this.watch(this.follow);
      if (this.last === before) await pause(1, this.life.signal);
    }
  }

  private leave(item: Waiting): void {
    this.queue.change(item.id, { sending: undefined });
    this.close();
  }

  // findOut finds out whether a message arrived whose answer did not come.
  private async findOut(item: Waiting, after: number): Promise<void> {
    this.running.value = true;
    for (let tries = 0; !this.life.signal.aborted; tries++) {
      this.broken.value = true;
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

  // settle decides about messages that were being sent when their page or chat was left.
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

  // watch stays with a run until its end, however often the connection breaks. It
  // fails when the first call is refused, unless that is to follow.
  private async watch(first: Call, begun?: () => void): Promise<void> {
    this.running.value = true;
    let call = first;
    for (let tries = 0; !this.life.signal.aborted; tries++) {
      const before = this.last;
      try {
        const whole = await this.readAnswer(call, call === first ? begun : undefined);
        if (this.last > before) tries = 0;
        if (whole ? this.ended || !(await this.hooks.isRunning()) : this.ended && this.last > before) break;
      } catch (error) {
        if (call === first && first !== this.follow) {
          this.idle();
          throw error;
        }
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) break;
        this.broken.value = true;
      }
      call = this.follow;
      await pause(tries, this.life.signal);
    }
    this.idle();
  }

  private idle(): void {
    if (this.life.signal.aborted) return;
    this.arrived.value = '';
    this.broken.value = false;
    this.stopping.value = false;
    this.running.value = false;
  }

  // readAnswer reads a stream as far as it comes, and reports whether it came to its
  // end. It fails only when the call is refused.
  private async readAnswer(call: Call, begun?: () => void): Promise<boolean> {
    const attempt = new AbortController();
    const leave = () => attempt.abort();
    // A message on its way is not called back: its answer says whether it arrived.
    if (!begun) this.life.signal.addEventListener('abort', leave);
    try {
      const answer = await call(attempt.signal);
      begun?.();
      if (begun) this.life.signal.addEventListener('abort', leave);
      if (this.life.signal.aborted) leave();
      this.broken.value = false;
      try {
        await readChat(answer, attempt, (event) => this.take(event));
        return true;
      } catch (error) {
        this.broken.value = !(error instanceof Gap);
        return false;
      }
    } finally {
      attempt.abort();
      this.life.signal.removeEventListener('abort', leave);
      this.flush();
    }
  }

  private take(event: ChatEvent): void {
    if (event.seq <= this.last) return;
    if (event.seq > this.last + 1) throw new Gap();
    this.last = event.seq;
    this.ended = ends(event);
    this.inbox.push(event);
    this.hooks.live(event);
    if (this.frame || this.timer) return;
    // A page that is not visible has no frames.
    if (document.hidden) this.timer = setTimeout(() => this.flush(), 100);
    else this.frame = requestAnimationFrame(() => this.flush());
  }

  // flush shows what came since the last frame.
  private flush(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = undefined;
    if (this.inbox.length === 0) return;
    const events = this.inbox;
    this.inbox = [];
    this.arrived.value = '';
    this.turns.value = addAll(this.turns.value, events);
  }
}
