import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Diff, Icon, IconButton } from '~/ui';
import type { ProjectStore } from '../store';
import type { ChangedFile } from './history';

// Longer patches are shown on demand.
const longest = 60_000;

/** FileChange shows a version's changes to one file, collapsible. */
export function FileChange({
  store,
  file,
  patch,
  open,
}: {
  store: ProjectStore;
  file: ChangedFile;
  patch: string | undefined;
  open: boolean;
}) {
  const [shown, setShown] = useState(open && (patch?.length ?? 0) < longest);
  const isThere = store.files.value.some(({ path }) => path === file.path);
  return (
    <section class="change" aria-label={file.path}>
      <div class="change__head">
        <button type="button" class="change__name" aria-expanded={shown} onClick={() => setShown(!shown)}>
          <span class={shown ? 'tree__twist tree__twist--open' : 'tree__twist'}>
            <Icon name="next" />
          </span>
          <bdi>{file.path}</bdi>
          {file.action !== 'modified' && (
            <span class={file.action === 'created' ? 'badge badge--good' : 'badge badge--danger'}>
              {t.versions.actions[file.action]}
            </span>
          )}
        </button>
        {file.additions !== null && <span class="change__count change__count--added">+{file.additions}</span>}
        {file.deletions !== null && <span class="change__count change__count--removed">−{file.deletions}</span>}
        {isThere && (
          <IconButton
            small
            icon="code"
            label={t.versions.openFile(file.path)}
            onClick={() => store.openFile({ path: file.path })}
          />
        )}
      </div>
      {shown &&
        (patch ? (
          <Diff patch={patch} label={t.versions.changesIn(file.path)} />
        ) : (
          <p class="change__none">{noPatch(file, patch)}</p>
        ))}
    </section>
  );
}

function noPatch(file: ChangedFile, patch: string | undefined): string {
  if (patch === undefined) return t.versions.leftOut;
  return file.additions === null ? t.versions.noText : t.versions.noLines;
}
