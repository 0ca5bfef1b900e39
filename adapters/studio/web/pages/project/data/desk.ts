// The shared state of the data pane: the project's data and the current view.

import { computed, type ReadonlySignal, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { Backend, DataCollection, DataEnv, DataEnvironment, SchemaPlan } from '~/api/types';
import { browserStorage, isFlag } from '~/storage';
import { t } from '~/text';
import { ask, say } from '~/ui';
import type { ProjectStore } from '../store';
import { Inspection } from './inspection';
import { Labels } from './labels';
import { schemaPath } from './sources';

const systemMemory = 'atelier.data.system';

/** ToolName names a view about the data as a whole. */
export type ToolName = 'functions' | 'logs' | 'mails' | 'check' | 'signins' | 'snapshots';

/** View is the current view: a collection's records or a tool. */
export type View = { kind: 'records'; collection: string } | { kind: ToolName };

/** DataDesk lives as long as the pane. */
export class DataDesk {
  readonly backend = signal<Backend | null>(null);
  readonly error = signal<unknown>(null);
  readonly env = signal<DataEnv>('test');
  readonly view = signal<View | null>(null);
  /** explaining is whether the explanation of the pane's words is open. */
  readonly explaining = signal(false);
  /** system is whether the tables show ids and the columns of the service. */
  readonly system = signal(browserStorage.read(systemMemory, isFlag) ?? false);
  /** changes counts the changes that make the shown records outdated. */
  readonly changes = signal(0);
  /** news counts the changes by others, which long lists show when asked. */
  readonly news = signal(0);

  readonly environment: ReadonlySignal<DataEnvironment | null>;
  readonly collections: ReadonlySignal<DataCollection[]>;
  /** canChange is true if the user may change the shown data. */
  readonly canChange: ReadonlySignal<boolean>;
  readonly labels: Labels;
  readonly inspection: Inspection;

  private call: AbortController | null = null;
  // anew is true while a reload of the records is due, even if another call takes its place.
  private anew = false;

  constructor(readonly store: ProjectStore) {
    this.environment = computed(() => this.backend.value?.environments[this.env.value] ?? null);
    this.collections = computed(() => this.backend.value?.collections ?? []);
    this.canChange = computed(() => this.env.value === 'test' || store.isAdmin.value);
    this.labels = new Labels(this);
    this.inspection = new Inspection(this.path('/check'), store.files, schemaPath);
  }

  /** showSystem shows or hides ids and the columns of the service, in this browser. */
  showSystem(shown: boolean): void {
    this.system.value = shown;
    browserStorage.write(systemMemory, shown);
  }

  /** reload reloads the state and the shown records. */
  async reload(): Promise<void> {
    this.anew = true;
    await this.load();
  }

  private async load(): Promise<void> {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    try {
      const backend = await api.get<Backend>(this.path(), { signal: call.signal });
      if (call.signal.aborted) return;
      this.take(backend);
      if (this.anew) this.changes.value += 1;
      else this.news.value += 1;
      this.anew = false;
    } catch (error) {
      if (!call.signal.aborted) this.error.value = error;
    }
  }

  /** follow reloads the state after changes by others: visitors, functions, members. */
  async follow(): Promise<void> {
    await this.load();
  }

  /** recount reloads the state after a local change. */
  async recount(): Promise<void> {
    this.take(await api.get<Backend>(this.path()));
  }

  private take(backend: Backend): void {
    this.error.value = null;
    this.backend.value = backend;
    const view = this.view.peek();
    if (view?.kind !== 'records') return;
    if (backend.collections.every(({ name }) => name !== view.collection)) this.view.value = null;
  }

  /** stop aborts a reload. */
  stop(): void {
    this.call?.abort();
  }

  /** path returns an address below the project's backend. */
  path(rest = ''): string {
    return `/projects/${this.store.id}/backend${rest}`;
  }

  /** of returns an address below a collection of the shown environment. */
  of(collection: string, rest: string): string {
    return this.path(`/${this.env.value}/collections/${encodeURIComponent(collection)}/${rest}`);
  }

  /** record returns the address of a record of the shown environment. */
  record(collection: string, id: string): string {
    return this.of(collection, `records/${encodeURIComponent(id)}`);
  }

  collection(name: string | undefined): DataCollection | undefined {
    return this.collections.value.find((one) => one.name === name);
  }

  /** isSure asks for confirmation before a change of live data. Test data needs none. */
  isSure(title: string, confirm: string): Promise<boolean> {
    return this.env.peek() === 'live' ? ask({ title, text: t.data.liveQuestion, confirm }) : Promise.resolve(true);
  }

  /** confirm applies the pending plan. */
  async confirm(plan: SchemaPlan): Promise<void> {
    try {
      this.take(await api.post<Backend>(this.path('/test/apply'), { planId: plan.id }));
      this.changes.value += 1;
      say(t.data.applied);
    } catch (error) {
      // Another member confirmed the plan, or the schema has changed again.
      if (error instanceof ApiError && error.code === 'conflict') await this.reload();
      throw error;
    }
  }

  /** reset recreates the test data, from the seed file or empty. */
  async reset(seed: boolean): Promise<void> {
    await api.post(this.path('/test/reset'), seed ? { seed } : {});
    say(t.data.wasReset);
    await this.reload();
  }
}
