import type { FileEntry } from '~/api/types';

/** schemaPath and seedPath are the files that define a backend. */
export const schemaPath = 'backend/schema.json';
export const seedPath = 'backend/seed.json';

/** sourcesOf identifies the version of these files, in whatever order the files are listed. */
export function sourcesOf(files: readonly FileEntry[]): string {
  const etagOf = (wanted: string) => files.find(({ path }) => path === wanted)?.etag ?? '';
  return `${etagOf(schemaPath)} ${etagOf(seedPath)}`;
}
