import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { ProjectRemote } from '~/api/types';
import { t } from '~/text';
import { Button, Failure, Form, PasswordField, TextField, useTask } from '~/ui';

interface ConnectFormProps {
  path: string;
  /** remote is the connection that is changed, null for a new one. */
  remote: ProjectRemote | null;
  onConnected: (made: ProjectRemote) => Promise<void>;
  onCancel: () => void;
}

/** ConnectForm says with which branch a project is connected. */
export function ConnectForm({ path, remote, onConnected, onCancel }: ConnectFormProps) {
  const [url, setUrl] = useState(remote?.url ?? '');
  const [branch, setBranch] = useState(remote?.branch ?? '');
  const [username, setUsername] = useState(remote?.username ?? '');
  const [token, setToken] = useState('');
  const { busy, error, run } = useTask();
  const isKept = remote?.hasToken === true && url.trim() === remote.url;
  const connect = () =>
    run(async () => {
      const wanted = {
        url: url.trim(),
        ...(branch.trim() && { branch: branch.trim() }),
        ...(username.trim() && { username: username.trim() }),
        ...(token.trim() && { token: token.trim() }),
      };
      await onConnected(await api.put<ProjectRemote>(path, wanted));
    });
  return (
    <Form onSubmit={() => void connect()}>
      <p class="soft small">{t.remote.hint}</p>
      {error !== undefined && <Failure error={error} />}
      <TextField
        label={t.remote.url}
        inputMode="url"
        value={url}
        required
        maxLength={2048}
        autofocus
        autocomplete="off"
        placeholder="https://github.com/ann/shop.git"
        onInput={(event) => setUrl(event.currentTarget.value)}
      />
      <TextField
        label={t.remote.branch}
        hint={t.remote.branchHint}
        value={branch}
        maxLength={255}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setBranch(event.currentTarget.value)}
      />
      <PasswordField
        label={t.remote.token}
        hint={isKept ? t.remote.tokenKept : t.remote.tokenHint}
        value={token}
        maxLength={4096}
        autocomplete="new-password"
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <TextField
        label={t.remote.username}
        hint={t.remote.usernameHint}
        value={username}
        maxLength={255}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setUsername(event.currentTarget.value)}
      />
      <div class="dialog__actions">
        <Button onClick={onCancel}>{t.shell.cancel}</Button>
        <Button kind="primary" type="submit" busy={busy}>
          {remote ? t.shell.save : t.remote.connect}
        </Button>
      </div>
    </Form>
  );
}
