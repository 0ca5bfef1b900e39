import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { User } from '~/api/types';
import { me, setUser } from '~/app/session';
import { day, t } from '~/text';
import { Avatar, Button, Failure, say, TextField, useTask } from '~/ui';
import { Email } from './email';

/** Profile edits the user's name. */
export function Profile() {
  const user = me.value!.user;
  const [name, setName] = useState(user.displayName ?? '');
  const { busy, error, run } = useTask();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const answer = await api.patch<{ user: User }>('/auth/me', { displayName: name.trim() || null });
      setUser(answer.user);
      setName(answer.user.displayName ?? '');
      say(t.shell.saved);
    });
  };
  return (
    <div class="card settings__card">
      <div class="settings__who">
        <Avatar name={user.displayName || user.email} url={user.avatarUrl} />
        <p class="faint small">
          {t.settings.pictureHint} {t.settings.memberSince(day(user.createdAt))}.
        </p>
      </div>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={t.settings.name}
          hint={t.settings.nameHint}
          autocomplete="name"
          maxLength={100}
          dir="auto"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <div class="form__actions">
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === (user.displayName ?? '')}>
            {t.shell.save}
          </Button>
        </div>
      </form>
      <hr />
      <Email user={user} />
    </div>
  );
}
