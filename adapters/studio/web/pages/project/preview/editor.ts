import { computed, effect, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import { me } from '~/app/session';
import { t } from '~/text';
import { inWords } from '~/ui';
import type { Place, ProjectStore } from '../store';
import { arrange } from './arrange';
import type { Frame } from './frame';
import { type Limits, limitsOf, styleLimit, unlimited } from './limits';
import type { Arrangement, Layer, Move, Other, PageMessage, Picked, Spot } from './messages';
import { moved } from './patch';
import { byFile, type Edit, type Patch, placesOf, readText, rewrite, savePatches, standsIn, takeStep } from './sources';
import { keepSteps, keptSteps } from './steps';
import { Styling } from './styling';
import { type Found, placeTarget, type Target, targetOf } from './target';

// The debounce of saving, in milliseconds. While one save is under way, further values wait
// for its end, so a slow connection gets fewer of them.
const rest = 120;
const longestHistory = 100;
const longestStep = 100;
// How long a page may take to show an arrangement, in milliseconds.
const longestBuild = 5000;
const attributes = new Set(['textContent', 'className', 'src', 'alt']);

interface Change {
  target: Target;
  tag: string;
  /** also are the elements that change in the same way. */
  also: Found[];
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
  /** others are picked together with it, and fixed has the trails of those that cannot be changed. */
  readonly others = signal<Other[]>([]);
  readonly fixed = signal<ReadonlySet<string>>(new Set());
  /** layers are the elements of the page; null while nobody looks at them. */
  readonly layers = signal<Layer[] | null>(null);
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
    this.others.value = [];
    this.layers.value = null;
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
    if (message.type === 'picked' || message.type === 'layers') this.onChange();
    switch (message.type) {
      case 'several':
        this.flush();
        if (message.elements.length > this.others.value.length) this.choices += 1;
        this.others.value = message.elements;
        void this.inspectOthers();
        break;
      case 'layers':
        if (this.layers.value) this.layers.value = message.layers;
        break;
      case 'drop':
      case 'arrange':
        arrange(this, message);
        break;
      case 'chosen':
        this.choices += 1;
        break;
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
    if (this.layers.value) this.frame.send({ type: 'layers', on: true });
    const picked = this.picked.value;
    // The same place on another page is a different element.
    if (picked && this.frame.path.value === this.page) {
      this.frame.send({ type: 'select', trail: picked.trail, tag: picked.tag });
      for (const { trail, tag } of this.others.value) this.frame.send({ type: 'select', trail, tag, also: true });
    } else {
      this.picked.value = null;
      this.others.value = [];
    }
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

  // inspectOthers finds out which of the other elements cannot be changed.
  private async inspectOthers(): Promise<void> {
    const others = this.others.value;
    const inClasses = this.styling.theme.value !== null;
    const isFixed = await Promise.all(
      others.map(async (other) => {
        const target = this.foundOf(other)?.target;
        if (!target) return true;
        try {
          return (await styleLimit(this.store.id, await this.present(target, other.tag), inClasses)) !== null;
        } catch {
          return false; // Saving finds the mistake again, and says so.
        }
      }),
    );
    if (this.others.value !== others) return;
    this.fixed.value = new Set(others.filter((_, at) => isFixed[at]).map(({ trail }) => trail.join('.')));
  }

  /** foundOf finds the source of an element, or returns null. */
  foundOf(spot: Spot): Found | null {
    const target = targetOf(spot, this.frame.path.value, this.store.files.value);
    return target && { target, tag: spot.tag };
  }

  /** look begins or stops listing the layers of the page. */
  look(on: boolean): void {
    this.layers.value = on ? [] : null;
    this.frame.send({ type: 'layers', on });
  }

  /** send asks the page for something. */
  send(message: Parameters<Frame['send']>[0]): void {
    this.frame.send(message);
  }

  /** arrange changes the place of the picked elements. */
  arrange(to: Arrangement | 'earlier' | 'later'): void {
    this.frame.send({ type: 'arrange', to });
  }

  /**
   * act makes a change of several elements that is one step. patchesOf gets their sources as
   * they are now. Then the page goes on with the element at a trail, or with none.
   */
  act(
    found: Found[],
    patchesOf: (present: Target[]) => { path: string; patches: (Patch & { selector: string })[] }[],
    next: { trail: number[]; tag: string },
  ): void {
    this.flush();
    this.calm();
    const choices = this.choices;
    this.queue(async () => {
      // The page may be built before the answer is here.
      const changed = this.changed();
      const present = await Promise.all(found.map(({ target, tag }) => this.present(target, tag)));
      const edits = await this.saveAll(patchesOf(present), '');
      if (edits.length === 0) return;
      // Until the page has changed, its places are those of before.
      await changed;
      if (choices === this.choices) this.frame.send({ type: 'select', ...next });
    });
  }

  /** rewrite changes a file as one step, or as a part of the latest one with the same key. */
  rewrite(path: string, key: string, change: (text: string) => string): void {
    this.calm();
    this.queue(async () => {
      const { before, after } = await rewrite(this.store.id, path, change);
      const { diffOf } = await import('./theming/sheet');
      const edit = { path, diff: diffOf(path, before, after) };
      this.frame.send({ type: 'settle' });
      if (edit.diff === '') return;
      this.record([edit], key);
      this.remember([edit], false);
    });
  }

  /** select picks an element, or with also one more. */
  select(trail: number[], tag: string, also: boolean): void {
    this.choices += 1;
    this.frame.send({ type: 'select', trail, tag, ...(also && { also }) });
  }

  /** choices counts what the user has picked. */
  private choices = 0;
  private onChange: () => void = () => {};

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longestBuild);
      this.onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // saveAll saves patches file by file, and records what was saved as one step.
  private async saveAll(
    files: { path: string; patches: (Patch & { selector: string })[] }[],
    key: string,
  ): Promise<Edit[]> {
    const edits: Edit[] = [];
    try {
      for (const { path, patches } of files) {
        const edit = await savePatches(this.store.id, path, patches);
        if (edit) edits.push(edit);
      }
    } finally {
      if (edits.length > 0) {
        this.record(edits, key);
        this.remember(edits, false);
      }
    }
    return edits;
  }

  // write lets the user write on the page, once it is known that the text can be changed.
  private write(): void {
    const limits = this.limits.value;
    if (!this.wantsToWrite || !limits) return;
    this.wantsToWrite = false;
    const picked = this.picked.value;
    if (!picked || picked.text === null) return;
    if (limits.text) this.proposeText(picked);
    else this.frame.send({ type: 'write' });
  }

  // proposeText begins a message to the agent about a text that cannot be written on the page.
  private proposeText({ tag, text }: Picked): void {
    const place = this.target.value?.place;
    const words = (text ?? '').trim().slice(0, 200);
    this.store.compose(t.preview.edit.changeText(words), place ? [{ type: 'element', tag, ...place }] : []);
  }

  /** writeIn lets the user write on the page a text that several sources have. */
  writeIn(source: Target): void {
    const limits = this.limits.value;
    if (!limits) return;
    this.limits.value = { ...limits, text: false, elsewhere: source, choices: [] };
    this.frame.send({ type: 'write' });
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
    const also = attributes.has(property) ? [] : this.changeable();
    this.waiting.set(keyOf(target, patch), { target: elsewhere ?? target, tag: picked.tag, also, patch, plain: value });
    this.saving.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveWaiting(), rest);
  }

  // changeable are the other elements whose looks can be set.
  private changeable(): Found[] {
    return this.others.value
      .filter(({ trail }) => !this.fixed.value.has(trail.join('.')))
      .map((other) => this.foundOf(other))
      .filter((found) => found !== null);
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

  private async save({ target, tag, also, patch, plain }: Change): Promise<void> {
    try {
      const { shown } = patch;
      const now = shown === undefined ? patch : { ...patch, shown: this.said.get(shown) ?? shown };
      const present = await Promise.all([{ target, tag }, ...also].map((one) => this.present(one.target, one.tag)));
      const key = keyOf(target, patch);
      await this.saveAll(
        byFile(present, ({ selector }) => ({ selector, ...now })),
        key,
      );
      if (shown !== undefined) this.said.set(shown, patch.value);
      this.kept.set(key, plain);
      this.frame.send({ type: 'settle' });
    } catch (error) {
      this.takeBack(target, patch);
      if (patch.property === 'textContent' && isCode(error, 'selector_not_found'))
        this.places.value = await placesOf(this.store.id, this.words);
      throw error;
    }
  }

  // record adds edits to the history: to the latest step while the same value is changed.
  private record(edits: Edit[], key: string): void {
    const last = this.done.value.at(-1);
    const grows = key !== '' && this.growing === key && last !== undefined && last.edits.length < longestStep;
    this.done.value = grows
      ? [...this.done.value.slice(0, -1), { edits: [...last.edits, ...edits] }]
      : [...this.done.value, { edits }].slice(-longestHistory);
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
