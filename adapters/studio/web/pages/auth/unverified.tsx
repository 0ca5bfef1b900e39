import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Me } from '~/api/types';
import { emailIsVerified, leave, me, setUser } from '~/app/session';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { ChangeEmail } from '~/pages/settings/email';
import { isolate, t } from '~/text';
import { Banner, Button, complain, Failure, useTask } from '~/ui';

/**
 * Unverified takes the place of every page but the account's while the installation requires a
 * verified address that the user does not have.
 */
export default function Unverified() {
  useTitle(t.auth.unverified.title);
  return (
    <>
      <VisitorBar />
      <main class="auth" id="main" tabIndex={-1}>
        <div class="auth__box">
          <h1>{t.auth.unverified.title}</h1>
          <Steps />
        </div>
      </main>
    </>
  );
}

function Steps() {
  const [state, setState] = useState<'idle' | 'sent' | 'missing' | 'changing'>('idle');
  const { busy, error, run } = useTask();
  const email = me.value?.user.email ?? '';
  const text = t.auth.unverified;
  const look = async () => {
    const { user } = await api.get<Me>('/auth/me');
    setUser(user);
    if (user.emailVerified) await emailIsVerified();
    return user.emailVerified;
  };
  // The link is often opened in another tab.
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') void look().catch(() => {});
    };
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, []);
  const send = () =>
    void run(async () => {
      await api.post('/auth/verify-email/send');
      setState('sent');
    });
  const goOn = () =>
    void run(async () => {
      if (!(await look())) setState('missing');
    });
  if (state === 'changing') return <ChangeEmail onClose={() => setState('idle')} />;
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {state === 'sent' && <Banner kind="good">{t.settings.verifySent(email)}</Banner>}
      {state === 'missing' && <Banner kind="warning">{text.missing}</Banner>}
      <p class="soft">{text.hint(isolate(email))}</p>
      <Button kind="primary" wide busy={busy} onClick={goOn}>
        {text.goOn}
      </Button>
      <Button wide disabled={busy} onClick={send}>
        {text.send}
      </Button>
      <Button wide disabled={busy} onClick={() => setState('changing')}>
        {text.change}
      </Button>
      <p class="auth__links">
        <a href="/settings/profile">{text.account}</a>
        <Button kind="quiet" onClick={() => void leave().catch(complain)}>
          {t.shell.signOut}
        </Button>
      </p>
    </>
  );
}
