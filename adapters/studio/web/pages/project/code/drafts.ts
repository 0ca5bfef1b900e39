// What was typed and is not saved yet, kept in this tab through reloads.

import { isText, orNull, recordOf, tabStorage } from '~/storage';

/** Draft is an unsaved text with its base, which a merge needs. */
export interface Draft {
  /** etag is null for a file that the service did not have. */
  etag: string | null;
  base: string | null;
  text: string;
}

const isDraft = recordOf<Draft>({ etag: orNull(isText), base: orNull(isText), text: isText });

const keyOf = (projectId: string, path: string) => `atelier.draft.${projectId}.${path}`;

/** keepDraft keeps a draft; without its base when there is not room for both. */
export function keepDraft(projectId: string, path: string, draft: Draft): void {
  const key = keyOf(projectId, path);
  for (const kept of [draft, { ...draft, base: null }]) {
    if (tabStorage.write(key, kept)) return;
    // What was kept before is older than this.
    tabStorage.remove(key);
  }
}

export function dropDraft(projectId: string, path: string): void {
  tabStorage.remove(keyOf(projectId, path));
}

export function draftOf(projectId: string, path: string): Draft | null {
  return tabStorage.read(keyOf(projectId, path), isDraft);
}

/** draftsOf are the paths in a project that have a draft. */
export function draftsOf(projectId: string): string[] {
  const prefix = keyOf(projectId, '');
  return tabStorage.names(prefix).map((key) => key.slice(prefix.length));
}
