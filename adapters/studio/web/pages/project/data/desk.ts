// The state that the parts of the data pane share: the project's data, and the shown view.

import { computed, type ReadonlySignal, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { Backend, DataCollection, DataEnv, DataEnvironment, SchemaPlan } from '~/api/types';
import { t } from '~/text';
import { ask, say } from '~/ui';
import type { ProjectStore } from '../store';
import { Inspection } from './inspection';
import { Labels } from './labels';

/** ToolName names a view that is about all of the data. */
export type ToolName = 'functions' | 'logs' | 'mails' | 'check' | 'snapshots';

/** View is what the pane shows beside the list: a collection's records, or a tool. */
export type View = { kind: 'records'; collection: string } | { kind: ToolName };

/** schemaPath and seedPath are the files that a backend is declared by. */
export const schemaPath = 'backend/schema.json';
export const seedPath = 'backend/seed.json';

/** DataDesk lives as long as the pane. */
export class DataDesk {
  readonly backend = signal<Backend | null>(null);
  readonly error = signal<unknown>(null);
  readonly env = signal<DataEnv>('test');
  readonly view = signal<View | null>(null);
  /** changes counts what makes shown records old. */
  readonly changes = signal(0);

  readonly environment: ReadonlySignal<DataEnvironment | null>;
  readonly collections: ReadonlySignal<DataCollection[]>;
  /** canChange is whether the reader may change the data that is shown. */
  readonly canChange: ReadonlySignal<boolean>;
  readonly labels: Labels;
  readonly inspection: Inspection;

  private call: AbortController | null = null;

  constructor(readonly store: ProjectStore) {
    this.environment = computed(() => this.backend.value?.environments[this.env.value] ?? null);
    this.collections = computed(() => this.backend.value?.collections ?? []);
    this.canChange = computed(() => this.env.value === 'test' || store.isAdmin.value);
    this.labels = new Labels(this);
    this.inspection = new Inspection(this.path('/check'), store.files, schemaPath);
  }

  /** reload reads the state, and lets shown records be read again. */
  async reload(): Promise<void> {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    try {
      const backend = await api.get<Backend>(this.path(), { signal: call.signal });
      if (call.signal.aborted) return;
      this.take(backend);
      this.changes.value += 1;
    } catch (error) {
      if (!call.signal.aborted) this.error.value = error;
    }
  }

  /** recount reads the state after a change that was made here. */
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

  /** stop ends what reload waits for. */
  stop(): void {
    this.call?.abort();
  }

  /** path is an address below the project's backend. */
  path(rest = ''): string {
    return `/projects/${this.store.id}/backend${rest}`;
  }

  /** of is an address below a collection of the data that is shown. */
  of(collection: string, rest: string): string {
    return this.path(`/${this.env.value}/collections/${encodeURIComponent(collection)}/${rest}`);
  }

  /** record is the address of a record of the data that is shown. */
  record(collection: string, id: string): string {
    return this.of(collection, `records/${encodeURIComponent(id)}`);
  }

  collection(name: string | undefined): DataCollection | undefined {
    return this.collections.value.find((one) => one.name === name);
  }

  /** isSure asks before a change of live data; test data may be changed at once. */
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
      // Somebody else confirmed it, or the schema has changed again.
      if (error instanceof ApiError && error.code === 'conflict') await this.reload();
      throw error;
    }
  }

  /** reset makes the test data anew, with the records of the seed file or empty. */
  async reset(seed: boolean): Promise<void> {
    await api.post(this.path('/test/reset'), seed ? { seed } : {});
    say(t.data.wasReset);
    await this.reload();
  }
}
