import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { ListedVersion } from '~/api/types';
import { t } from '~/text';
import { Button, complain, Dialog, Form, IconButton, inWords, TextField, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import { firstLine } from './title';

interface MarkProps {
  store: ProjectStore;
  version: ListedVersion;
  onMarked: (version: ListedVersion) => void;
}

/** Mark stars a version, and gives it a name. */
export function Mark({ store, version, onMarked }: MarkProps) {
  const [naming, setNaming] = useState(false);
  const { busy, run } = useTask({ onError: complain });
  const star = () =>
    run(async () => {
      onMarked(
        await api.patch<ListedVersion>(`/projects/${store.id}/versions/${version.id}`, { starred: !version.starred }),
      );
    });
  return (
    <span class="detail__marks">
      <span class={version.starred ? 'version__star' : undefined}>
        <IconButton
          icon="star"
          label={t.versions.star}
          aria-pressed={version.starred}
          busy={busy}
          onClick={() => void star()}
        />
      </span>
      <IconButton icon="edit" label={t.versions.rename} onClick={() => setNaming(true)} />
      {naming && <Naming store={store} version={version} onMarked={onMarked} onClose={() => setNaming(false)} />}
    </span>
  );
}

function Naming({ store, version, onMarked, onClose }: MarkProps & { onClose: () => void }) {
  const [name, setName] = useState(version.name);
  const { busy, error, run } = useTask();
  const save = () =>
    run(async () => {
      onMarked(await api.patch<ListedVersion>(`/projects/${store.id}/versions/${version.id}`, { name: name.trim() }));
      onClose();
    });
  return (
    <Dialog title={t.versions.rename} onClose={onClose}>
      <Form onSubmit={() => void save()}>
        <TextField
          label={t.versions.name}
          hint={t.versions.nameHint}
          placeholder={firstLine(version.message)}
          value={name}
          maxLength={100}
          autoFocus
          autocomplete="off"
          error={error === undefined ? undefined : inWords(error)}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t.shell.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
