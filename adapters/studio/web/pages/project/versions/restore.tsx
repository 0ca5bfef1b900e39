import { api } from '~/api/client';
import type { Version } from '~/api/types';
import { t } from '~/text';
import { ask, Checkbox, say } from '~/ui';
import type { ProjectStore } from '../store';

/** Consent is what a person agreed to: a restore, maybe with test data. */
export interface Consent {
  testData: boolean;
}

/** askToRestore asks whether to restore a version. It returns null if not. */
export async function askToRestore(
  store: ProjectStore,
  title = t.versions.restoreTitle,
  text = t.versions.restoreText,
): Promise<Consent | null> {
  let testData = false;
  const hasBackend = store.files.peek().some(({ path }) => path === 'backend/schema.json');
  const sure = await ask({
    title,
    text,
    choice: hasBackend && (
      <Checkbox
        label={t.versions.restoreTestData}
        hint={t.versions.restoreTestDataHint}
        onChange={({ currentTarget }) => {
          testData = currentTarget.checked;
        }}
      />
    ),
    confirm: t.versions.restore,
  });
  return sure ? { testData } : null;
}

/** restore restores a version and says so. It returns the version that this made. */
export async function restore(store: ProjectStore, id: string, { testData }: Consent): Promise<Version> {
  const made = await api.post<Version & { testData?: boolean }>(
    `/projects/${store.id}/versions/${id}/restore`,
    testData ? { testData } : undefined,
  );
  if (made.testData === undefined) say(t.versions.restored);
  else say(made.testData ? t.versions.restoredTestData : t.versions.noTestData);
  store.versionsChanged();
  store.filesChanged();
  return made;
}
