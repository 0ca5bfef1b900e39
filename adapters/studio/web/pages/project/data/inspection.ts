// The check of what strangers can access.

import { computed, type ReadonlySignal, signal } from '@preact/signals';

import { api } from '~/api/client';
import type { FileEntry, Finding } from '~/api/types';

/** Checked is the result of a check. */
interface Checked {
  findings: Finding[];
  at: string;
  /** schema is the etag of the checked schema file. */
  schema: string | undefined;
}

/** Inspection lives as long as the pane, so a check continues while another view is open. */
export class Inspection {
  readonly result = signal<Checked | null>(null);
  readonly running = signal(false);
  readonly error = signal<unknown>(undefined);
  /** isOld is true if the schema has changed since the check. */
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

  /** findingsOf returns the findings about a collection. */
  findingsOf(collection: string): Finding[] {
    return this.result.value?.findings.filter((one) => one.collection === collection) ?? [];
  }

  /** run starts a check unless one is running. */
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
