import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import type { User } from '~/api/types';
import { inside } from '~/app/base';
import { emailIsVerified, leave, me, needsEmail, setUser } from '~/app/session';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { isolate, t } from '~/text';
import { Banner, Button, complain, inWords, LinkButton, say, useTask } from '~/ui';

/**
 * Verify is the target page of links that prove an address. It names the account and waits for a
 * click, because a mail may have been asked for by somebody else.
 */
export default function Verify() {
  useTitle(t.auth.verify.title);
  return (
    <>
      <VisitorBar />
      <main class="auth" id="main" tabIndex={-1}>
        <div class="auth__box">
          <h1>{t.auth.verify.title}</h1>
          <Proof token={new URLSearchParams(location.search).get('token') ?? ''} />
        </div>
      </main>
    </>
  );
}

function Proof({ token }: { token: string }) {
  const { route } = useLocation();
  const { busy, error, run } = useTask({ leaves: true });
  const code = error instanceof ApiError ? error.code : '';
  const user = me.value!.user;
  const prove = (created: boolean) =>
    run(async () => {
      const answer = await api.post<{ user: User; signedOut: boolean }>('/auth/verify-email', {
        token,
        ...(created && { created }),
      });
      if (answer.signedOut) {
        await leave(false, `/login?email=${encodeURIComponent(answer.user.email)}`);
        return;
      }
      setUser(answer.user);
      const barred = needsEmail.peek();
      await emailIsVerified();
      say(t.auth.verify.done);
      route(barred ? '/dashboard' : '/settings/profile', true);
    });
  const change = () =>
    void leave(false, `/login?next=${encodeURIComponent(inside() + location.search)}`).catch(complain);
  if (code === 'invalid_token')
    return (
      <>
        <Banner kind="error">{t.auth.verify.dead}</Banner>
        <LinkButton wide href="/settings/profile">
          {t.auth.verify.toProfile}
        </LinkButton>
      </>
    );
  if (code === 'conflict') return <Creator busy={busy} onMine={() => void prove(true)} />;
  return (
    <>
      {error !== undefined && (
        <Banner kind="error">{code === 'forbidden' ? t.auth.verify.wrong(isolate(user.email)) : inWords(error)}</Banner>
      )}
      <p class="soft">
        {t.auth.invite.as(isolate(user.email))} {t.auth.verify.hint}
      </p>
      {code !== 'forbidden' && (
        <Button kind="primary" wide busy={busy} onClick={() => void prove(false)}>
          {t.auth.verify.confirm}
        </Button>
      )}
      <Button wide disabled={busy} onClick={change}>
        {t.auth.invite.other}
      </Button>
    </>
  );
}

// Creator asks who created the account, which only the person can tell in a later session.
function Creator({ busy, onMine }: { busy: boolean; onMine: () => void }) {
  return (
    <>
      <p class="soft">{t.auth.verify.creator}</p>
      <Button kind="primary" wide busy={busy} onClick={onMine}>
        {t.auth.verify.mine}
      </Button>
      <LinkButton wide href="/forgot-password">
        {t.auth.verify.notMine}
      </LinkButton>
      <p class="faint small">{t.auth.verify.notMineHint}</p>
    </>
  );
}
