import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { User } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, complain, Failure, say, TextField, useTask } from '~/ui';
import { needsSignIn, OwnerField, SignInAgain, useHasPassword } from './owner';

/** Email shows the address, mails a link that verifies it, and changes it. */
export function Email({ user }: { user: User }) {
  const [changing, setChanging] = useState(false);
  return (
    <div class="field">
      <span class="field__label">{t.settings.email}</span>
      <p class="settings__email">
        <span>{user.email}</span>
        <span class={`badge badge--${user.emailVerified ? 'good' : 'warning'}`}>
          {user.emailVerified ? t.settings.verified : t.settings.unverified}
        </span>
        {!changing && (
          <Button kind="quiet" onClick={() => setChanging(true)}>
            {t.settings.changeEmail}
          </Button>
        )}
      </p>
      {!user.emailVerified && <Reminder email={user.email} />}
      {changing && <ChangeEmail onClose={() => setChanging(false)} />}
    </div>
  );
}

// Reminder asks people to verify their address, and mails the link once more.
function Reminder({ email }: { email: string }) {
  const { busy, run } = useTask({ onError: complain });
  const [sent, setSent] = useState(false);
  const send = () =>
    run(async () => {
      await api.post('/auth/verify-email/send');
      setSent(true);
    });
  return (
    <Banner
      kind={sent ? 'good' : 'warning'}
      actions={
        !sent && (
          <Button busy={busy} onClick={() => void send()}>
            {t.settings.verify}
          </Button>
        )
      }
    >
      {sent ? t.settings.verifySent(email) : t.settings.unverifiedHint}
    </Banner>
  );
}

/** ChangeEmail asks for a new address, and for a proof that the account is the user's. */
export function ChangeEmail({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { busy, error, run } = useTask();
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const hasPassword = useHasPassword();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.post('/auth/change-email', { email, password });
      say(t.settings.emailAsked(email));
      onClose();
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      {needsSignIn(error) ? <SignInAgain /> : error !== undefined && !wrong && <Failure error={error} />}
      <TextField
        label={t.settings.newEmail}
        hint={t.settings.newEmailHint}
        type="email"
        autocomplete="email"
        required
        maxLength={254}
        value={email}
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
      <OwnerField hasPassword={hasPassword} password={password} wrong={wrong} onPassword={setPassword} />
      <div class="form__actions">
        <Button type="button" onClick={onClose}>
          {t.shell.cancel}
        </Button>
        <Button kind="primary" type="submit" busy={busy} disabled={hasPassword === undefined}>
          {t.settings.sendEmailLink}
        </Button>
      </div>
    </form>
  );
}
