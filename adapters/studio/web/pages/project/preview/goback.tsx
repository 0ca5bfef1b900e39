import { api } from '~/api/client';
import type { WorkingVersion } from '~/api/types';
import { moment, t } from '~/text';
import { Button, complain, say, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import { askToRestore, restore } from '../versions/restore';
import { firstLine } from '../versions/title';

/** GoBack looks for the last version whose page at a path works, and offers to restore it. */
export function GoBack({ store, path }: { store: ProjectStore; path: string }) {
  const { busy, run } = useTask({ onError: complain });
  const words = t.preview.goBack;
  const offer = async ({ version, proof }: WorkingVersion) => {
    if (!version) {
      say(words.none);
      return;
    }
    const about = words.about(firstLine(version.message), moment(version.createdAt));
    const consent = await askToRestore(
      store,
      words.titles[proof],
      `${about} ${words.proofs[proof]} ${t.versions.restoreText}`,
    );
    if (consent) await run(() => restore(store, version.id, consent));
  };
  const goBack = async () => {
    let found: WorkingVersion | null = null;
    await run(async () => {
      const { pathname } = new URL(path, location.origin);
      found = await api.post<WorkingVersion>(`/projects/${store.id}/working-version`, { path: pathname });
    });
    if (found) await offer(found);
  };
  return (
    <Button small icon="history" busy={busy} onClick={goBack}>
      {words.button}
    </Button>
  );
}
