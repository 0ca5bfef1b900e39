// Unsaved text, stored in this tab so that it survives reloads.

import { isText, orNull, recordOf, tabStorage } from '~/storage';

/** Draft is an unsaved text with its base, which a merge needs. */
export interface Draft {
  /** etag is null if the service does not have the file. */
  etag: string | null;
  base: string | null;
  text: string;
}

const isDraft = recordOf<Draft>({ etag: orNull(isText), base: orNull(isText), text: isText });

const keyOf = (projectId: string, path: string) => `atelier.draft.${projectId}.${path}`;

/** keepDraft stores a draft. It omits the base if the storage lacks room for both. */
export function keepDraft(projectId: string, path: string, draft: Draft): void {
  const key = keyOf(projectId, path);
  for (const kept of [draft, { ...draft, base: null }]) {
    if (tabStorage.write(key, kept)) return;
    // The stored draft is older.
    tabStorage.remove(key);
  }
}

export function dropDraft(projectId: string, path: string): void {
  tabStorage.remove(keyOf(projectId, path));
}

export function draftOf(projectId: string, path: string): Draft | null {
  return tabStorage.read(keyOf(projectId, path), isDraft);
}

/** draftsOf returns the paths in a project that have a draft. */
export function draftsOf(projectId: string): string[] {
  const prefix = keyOf(projectId, '');
  return tabStorage.names(prefix).map((key) => key.slice(prefix.length));
}
