import Link from 'lucide/dist/esm/icons/link.mjs';
import Mail from 'lucide/dist/esm/icons/mail.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Invite, Role, Workspace } from '~/api/types';
import { me } from '~/app/session';
import { isolate, moment, t } from '~/text';
import {
  Avatar,
  ask,
  Banner,
  Button,
  Copyable,
  complain,
  Failure,
  IconButton,
  Select,
  Skeleton,
  say,
  TextField,
  useTask,
} from '~/ui';
import { rolesToGive } from './roles';

/** Invites invites people to a workspace and shows pending invites. */
export function Invites({ space }: { space: Workspace }) {
  const path = `/workspaces/${space.id}/invites`;
  const list = useLoad(`invites ${space.id}`, (signal) => api.get<{ items: Invite[] }>(path, { signal }));
  const text = t.workspace.invites;
  const items = list.data?.items;
  return (
    <section class="page__section" aria-label={text.title}>
      <h2>{text.title}</h2>
      {me.value?.features.mail === false && <Banner kind="warning">{text.noMail}</Banner>}
      <InviteForm space={space} onSent={list.reload} />
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={58} />}
      {items &&
        (items.length === 0 ? (
          <p class="faint small">{text.none}</p>
        ) : (
          <ul class="rows">
            {items.map((invite) => (
              <InviteRow key={invite.id} path={path} invite={invite} onChange={list.reload} />
            ))}
          </ul>
        ))}
    </section>
  );
}

function InviteForm({ space, onSent }: { space: Workspace; onSent: () => Promise<void> }) {
  const [email, setEmail] = useState('');
  const [made, setMade] = useState<{ email: string; link: string } | null>(null);
  const [role, setRole] = useState<Role>('member');
  const { busy, error, run } = useTask();
  const text = t.workspace.invites;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const invited = await api.post<Invite & { link: string }>(`/workspaces/${space.id}/invites`, {
        email: email.trim(),
        role,
      });
      setEmail('');
      setMade(invited);
      await onSent();
    });
  };
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <form class="invite" onSubmit={submit}>
        <TextField
          label={text.email}
          type="email"
          autocomplete="off"
          required
          maxLength={254}
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <Select label={text.role} value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
          {rolesToGive(space.role).map((each) => (
            <option key={each} value={each}>
              {t.shell.roles[each]}
            </option>
          ))}
        </Select>
        <Button kind="primary" type="submit" icon={Mail} busy={busy}>
          {text.send}
        </Button>
      </form>
      {made ? (
        <LinkOf email={made.email} link={made.link} />
      ) : (
        <p class="faint small">{me.value?.features.mail === false ? text.hintNoMail : text.hint}</p>
      )}
    </>
  );
}

// LinkOf shows the link of an invite. The service reveals it only once.
function LinkOf({ email, link }: { email: string; link: string }) {
  const text = t.workspace.invites;
  return (
    <Banner kind="good">
      <p>{me.value?.features.mail === false ? text.madeNoMail(isolate(email)) : text.made(isolate(email))}</p>
      <Copyable label={text.linkOf(isolate(email))} value={link} />
    </Banner>
  );
}

function InviteRow({ path, invite, onChange }: { path: string; invite: Invite; onChange: () => Promise<void> }) {
  const { busy, run } = useTask({ onError: complain });
  const [link, setLink] = useState('');
  const text = t.workspace.invites;
  const lapsed = new Date(invite.expiresAt).getTime() <= Date.now();
  const act = (call: () => Promise<unknown>, done: string) =>
    run(async () => {
      await call().then(() => say(done), complain);
      await onChange();
    });
  const again = () => act(() => api.post(path, { email: invite.email, role: invite.role }), text.sent(invite.email));
  // A link cannot be shown again, so this replaces it with a new one.
  const makeLink = () => run(async () => setLink((await api.post<{ link: string }>(`${path}/${invite.id}/link`)).link));
  const revoke = async () => {
    if (
      await ask({ title: text.revokeTitle(invite.email), text: text.revokeText, confirm: text.revoke, danger: true })
    ) {
      await act(() => api.delete(`${path}/${invite.id}`), text.revoked(invite.email));
    }
  };
  return (
    <li class="row person">
      <Avatar name={invite.email} />
      <div class="row__main">
        <div>
          <bdi>{invite.email}</bdi>
        </div>
        <div class="row__note">
          {t.shell.roles[invite.role]} · {lapsed ? text.lapsed : text.until(moment(invite.expiresAt))}
        </div>
      </div>
      {lapsed && <span class="badge badge--warning">{text.lapsed}</span>}
      {!lapsed && !link && (
        <Button small icon={Link} disabled={busy} onClick={makeLink} aria-label={`${text.copyLink}: ${invite.email}`}>
          {text.copyLink}
        </Button>
      )}
      <IconButton icon="reload" label={`${text.again}: ${invite.email}`} busy={busy} onClick={again} />
      <IconButton icon="trash" label={`${text.revoke}: ${invite.email}`} disabled={busy} onClick={revoke} />
      {link && (
        <div class="person__link">
          <LinkOf email={invite.email} link={link} />
        </div>
      )}
    </li>
  );
}
