import { computed, effect, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import { me } from '~/app/session';
import { t } from '~/text';
import { inWords } from '~/ui';
import type { Place, ProjectStore } from '../store';
import type { Frame } from './frame';
import type { Move, PageMessage, Picked } from './messages';
import { moved } from './patch';
import { placesOf, type Step, saveValue, standsAt, takeStep } from './sources';
import { keepSteps, keptSteps } from './steps';
import { placeTarget, type Target, targetOf } from './target';

// The debounce of saving, in milliseconds.
const rest = 500;
const longestHistory = 100;

interface Change {
  target: Target;
  tag: string;
  property: string;
  value: string;
}

/** Editor edits elements of the page visually and saves the changes to their sources. */
export class Editor {
  readonly on = signal(false);
  readonly picked = signal<Picked | null>(null);
  readonly target = computed(
    () => this.picked.value && targetOf(this.picked.value, this.frame.path.value, this.store.files.value),
  );
  readonly saving = signal(false);
  readonly problem = signal<string | null>(null);
  /** places are the occurrences of a text that could not be edited on the page. */
  readonly places = signal<Place[]>([]);

  private readonly done;
  private readonly undone;
  readonly canUndo = computed(() => this.done.value.length > 0);
  readonly canRedo = computed(() => this.undone.value.length > 0);
  /** fresh is true if there are changes that are not in a version yet. */
  private fresh = false;

  /** recent are the latest changes, in order; the page may not show them yet. */
  private recent: (Step & { back: boolean })[] = [];
  private readonly waiting = new Map<string, Change>();
  /** kept are the values saved since the element was picked. */
  private readonly kept = new Map<string, string>();
  /** words is the text of the element when it was picked. */
  private words = '';
  /** page is the path at which the element was picked. */
  private page = '';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ProjectStore,
    private readonly frame: Frame,
  ) {
    const memory = `atelier.steps.${store.id}.${me.peek()?.user.id ?? ''}`;
    const { done, undone } = keptSteps(memory);
    this.done = signal(done);
    this.undone = signal(undone);
    effect(() => keepSteps(memory, { done: this.done.value, undone: this.undone.value }));
  }

  /** toggle switches picking on or off. */
  toggle(on = !this.on.value): void {
    this.on.value = on;
    this.frame.send({ type: 'pick', on });
    if (on) return;
    this.flush();
    this.picked.value = null;
    this.calm();
    this.queue(() => this.keep());
  }

  // keep creates a version of the changes when editing ends.
  private async keep(): Promise<void> {
    if (!this.fresh) return;
    this.fresh = false;
    await api.post(`/projects/${this.store.id}/versions`, { automatic: true });
    this.store.versionsChanged();
  }

  private calm(): void {
    this.problem.value = null;
    this.places.value = [];
  }

  /** take handles a message from the page. */
  take(message: PageMessage): void {
    if (!this.on.value) return;
    switch (message.type) {
      case 'picked':
        this.choose(message.element);
        break;
      case 'picking':
        if (!message.on) this.toggle(false);
        break;
      case 'step':
        void (message.to === 'undo' ? this.undo() : this.redo());
        break;
    }
  }

  /** resume restores the mode and the selection after the page has reloaded. */
  resume(): void {
    if (!this.on.value) return;
    this.frame.send({ type: 'pick', on: true });
    const picked = this.picked.value;
    // The same place on another page is a different element.
    if (picked && this.frame.path.value === this.page)
      this.frame.send({ type: 'select', trail: picked.trail, tag: picked.tag });
    else this.picked.value = null;
  }

  private choose(element: Picked | null): void {
    if (!element || !isSame(element, this.picked.value)) {
      this.flush();
      this.kept.clear();
      this.calm();
      this.words = element?.text ?? '';
      this.page = this.frame.path.value;
    }
    this.picked.value = element;
  }

  move(to: Move): void {
    this.frame.send({ type: 'move', to });
  }

  /** set shows a new value immediately and saves it after a pause. */
  set(property: string, value: string): void {
    const picked = this.picked.value;
    const target = this.target.value;
    if (!picked || !target) return;
    this.calm();
    this.frame.send({ type: 'show', property, value });
    this.waiting.set(keyOf(target, property), { target, tag: picked.tag, property, value });
    this.saving.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), rest);
  }

  /** flush saves pending changes one by one. */
  flush(): void {
    clearTimeout(this.timer);
    const changes = [...this.waiting.values()];
    this.waiting.clear();
    for (const change of changes) this.queue(() => this.save(change));
  }

  private async save({ target, tag, property, value }: Change): Promise<void> {
    try {
      const step = await saveValue(this.store.id, await this.present(target, tag), property, value);
      this.kept.set(keyOf(target, property), value);
      if (!step) return;
      this.done.value = [...this.done.value, step].slice(-longestHistory);
      this.undone.value = [];
      this.remember(step, false);
    } catch (error) {
      this.takeBack(target, property);
      if (property === 'textContent' && isCode(error, 'selector_not_found'))
        this.places.value = await placesOf(this.store.id, this.words);
      throw error;
    }
  }

  // takeBack restores a property whose change could not be saved.
  private takeBack(target: Target, property: string): void {
    const isPicked = this.target.value?.selector === target.selector;
    if (isPicked) this.frame.send({ type: 'show', property, value: this.kept.get(keyOf(target, property)) ?? null });
    else this.frame.reload();
  }

  // present finds a target in the current file. The page may come from an older build.
  private async present(target: Target, tag: string): Promise<Target> {
    if (!target.place || (await standsAt(this.store.id, target, tag))) return target;
    const changes = this.recent.filter(({ path }) => path === target.path);
    for (let missed = 1; missed <= changes.length; missed += 1) {
      const spot = changes.slice(-missed).reduce((at, { diff, back }) => moved(at, diff, back), {
        line: target.place.line,
        column: target.place.column,
      });
      const next = placeTarget({ path: target.path, ...spot });
      if (await standsAt(this.store.id, next, tag)) return next;
    }
    throw new Error(t.preview.edit.stale);
  }

  async undo(): Promise<void> {
    this.flush();
    this.queue(() => this.step(this.done, this.undone, true));
    await this.work;
  }

  async redo(): Promise<void> {
    this.flush();
    this.queue(() => this.step(this.undone, this.done, false));
    await this.work;
  }

  private async step(from: typeof this.done, to: typeof this.done, back: boolean): Promise<void> {
    const step = from.value.at(-1);
    if (!step) return;
    from.value = from.value.slice(0, -1);
    await takeStep(this.store.id, step, back);
    to.value = [...to.value, step];
    this.remember(step, back);
  }

  private remember(step: Step, back: boolean): void {
    this.recent = [...this.recent, { ...step, back }].slice(-5);
    this.fresh = true;
    this.store.filesChanged();
  }

  // queue runs tasks one after another and shows their errors.
  private queue(act: () => Promise<void>): void {
    this.saving.value = true;
    const work = this.work.then(act).catch((error) => {
      this.problem.value = this.places.value.length > 0 ? t.preview.edit.textComputed : explain(error);
    });
    this.work = work;
    void work.then(() => {
      if (this.work === work && this.waiting.size === 0) this.saving.value = false;
    });
  }
}

function isSame(a: Picked, b: Picked | null): boolean {
  return b !== null && a.tag === b.tag && a.trail.join() === b.trail.join();
}

function keyOf(target: Target, property: string): string {
  return `${target.path} ${target.selector} ${property}`;
}

function explain(error: unknown): string {
  if (isCode(error, 'selector_not_found')) return t.preview.edit.notFound(inWords(error));
  if (isCode(error, 'build_failed')) return t.preview.edit.broken;
  return inWords(error);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
