import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, inWords, TextField } from '~/ui';

/** Forgot sends a link with which a new password can be set. */
export function Forgot() {
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const [failure, setFailure] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure('');
    try {
      await api.post('/auth/forgot-password', { email });
      setSent(true);
    } catch (error) {
      setFailure(inWords(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {failure && <Banner kind="error">{failure}</Banner>}
      {sent
        ? <Banner kind="good">{t.auth.sent(email)}</Banner>
        : (
          <form class="form" onSubmit={submit}>
            <p class="soft">{t.auth.forgotHint}</p>
            <TextField label={t.auth.email} type="email" autocomplete="username" required value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
            <Button kind="primary" type="submit" wide busy={busy}>{t.auth.send}</Button>
          </form>
        )}
      <p class="auth__links"><a href="/login">{t.auth.backToSignIn}</a></p>
    </>
  );
}
