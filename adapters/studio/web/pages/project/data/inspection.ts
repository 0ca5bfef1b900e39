// The check of what strangers reach of the data.

import { computed, type ReadonlySignal, signal } from '@preact/signals';

import { api } from '~/api/client';
import type { FileEntry, Finding } from '~/api/types';

/** Checked is what a check has found. */
interface Checked {
  findings: Finding[];
  at: string;
  /** schema is the etag of the schema file that was checked. */
  schema: string | undefined;
}

/** Inspection lives as long as the pane, so that a check goes on while something else is looked at. */
export class Inspection {
  readonly result = signal<Checked | null>(null);
  readonly running = signal(false);
  readonly error = signal<unknown>(undefined);
  /** isOld is whether the schema has changed since. */
  readonly isOld: ReadonlySignal<boolean>;

  private readonly schema: ReadonlySignal<string | undefined>;

  constructor(
    private readonly address: string,
    files: ReadonlySignal<FileEntry[]>,
    schemaPath: string,
  ) {
    this.schema = computed(() => files.value.find(({ path }) => path === schemaPath)?.etag);
    this.isOld = computed(() => this.result.value !== null && this.result.value.schema !== this.schema.value);
  }

  /** findingsOf are those of a collection. */
  findingsOf(collection: string): Finding[] {
    return this.result.value?.findings.filter((one) => one.collection === collection) ?? [];
  }

  /** run checks, unless a check is under way. */
  async run(): Promise<void> {
    if (this.running.peek()) return;
    this.running.value = true;
    this.error.value = undefined;
    const schema = this.schema.peek();
    try {
      const { findings } = await api.post<{ findings: Finding[] }>(this.address);
      this.result.value = { findings, at: new Date().toISOString(), schema };
    } catch (error) {
      this.error.value = error;
    } finally {
      this.running.value = false;
    }
  }
}
