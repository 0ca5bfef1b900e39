import { config } from '~/app/config';
import { t } from '~/text';
import { Copyable, Dialog } from '~/ui';
import type { ProjectStore } from '../store';

/** GitDialog explains how to use git with a project. */
export function GitDialog({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const { id, slug } = store.project.value;
  const clone = `git clone ${location.origin}${config.base}/git/${id} ${slug}`;
  return (
    <Dialog title={t.versions.git} onClose={onClose}>
      <div class="form">
        <p>{t.versions.gitText}</p>
        <Copyable label={t.versions.cloneCommand} value={clone} />
        <ol class="git__steps">
          <li>
            {t.versions.gitToken} <a href="/settings/tokens">{t.versions.makeToken}</a>
          </li>
          <li>{t.versions.gitAsk}</li>
          {store.canEdit.value && <li>{t.versions.gitPush}</li>}
        </ol>
      </div>
    </Dialog>
  );
}
