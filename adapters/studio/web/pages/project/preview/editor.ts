import { computed, effect, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import { me } from '~/app/session';
import { t } from '~/text';
import { inWords } from '~/ui';
import type { Place, ProjectStore } from '../store';
import type { Frame } from './frame';
import { type Limits, limitsOf, unlimited } from './limits';
import type { Move, PageMessage, Picked } from './messages';
import { moved } from './patch';
import { type Edit, type Patch, placesOf, readText, savePatch, standsIn, takeStep } from './sources';
import { keepSteps, keptSteps } from './steps';
import { Styling } from './styling';
import { placeTarget, type Target, targetOf } from './target';

// The debounce of saving, in milliseconds. While one save is under way, further values wait
// for its end, so a slow connection gets fewer of them.
const rest = 120;
const longestHistory = 100;
const longestStep = 100;

interface Change {
  target: Target;
  tag: string;
  patch: Patch;
  /** plain is the value without tokens. */
  plain: string;
}

/** Editor edits elements of the page visually and saves the changes to their sources. */
export class Editor {
  readonly on = signal(false);
  readonly picked = signal<Picked | null>(null);
  readonly target = computed(
    () => this.picked.value && targetOf(this.picked.value, this.frame.path.value, this.store.files.value),
  );
  /** limits say what of the element cannot be changed here; null until they are known. */
  readonly limits = signal<Limits | null>(null);
  readonly styling: Styling;
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
  private recent: (Edit & { back: boolean })[] = [];
  /** growing is the property whose further values belong to the latest step, or ''. */
  private growing = '';
  private readonly waiting = new Map<string, Change>();
  /** kept are the values saved since the element was picked. */
  private readonly kept = new Map<string, string>();
  /** wantsToWrite is true after a double click, until it is known whether one can write. */
  private wantsToWrite = false;
  /** words is the text of the element when it was picked, and said what became of texts. */
  private words = '';
  private readonly said = new Map<string, string>();
  /** page is the path at which the element was picked. */
  private page = '';
  /** pending is the number of queued tasks. */
  private pending = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ProjectStore,
    private readonly frame: Frame,
  ) {
    this.styling = new Styling(store);
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
    if (on) {
      void this.styling.read();
      return;
    }
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
      case 'write':
        this.wantsToWrite = true;
        this.write();
        break;
      case 'written':
        if (!this.limits.value || this.limits.value.text || this.picked.value?.text === null) break;
        this.set('textContent', message.text);
        this.flush();
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
      this.queue(() => {
        this.said.clear();
        return Promise.resolve();
      });
      this.page = this.frame.path.value;
      this.limits.value = null;
      this.wantsToWrite = false;
      this.picked.value = element;
      void this.inspect();
    }
    this.picked.value = element;
  }

  // inspect finds out what of the picked element can be changed.
  private async inspect(): Promise<void> {
    const picked = this.picked.value;
    const target = this.target.value;
    if (!picked || !target) return;
    let limits = unlimited;
    try {
      limits = await limitsOf(
        this.store.id,
        await this.present(target, picked.tag),
        picked,
        this.styling.theme.value !== null,
      );
    } catch {
      // Saving finds the mistake again, and says so.
    }
    if (!isSame(picked, this.picked.value)) return;
    this.limits.value = limits;
    this.write();
  }

  // write lets the user write on the page, once it is known that the text can be changed.
  private write(): void {
    const limits = this.limits.value;
    if (!this.wantsToWrite || !limits) return;
    this.wantsToWrite = false;
    if (!limits.text && this.picked.value?.text !== null) this.frame.send({ type: 'write' });
  }

  move(to: Move): void {
    this.frame.send({ type: 'move', to });
  }

  /** set shows a new value immediately and saves it after a pause. */
  set(property: string, value: string, token?: string): void {
    const picked = this.picked.value;
    const target = this.target.value;
    if (!picked || !target) return;
    this.calm();
    const patch = this.styling.patchOf(property, value, token, this.words);
    this.frame.send({ type: 'show', property, value, variant: patch.as && (patch.variant ?? '') });
    const elsewhere = property === 'textContent' ? this.limits.value?.elsewhere : null;
    this.waiting.set(keyOf(target, patch), { target: elsewhere ?? target, tag: picked.tag, patch, plain: value });
    this.saving.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveWaiting(), rest);
  }

  /** flush saves pending changes and ends the step that they belong to. */
  flush(): void {
    this.saveWaiting(true);
    this.queue(() => {
      this.growing = '';
      return Promise.resolve();
    });
  }

  // saveWaiting saves pending changes one by one.
  private saveWaiting(now = false): void {
    clearTimeout(this.timer);
    if (this.waiting.size === 0) return;
    if (this.pending > 0 && !now) {
      this.timer = setTimeout(() => this.saveWaiting(), rest);
      return;
    }
    const changes = [...this.waiting.values()];
    this.waiting.clear();
    for (const change of changes) this.queue(() => this.save(change));
  }

  private async save({ target, tag, patch, plain }: Change): Promise<void> {
    try {
      const { shown } = patch;
      const now = shown === undefined ? patch : { ...patch, shown: this.said.get(shown) ?? shown };
      const edit = await savePatch(this.store.id, await this.present(target, tag), now);
      if (shown !== undefined) this.said.set(shown, patch.value);
      this.kept.set(keyOf(target, patch), plain);
      this.frame.send({ type: 'settle' });
      if (!edit) return;
      this.record(edit, keyOf(target, patch));
      this.remember([edit], false);
    } catch (error) {
      this.takeBack(target, patch);
      if (patch.property === 'textContent' && isCode(error, 'selector_not_found'))
        this.places.value = await placesOf(this.store.id, this.words);
      throw error;
    }
  }

  // record adds an edit to the history: to the latest step while the same value is changed.
  private record(edit: Edit, key: string): void {
    const last = this.done.value.at(-1);
    const grows = this.growing === key && last !== undefined && last.edits.length < longestStep;
    this.done.value = grows
      ? [...this.done.value.slice(0, -1), { edits: [...last.edits, edit] }]
      : [...this.done.value, { edits: [edit] }].slice(-longestHistory);
    this.undone.value = [];
    this.growing = key;
  }

  // takeBack restores a property whose change could not be saved.
  private takeBack(target: Target, patch: Patch): void {
    const isPicked = this.target.value?.selector === target.selector || target.selector === '';
    const value = this.kept.get(keyOf(target, patch)) ?? null;
    const variant = patch.as && (patch.variant ?? '');
    if (isPicked) this.frame.send({ type: 'show', property: patch.property, value, variant });
    else this.frame.reload();
  }

  // present finds a target in the current file. The page may come from an older build.
  private async present(target: Target, tag: string): Promise<Target> {
    if (!target.place) return target;
    const text = await readText(this.store.id, target.path);
    if (standsIn(text, target, tag)) return target;
    const changes = this.recent.filter(({ path }) => path === target.path);
    for (let missed = 1; missed <= changes.length; missed += 1) {
      const spot = changes.slice(-missed).reduce((at, { diff, back }) => moved(at, diff, back), {
        line: target.place.line,
        column: target.place.column,
      });
      const next = placeTarget({ path: target.path, ...spot });
      if (standsIn(text, next, tag)) return next;
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
    this.said.clear();
    this.frame.send({ type: 'settle' });
    to.value = [...to.value, step];
    this.remember(back ? [...step.edits].reverse() : step.edits, back);
  }

  private remember(edits: Edit[], back: boolean): void {
    this.recent = [...this.recent, ...edits.map((edit) => ({ ...edit, back }))].slice(-40);
    this.fresh = true;
    this.store.filesChanged();
  }

  // queue runs tasks one after another and shows their errors.
  private queue(act: () => Promise<void>): void {
    this.saving.value = true;
    this.pending += 1;
    const work = this.work.then(act).catch((error) => {
      this.problem.value = this.places.value.length > 0 ? t.preview.edit.textComputed : explain(error);
    });
    this.work = work;
    void work.then(() => {
      this.pending -= 1;
      if (this.work === work && this.waiting.size === 0) this.saving.value = false;
    });
  }
}

function isSame(a: Picked, b: Picked | null): boolean {
  return b !== null && a.tag === b.tag && a.trail.join() === b.trail.join();
}

function keyOf(target: Target, { property, variant }: Patch): string {
  return `${target.path} ${target.selector} ${variant ?? ''} ${property}`;
}

function explain(error: unknown): string {
  if (isCode(error, 'selector_not_found')) return t.preview.edit.notFound(inWords(error));
  if (isCode(error, 'build_failed')) return t.preview.edit.broken;
  return inWords(error);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
