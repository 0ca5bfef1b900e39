// What was typed and is not saved yet, kept in this tab through reloads.

/** Draft is an unsaved text, with what it was made from, which a merge needs. */
export interface Draft {
  /** etag is null for a file that the service did not have. */
  etag: string | null;
  base: string | null;
  text: string;
}

const keyOf = (projectId: string, path: string) => `atelier.draft.${projectId}.${path}`;

/** keepDraft keeps a draft; without its base when there is not room for both. */
export function keepDraft(projectId: string, path: string, draft: Draft): void {
  const key = keyOf(projectId, path);
  for (const kept of [draft, { ...draft, base: null }]) {
    try {
      sessionStorage.setItem(key, JSON.stringify(kept));
      return;
    } catch {
      sessionStorage.removeItem(key);
    }
  }
}

export function dropDraft(projectId: string, path: string): void {
  sessionStorage.removeItem(keyOf(projectId, path));
}

export function draftOf(projectId: string, path: string): Draft | null {
  return JSON.parse(sessionStorage.getItem(keyOf(projectId, path)) ?? 'null') as Draft | null;
}

/** draftsOf are the paths in a project that have a draft. */
export function draftsOf(projectId: string): string[] {
  const prefix = keyOf(projectId, '');
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
}
