// The dashboard's state, stored in its address: Back and Reload restore it.

import { useLocation } from 'preact-iso';

import { address } from '~/api/client';
import type { Visibility } from '~/api/types';

export interface Place {
  /** folder is the id of the open folder; empty is the root. */
  folder: string;
  /** q is the search text. */
  q: string;
  visibility: Visibility | '';
  trash: boolean;
}

/** everything is the root folder without a filter. */
export const everything: Place = { folder: '', q: '', visibility: '', trash: false };

/** addressOf returns the address of a place. */
export function addressOf({ folder, q, visibility, trash }: Place): string {
  return address('/dashboard', { folder, q, visibility, trash: trash ? 1 : '' });
}

/** usePlace returns the current place and a function to navigate. */
export function usePlace(): { place: Place; go: (change: Partial<Place>, replace?: boolean) => void } {
  const { query, route } = useLocation();
  const visibility: Place['visibility'] =
    (['private', 'workspace', 'public'] as const).find((name) => name === query.visibility) ?? '';
  const place = { folder: query.folder ?? '', q: query.q ?? '', visibility, trash: query.trash === '1' };
  return { place, go: (change, replace) => route(addressOf({ ...place, ...change }), replace) };
}
