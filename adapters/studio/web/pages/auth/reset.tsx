import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, Form, inWords, LinkButton, PasswordField, useTask } from '~/ui';

/** Reset sets a new password with the token from a mail. */
export function Reset() {
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const { busy, error, run } = useTask();
  const failure =
    error === undefined
      ? ''
      : error instanceof ApiError && error.code === 'invalid_token'
        ? t.auth.deadLink
        : inWords(error);
  const submit = () => {
    void run(async () => {
      await api.post('/auth/reset-password', {
        token: new URLSearchParams(location.search).get('token') ?? '',
        password,
      });
      setDone(true);
    });
  };
  if (done) {
    return (
      <>
        <Banner kind="good">{t.auth.changed}</Banner>
        <LinkButton kind="primary" wide href="/login">
          {t.auth.signIn}
        </LinkButton>
      </>
    );
  }
  return (
    <>
      {failure && <Banner kind="error">{failure}</Banner>}
      <Form onSubmit={submit}>
        <PasswordField
          label={t.auth.newPassword}
          hint={t.auth.passwordRule}
          autocomplete="new-password"
          required
          minLength={8}
          maxLength={1024}
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" wide busy={busy}>
          {t.auth.setPassword}
        </Button>
      </Form>
      <p class="auth__links">
        <a href="/forgot-password">{t.auth.anotherLink}</a>
      </p>
    </>
  );
}
