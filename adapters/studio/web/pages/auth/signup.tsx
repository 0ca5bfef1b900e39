import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { config } from '~/app/config';
import { t } from '~/text';
import { Banner, Button, Form, inWords, PasswordField, TextField, useTask } from '~/ui';
import { proceed, withNext } from './entry';
import { OAuth } from './oauth';

/** isClosed reports whether only invited people may sign up, and the visitor has no invitation. */
export function isClosed(): boolean {
  const invited = new URLSearchParams(location.search).has('invite');
  return (config.signup === 'invite' || config.signup === 'closed') && !config.fresh && !invited;
}

/** SignUp creates an account. Where only some may, it says so first. */
export function SignUp() {
  if (isClosed()) return <Closed words={t.auth.closed.invite} />;
  return config.passwords || config.fresh ? <SignUpForm /> : <Closed words={t.auth.noPasswords} />;
}

// Closed says why there is no form, and what to do.
function Closed({ words }: { words: string }) {
  return (
    <>
      <Banner>{words}</Banner>
      <OAuth />
      <p class="auth__links">
        <span>
          {t.auth.haveAccount} <a href={withNext('/login')}>{t.auth.signIn}</a>
        </span>
      </p>
    </>
  );
}

function SignUpForm() {
  const { route } = useLocation();
  const [fields, setFields] = useState({
    displayName: '',
    email: new URLSearchParams(location.search).get('email') ?? '',
    password: '',
  });
  const invite = new URLSearchParams(location.search).get('invite') ?? '';
  const { busy, error, run } = useTask({ leaves: true });
  const failure = error === undefined ? '' : wordsOf(error, invite);
  // A password manager fills several fields at once, before the next render.
  const set = (name: keyof typeof fields) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setFields((before) => ({ ...before, [name]: value }));
  };

  const submit = () => {
    void run(async () => {
      const { displayName, ...needed } = fields;
      await api.post('/auth/signup', {
        ...needed,
        ...(displayName.trim() ? { displayName } : {}),
        ...(invite ? { invite } : {}),
      });
      await proceed(route);
    });
  };
  return (
    <>
      {failure && <Banner kind="error">{failure}</Banner>}
      {config.signup === 'domains' && !config.fresh && !invite && (
        <p class="soft">{t.auth.closed.domains(config.signupDomains.join(', '))}</p>
      )}
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

function wordsOf(error: unknown, invite: string): string {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'email_taken') return t.auth.taken;
  if (code !== 'signup_closed') return inWords(error);
  if (invite) return t.auth.closed.refused;
  return config.signup === 'domains' ? t.auth.closed.domains(config.signupDomains.join(', ')) : t.auth.closed.invite;
}
