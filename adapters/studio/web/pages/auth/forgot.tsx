import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { config } from '~/app/config';
import { t } from '~/text';
import { Banner, Button, Failure, Form, TextField, useTask } from '~/ui';

/** Forgot requests a mail with a link to reset the password. */
export function Forgot() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, error, run } = useTask();
  const submit = () => {
    void run(async () => {
      await api.post('/auth/forgot-password', { email });
      setSent(true);
    });
  };
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {!config.passwords ? (
        <Banner>{t.auth.noPasswords}</Banner>
      ) : sent ? (
        <Banner kind="good">{t.auth.sent(email)}</Banner>
      ) : (
        <Form onSubmit={submit}>
          <p class="soft">{t.auth.forgotHint}</p>
          <TextField
            label={t.auth.email}
            type="email"
            autocomplete="username"
            required
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <Button kind="primary" type="submit" wide busy={busy}>
            {t.auth.send}
          </Button>
        </Form>
      )}
      <p class="auth__links">
        <a href="/login">{t.auth.backToSignIn}</a>
      </p>
    </>
  );
}
