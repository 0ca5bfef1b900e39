// The chats of a project, the current chat, and the text of its composer.

import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';

import { api } from '~/api/client';
import type { Chat, Member } from '~/api/types';
import { me } from '~/app/session';
import { browserStorage } from '~/storage';
import { t } from '~/text';
import { shorten } from '~/text/shorten';
import type { ProjectStore } from '../store';
import { keepChoice, keptChoice } from './choice';
import { Conversation } from './conversation';
import { type ChatEvent, ends, type Reference } from './events';
import type { Choice, Picture } from './queue';

/**
 * every is the polling interval, in milliseconds, for runs by other users while the live
 * connection is down.
 */
const every = 4000;

/** unnamed is the service's title for a chat without a name. */
const unnamed = 'New chat';

export function titleOf(chat: Chat | undefined): string {
  if (!chat) return t.chat.chat;
  return chat.title === unnamed ? t.chat.newChat : chat.title;
}

/** Draft is a text with what belongs to it, for a chat's composer. */
export interface Draft {
  chatId: string;
  text: string;
  pictures: Picture[];
  references: Reference[];
  /** made are the versions of a message that is sent again, newest first. */
  made?: string[];
}

/** Chats lives as long as the project's page. */
export class Chats {
  readonly items = signal<Chat[]>([]);
  readonly failure = signal<unknown>(null);
  readonly conversation = signal<Conversation | null>(null);
  readonly current: ReadonlySignal<Chat | undefined>;
  readonly members = signal<Member[]>([]);
  /** choice is the model last chosen for this project. */
  readonly choice;

  /** draft is a text for a chat's composer. */
  readonly draft = signal<Draft | null>(null);
  /** planning are the chats whose running message asked for a plan. */
  private readonly planning = new Set<string>();

  private readonly open = new Map<string, Conversation>();
  private readonly memory: string;
  private timer: ReturnType<typeof setInterval> | undefined;
  private askedForMembers = false;
  /** loads counts started loads of the list; loaded is the number of the newest finished load. */
  private loads = 0;
  private loaded = 0;
  /** heard maps a chat to the value of loads when its last start or end of a run arrived. */
  private readonly heard = new Map<string, number>();
  /** heeding are the conversations that load other users' messages. */
  private readonly heeding = new Set<Conversation>();

  constructor(readonly store: ProjectStore) {
    this.memory = `atelier.chat.${store.id}`;
    this.choice = signal<Choice>(keptChoice(store.id));
    this.current = computed(() => this.items.value.find(({ id }) => id === this.conversation.value?.chatId));
  }

  /** begin loads the chats and opens the last one. */
  begin(): () => void {
    const { live } = this.store;
    void this.load();
    const look = () => void this.look().catch(() => {});
    this.timer = setInterval(() => {
      const state = live.state.peek();
      if (state === 'connecting' || state === 'down') look();
    }, every);
    const leave = [
      live.listen((event) => {
        if (event.type === 'chat.event') this.told(event.chatId, event.event);
      }),
      effect(() => {
        if (live.state.value === 'up') look();
      }),
    ];
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(this.timer);
      document.removeEventListener('visibilitychange', look);
      for (const end of leave) end();
      for (const conversation of this.open.values()) conversation.close();
      this.open.clear();
    };
  }

  async load(): Promise<void> {
    this.failure.value = null;
    try {
      await this.reload();
      const kept = browserStorage.text(this.memory);
      const chat =
        this.items.value.find(({ id }) => id === kept) ??
        this.items.value.find(({ isDefault }) => isDefault) ??
        this.items.value[0];
      if (chat) this.show(chat);
    } catch (error) {
      this.failure.value = error;
    }
  }

  /** show opens a chat. It closes the previous one unless messages are waiting there. */
  show(chat: Chat): void {
    const before = this.conversation.value;
    if (before?.chatId === chat.id) return;
    browserStorage.setText(this.memory, chat.id);
    let next = this.open.get(chat.id);
    if (!next) {
      next = new Conversation(this.store.id, chat.id, {
        me: me.value?.user.id ?? '',
        live: (event) => this.hear(chat.id, event),
        isRunning: () => this.isRunning(chat.id),
      });
      this.open.set(chat.id, next);
      void next.open(chat.running).then(() => this.catchUp(chat.id));
    }
    this.conversation.value = next;
    if (before) this.leaveIdle(before);
  }

  choose(choice: Choice): void {
    this.choice.value = choice;
    keepChoice(this.store.id, choice);
  }

  /** runPlan asks the agent to carry out a chat's plan. It switches the mode to build. */
  async runPlan(conversation: Conversation): Promise<void> {
    const chat = this.items.value.find(({ id }) => id === conversation.chatId);
    const done = conversation.runPlan();
    if (chat)
      this.items.value = this.items.value.map((item) => (item.id === chat.id ? { ...item, mode: 'build' } : item));
    await done.finally(() => this.reload().catch(() => {}));
  }

  async create(mode: string): Promise<void> {
    const made = await api.post<Chat>(`/projects/${this.store.id}/chats`, { mode });
    this.items.value = [...this.items.value, made];
    this.show(made);
  }

  async change(chat: Chat, change: { title?: string; mode?: string }): Promise<void> {
    const changed = await api.patch<Chat>(`/projects/${this.store.id}/chats/${chat.id}`, change);
    // A run may have started or ended while the response was in transit.
    this.items.value = this.items.value.map((item) =>
      item.id === chat.id ? { ...changed, running: item.running } : item,
    );
  }

  async remove(chat: Chat): Promise<void> {
    await api.delete(`/projects/${this.store.id}/chats/${chat.id}`);
    this.items.value = this.items.value.filter(({ id }) => id !== chat.id);
    this.open.get(chat.id)?.close();
    this.open.delete(chat.id);
    const next = this.items.value.find(({ isDefault }) => isDefault) ?? this.items.value[0];
    if (this.conversation.value?.chatId === chat.id && next) this.show(next);
  }

  /** nameOf returns a member's name. It loads the members if the id is unknown. */
  nameOf(userId: string): string {
    const found = this.members.value.find((member) => member.userId === userId);
    if (!found && !this.askedForMembers) {
      this.askedForMembers = true;
      api.get<{ items: Member[] }>(`/workspaces/${this.store.project.value.workspaceId}/members`).then(
        ({ items }) => {
          this.members.value = items;
        },
        () => {},
      );
    }
    return found ? found.displayName || found.email : '';
  }

  /** reload loads the list. Events that arrive during the load take precedence over it. */
  async reload(): Promise<void> {
    const load = ++this.loads;
    const { items } = await api.get<{ items: Chat[] }>(`/projects/${this.store.id}/chats`);
    if (load < this.loaded) return;
    this.loaded = load;
    const before = this.items.peek();
    this.items.value = items.map((chat) => {
      const heard = (this.heard.get(chat.id) ?? 0) >= load ? before.find(({ id }) => id === chat.id) : undefined;
      return heard ? { ...chat, running: heard.running } : chat;
    });
  }

  private async isRunning(id: string): Promise<boolean> {
    await this.reload();
    return this.items.value.some((chat) => chat.id === id && chat.running);
  }

  private async look(): Promise<void> {
    if (document.hidden && ![...this.open.values()].some(({ queue }) => queue.items.value.length > 0)) return;
    await this.reload();
    for (const conversation of this.open.values()) {
      if (conversation !== this.conversation.value) this.leaveIdle(conversation);
      const running = this.items.value.some((chat) => chat.id === conversation.chatId && chat.running);
      void conversation.look(running).catch(() => {});
    }
  }

  // told handles an event of a chat that the service pushed. This tab may have caused it.
  private told(chatId: string, event: ChatEvent): void {
    const conversation = this.open.get(chatId);
    if (!this.items.peek().some(({ id }) => id === chatId) || event.type === 'user.message')
      void this.reload().catch(() => {});
    else if (ends(event)) this.mark(chatId, false);
    if (conversation) void this.heed(conversation, event).catch(() => {});
    else if (event.type === 'version.created') this.store.versionsChanged();
  }

  // heed makes a conversation load events that it does not have yet.
  private async heed(conversation: Conversation, event: ChatEvent): Promise<void> {
    if (event.seq <= conversation.last || this.heeding.has(conversation)) return;
    this.heeding.add(conversation);
    try {
      await conversation.look(!ends(event));
    } finally {
      this.heeding.delete(conversation);
    }
  }

  private leaveIdle(conversation: Conversation): void {
    if (conversation === this.conversation.value || conversation.queue.items.value.length > 0) return;
    conversation.close();
    this.open.delete(conversation.chatId);
  }

  // hear forwards events of a run to other panes.
  private hear(chatId: string, event: ChatEvent): void {
    switch (event.type) {
      case 'user.message':
        this.mark(chatId, true);
        if (event.command === 'plan') this.planning.add(chatId);
        else this.planning.delete(chatId);
        if (event.seq === 1 && event.by === me.value?.user.id) void this.entitle(chatId, event.text).catch(() => {});
        break;
      case 'file.changed':
        this.store.filesChanged();
        break;
      case 'version.created':
        this.store.versionsChanged();
        break;
      case 'session.task_complete':
      case 'session.error':
        this.mark(chatId, false);
        if (event.type === 'session.task_complete' && event.reason === 'done') void this.findPlan(chatId);
        break;
    }
  }

  // entitle names an unnamed chat after its first message.
  private async entitle(chatId: string, text: string): Promise<void> {
    const chat = this.items.value.find(({ id }) => id === chatId);
    const title = shorten(text.trim().split('\n')[0]!, 60);
    if (chat?.title === unnamed && title) await this.change(chat, { title });
  }

  private mark(chatId: string, running: boolean): void {
    this.heard.set(chatId, this.loads);
    this.items.value = this.items.value.map((chat) => (chat.id === chatId ? { ...chat, running } : chat));
  }

  // catchUp handles the events of a chat that was just loaded.
  private async catchUp(chatId: string): Promise<void> {
    const turns = this.open.get(chatId)?.turns.value ?? [];
    const [first, last] = [turns[0], turns.at(-1)];
    if (first?.key === 1 && first.by === me.value?.user.id) await this.entitle(chatId, first.text).catch(() => {});
    const built = last?.items.some((item) => item.kind === 'version');
    if (last?.end?.kind === 'complete' && last.end.reason === 'done' && !built) await this.findPlan(chatId);
  }

  // findPlan loads the plan that a chat has just made.
  private async findPlan(chatId: string): Promise<void> {
    const plans =
      this.items.value.find(({ id }) => id === chatId)?.mode === 'plan' ||
      this.planning.has(chatId) ||
      this.open.get(chatId)?.turns.value.at(-1)?.command === 'plan';
    if (plans)
      await this.open
        .get(chatId)
        ?.loadPlan()
        .catch(() => {});
  }
}
