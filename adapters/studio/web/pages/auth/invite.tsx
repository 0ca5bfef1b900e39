import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';

import { api, ApiError } from '~/api/client';
import type { Workspace } from '~/api/types';
import { inside } from '~/app/base';
import { chooseWorkspace, enter, leave, me, reloadWorkspaces } from '~/app/session';
import { Mark } from '~/app/shell';
import { useTitle } from '~/app/title';
import { isolate, t } from '~/text';
import { Banner, Button, complain, Failure, inWords, LinkButton, Loading, say, useTask } from '~/ui';

/** Invite is where the link of an invitation leads. */
export default function Invite({ token }: { token: string }) {
  useTitle(t.auth.invite.title);
  const [known, setKnown] = useState<boolean>();
  const [failure, setFailure] = useState<unknown>();
  const begin = () => {
    setFailure(undefined);
    enter().then(setKnown, setFailure);
  };
  useEffect(begin, []);
  return (
    <main class="auth" id="main">
      <div class="auth__box">
        <Mark />
        <h1>{t.auth.invite.title}</h1>
        {failure !== undefined ? <Failure error={failure} retry={begin} /> : known === undefined ? <Loading /> : known ? <Join token={token} /> : <Enter />}
      </div>
    </main>
  );
}

// Enter sends people to sign in first, and back here.
function Enter() {
  const next = `?next=${encodeURIComponent(inside())}`;
  return (
    <>
      <p class="soft">{t.auth.invite.signedOut}</p>
      <LinkButton kind="primary" wide href={`/login${next}`}>{t.auth.signIn}</LinkButton>
      <LinkButton wide href={`/signup${next}`}>{t.auth.createAccount}</LinkButton>
    </>
  );
}

function Join({ token }: { token: string }) {
  const { route } = useLocation();
  const { busy, error, run } = useTask({ leaves: true });
  const email = isolate(me.value?.user.email ?? '');
  const code = error instanceof ApiError ? error.code : '';
  const join = () => run(async () => {
    const joined = await api.post<Workspace>(`/invites/${encodeURIComponent(token)}/accept`);
    await reloadWorkspaces();
    chooseWorkspace(joined.id);
    say(t.auth.invite.joined(isolate(joined.name)));
    route('/dashboard', true);
  });
  const change = () => void leave(false, `/login?next=${encodeURIComponent(inside())}`).catch(complain);
  if (code === 'not_found') {
    return (
      <>
        <Banner kind="error">{t.auth.invite.dead}</Banner>
        <LinkButton wide href="/dashboard">{t.auth.invite.toProjects}</LinkButton>
      </>
    );
  }
  return (
    <>
      {error !== undefined && <Banner kind="error">{code === 'forbidden' ? t.auth.invite.wrong(email) : inWords(error)}</Banner>}
      <p class="soft">{t.auth.invite.signedIn} {t.auth.invite.as(email)}</p>
      {code !== 'forbidden' && <Button kind="primary" wide busy={busy} onClick={join}>{t.auth.invite.join}</Button>}
      <Button wide disabled={busy} onClick={change}>{t.auth.invite.other}</Button>
    </>
  );
}
