import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, Form, inWords, PasswordField, TextField, useTask } from '~/ui';
import { proceed, withNext } from './entry';
import { OAuth } from './oauth';

export function SignUp() {
  const { route } = useLocation();
  const [fields, setFields] = useState({
    displayName: '',
    email: new URLSearchParams(location.search).get('email') ?? '',
    password: '',
  });
  const { busy, error, run } = useTask({ leaves: true });
  const failure =
    error === undefined
      ? ''
      : error instanceof ApiError && error.code === 'email_taken'
        ? t.auth.taken
        : inWords(error);
  // A password manager fills several fields at once, before the next render.
  const set = (name: keyof typeof fields) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setFields((before) => ({ ...before, [name]: value }));
  };

  const submit = () => {
    void run(async () => {
      const { displayName, ...needed } = fields;
      await api.post('/auth/signup', displayName.trim() ? { ...needed, displayName } : needed);
      await proceed(route);
    });
  };
  return (
    <>
      {failure && <Banner kind="error">{failure}</Banner>}
      <OAuth />
      <Form onSubmit={submit}>
        <TextField
          label={t.auth.name}
          hint={t.auth.optional}
          autocomplete="name"
          maxLength={100}
          value={fields.displayName}
          onInput={set('displayName')}
        />
        <TextField
          label={t.auth.email}
          type="email"
          autocomplete="username"
          required
          value={fields.email}
          onInput={set('email')}
        />
        <PasswordField
          label={t.auth.password}
          hint={t.auth.passwordRule}
          autocomplete="new-password"
          required
          minLength={8}
          maxLength={1024}
          value={fields.password}
          onInput={set('password')}
        />
        <Button kind="primary" type="submit" wide busy={busy}>
          {t.auth.createAccount}
        </Button>
      </Form>
      <p class="auth__links">
        <span>
          {t.auth.haveAccount} <a href={withNext('/login')}>{t.auth.signIn}</a>
        </span>
      </p>
    </>
  );
}
