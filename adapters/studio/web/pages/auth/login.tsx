import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';

import { api, ApiError } from '~/api/client';
import { enter } from '~/app/session';
import { t } from '~/text';
import { Banner, Button, inWords, TextField } from '~/ui';
import { next, proceed, withNext } from './entry';
import { OAuth } from './oauth';

/** Login signs in. Whoever comes with a session that is left goes straight on. */
export function Login() {
  const { route } = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(() => refusal());
  useEffect(() => { enter().then((left) => { if (left) route(next(), true); }, () => {}); }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure('');
    try {
      await api.post('/auth/login', { email, password });
      await proceed(route);
    } catch (error) {
      setFailure(error instanceof ApiError && error.code === 'invalid_credentials' ? t.auth.wrong : inWords(error));
      setBusy(false);
    }
  };
  return (
    <>
      {failure && <Banner kind="error">{failure}</Banner>}
      <OAuth />
      <form class="form" onSubmit={submit}>
        <TextField label={t.auth.email} type="email" autocomplete="username" required value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
        <TextField label={t.auth.password} type="password" autocomplete="current-password" required value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
        <Button kind="primary" type="submit" wide busy={busy}>{t.auth.signIn}</Button>
      </form>
      <p class="auth__links">
        <a href="/forgot-password">{t.auth.forgot}</a>
        <span>{t.auth.noAccount} <a href={withNext('/signup')}>{t.auth.signUp}</a></span>
      </p>
    </>
  );
}

// refusal is what a sign-in at a provider came back with.
function refusal(): string {
  const code = new URLSearchParams(location.search).get('error');
  if (!code) return '';
  return (t.auth.refusals as Record<string, string>)[code] ?? t.auth.refused;
}
