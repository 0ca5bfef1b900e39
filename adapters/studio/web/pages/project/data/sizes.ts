// How much an environment holds.

import type { DataEnvironment } from '~/api/types';
import { bytes, t } from '~/text';

/** leastShown is the smallest database whose size is shown. An empty one has 280 kB on disk. */
const leastShown = 1_000_000;

/** storedIn says how much people stored in an environment. */
export function storedIn({ records, bytes: database, fileBytes }: DataEnvironment): string {
  const parts = [t.data.records(records)];
  if (fileBytes > 0) parts.push(t.data.ofFiles(bytes(fileBytes)));
  if (database >= leastShown) parts.push(t.data.ofRecords(bytes(database)));
  return parts.join(' · ');
}
