import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { outside } from '~/app/base';
import { fragmentOf, stepOf } from '~/app/second-step';
import { me } from '~/app/session';
import { t } from '~/text';
import { Button, Failure, say, TextField, useTask } from '~/ui';
import { useHasPassword } from './owner';
import { Username } from './username';

/** Password changes the password, or leads to a first one. */
export function Password() {
  // Nearly everybody has one, and nothing may move once the answer is there.
  const hasPassword = useHasPassword() ?? true;
  return (
    <>
      {hasPassword && <ChangePassword />}
      <p class="faint small">
        {hasPassword ? t.settings.noPassword : t.settings.ownPassword}{' '}
        <a href="/forgot-password">{t.settings.sendLink}</a>
      </p>
    </>
  );
}

// ChangePassword keeps this device signed in.
function ChangePassword() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { busy, error, run } = useTask();
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.patch('/auth/me', { currentPassword: current, password });
      // Changing the password ends all sessions, so sign in again.
      try {
        await api.post('/auth/login', { email: me.value!.user.email, password });
      } catch (failure) {
        const step = stepOf(failure);
        if (!step) throw failure;
        location.assign(outside(`/login?next=/settings/security#${fragmentOf(step)}`));
        return;
      }
      setCurrent('');
      setPassword('');
      say(t.settings.passwordChanged);
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && !wrong && <Failure error={error} />}
      <Username />
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
    </form>
  );
}
