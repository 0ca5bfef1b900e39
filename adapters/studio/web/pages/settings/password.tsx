import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { me } from '~/app/session';
import { t } from '~/text';
import { Button, Failure, say, TextField, useTask } from '~/ui';

/** Password changes the password and keeps this device signed in. */
export function Password() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { busy, error, run } = useTask();
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.patch('/auth/me', { currentPassword: current, password });
      // Changing the password ends all sessions, so sign in again.
      await api.post('/auth/login', { email: me.value!.user.email, password });
      setCurrent('');
      setPassword('');
      say(t.settings.passwordChanged);
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && !wrong && <Failure error={error} />}
      <input
        class="visually-hidden"
        type="text"
        autocomplete="username"
        value={me.value!.user.email}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <TextField
        label={t.settings.currentPassword}
        error={wrong ? t.settings.wrongPassword : undefined}
        type="password"
        autocomplete="current-password"
        required
        value={current}
        onInput={(event) => setCurrent(event.currentTarget.value)}
      />
      <TextField
        label={t.settings.newPassword}
        hint={t.settings.passwordRule}
        type="password"
        autocomplete="new-password"
        required
        minLength={8}
        maxLength={1024}
        value={password}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      <div class="form__actions">
        <Button kind="primary" type="submit" busy={busy}>
          {t.settings.changePassword}
        </Button>
      </div>
      <p class="faint small">
        {t.settings.noPassword} <a href="/forgot-password">{t.settings.sendLink}</a>
      </p>
    </form>
  );
}
