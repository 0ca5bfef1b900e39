import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Invitation, Workspace } from '~/api/types';
import { inside } from '~/app/base';
import { chooseWorkspace, enter, leave, me, reloadWorkspaces } from '~/app/session';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { isolate, t } from '~/text';
import { Banner, Button, complain, Failure, inWords, LinkButton, Loading, say, useTask } from '~/ui';

/** Invite is the target page of invitation links. */
export default function Invite({ token }: { token: string }) {
  useTitle(t.auth.invite.title);
  const [known, setKnown] = useState<boolean>();
  const [failure, setFailure] = useState<unknown>();
  const { data, error, reload } = useLoad(token, (signal) =>
    api.get<Invitation>(`/invites/${encodeURIComponent(token)}`, { signal }),
  );
  const begin = () => {
    setFailure(undefined);
    enter().then(setKnown, setFailure);
  };
  useEffect(begin, []);
  const wrong = failure ?? (error && error.code !== 'not_found' ? error : undefined);
  const again = () => {
    begin();
    void reload();
  };
  const isDead = error?.code === 'not_found';
  return (
    <>
      <VisitorBar />
      <main class="auth" id="main" tabIndex={-1}>
        <div class="auth__box">
          <h1>{data ? t.auth.invite.to(isolate(data.workspace)) : t.auth.invite.title}</h1>
          {isDead ? (
            <Dead />
          ) : wrong !== undefined ? (
            <Failure error={wrong} retry={again} />
          ) : known === undefined || !data ? (
            <Loading />
          ) : known ? (
            <Join token={token} invitation={data} />
          ) : (
            <Enter token={token} invitation={data} />
          )}
        </div>
      </main>
    </>
  );
}

function Dead() {
  return (
    <>
      <Banner kind="error">{t.auth.invite.dead}</Banner>
      <LinkButton wide href="/dashboard">
        {t.auth.invite.toProjects}
      </LinkButton>
    </>
  );
}

// Enter links to sign-up and sign-in, which return to this page.
function Enter({ token, invitation: { invitedBy, workspace, email } }: { token: string; invitation: Invitation }) {
  const next = `?next=${encodeURIComponent(inside())}&email=${encodeURIComponent(email)}`;
  return (
    <>
      <p class="soft">{t.auth.invite.signedOut(isolate(invitedBy), isolate(workspace), isolate(email))}</p>
      <LinkButton kind="primary" wide href={`/signup${next}&invite=${encodeURIComponent(token)}`}>
        {t.auth.createAccount}
      </LinkButton>
      <LinkButton wide href={`/login${next}`}>
        {t.auth.signIn}
      </LinkButton>
    </>
  );
}

function Join({ token, invitation }: { token: string; invitation: Invitation }) {
  const { route } = useLocation();
  const { busy, error, run } = useTask({ leaves: true });
  const email = isolate(me.value?.user.email ?? '');
  const code = error instanceof ApiError ? error.code : '';
  const join = () =>
    run(async () => {
      const joined = await api.post<Workspace>(`/invites/${encodeURIComponent(token)}/accept`);
      await reloadWorkspaces();
      chooseWorkspace(joined.id);
      say(t.auth.invite.joined(isolate(joined.name)));
      route('/dashboard', true);
    });
  const change = () =>
    void leave(
      false,
      `/login?next=${encodeURIComponent(inside())}&email=${encodeURIComponent(invitation.email)}`,
    ).catch(complain);
  if (code === 'not_found') return <Dead />;
  return (
    <>
      {error !== undefined && (
        <Banner kind="error">{code === 'forbidden' ? t.auth.invite.wrong(email) : inWords(error)}</Banner>
      )}
      <p class="soft">
        {t.auth.invite.signedIn(isolate(invitation.invitedBy), isolate(invitation.workspace))} {t.auth.invite.as(email)}
      </p>
      {code !== 'forbidden' && (
        <Button kind="primary" wide busy={busy} onClick={join}>
          {t.auth.invite.join}
        </Button>
      )}
      <Button wide disabled={busy} onClick={change}>
        {t.auth.invite.other}
      </Button>
    </>
  );
}
