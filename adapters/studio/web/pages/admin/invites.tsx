import Mail from 'lucide/dist/esm/icons/mail.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { InstanceInvite } from '~/api/types';
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
  Skeleton,
  say,
  TextField,
  useTask,
} from '~/ui';

/** Invites invites people to the installation. */
export function Invites() {
  const list = useLoad('instance invites', (signal) =>
    api.get<{ items: InstanceInvite[] }>('/admin/invites', { signal }),
  );
  const [email, setEmail] = useState('');
  const [made, setMade] = useState<{ email: string; link: string } | null>(null);
  const { busy, error, run } = useTask();
  const text = t.admin.invites;
  const items = list.data?.items;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const invited = await api.post<{ email: string; link: string }>('/admin/invites', { email: email.trim() });
      setEmail('');
      setMade(invited);
      await list.reload();
    });
  };
  return (
    <section class="page__section" aria-label={text.title}>
      <h2>{text.title}</h2>
      {error !== undefined && <Failure error={error} />}
      <form class="invite invite--plain" onSubmit={submit}>
        <TextField
          label={text.email}
          type="email"
          autocomplete="off"
          required
          maxLength={254}
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" icon={Mail} busy={busy}>
          {text.send}
        </Button>
      </form>
      {made ? (
        <Banner kind="good">
          <p>{text.made(isolate(made.email))}</p>
          <Copyable label={text.linkOf(isolate(made.email))} value={made.link} />
        </Banner>
      ) : (
        <p class="faint small">{me.value?.features.mail ? text.hint : text.hintNoMail}</p>
      )}
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={58} />}
      {items &&
        (items.length === 0 ? (
          <p class="faint small">{text.none}</p>
        ) : (
          <ul class="rows">
            {items.map((invite) => (
              <InviteRow key={invite.id} invite={invite} onChange={list.reload} />
            ))}
          </ul>
        ))}
    </section>
  );
}

function InviteRow({ invite, onChange }: { invite: InstanceInvite; onChange: () => Promise<void> }) {
  const { busy, run } = useTask({ onError: complain });
  const text = t.admin.invites;
  const lapsed = new Date(invite.expiresAt).getTime() <= Date.now();
  const withdraw = async () => {
    const sure = await ask({
      title: text.withdrawTitle(invite.email),
      text: text.withdrawText,
      confirm: text.withdraw,
      danger: true,
    });
    if (!sure) return;
    await run(async () => {
      await api.delete(`/admin/invites/${invite.id}`).then(() => say(text.withdrawn(isolate(invite.email))), complain);
      await onChange();
    });
  };
  return (
    <li class="row person">
      <Avatar name={invite.email} />
      <div class="row__main">
        <div>
          <bdi>{invite.email}</bdi>
        </div>
        <div class="row__note">{lapsed ? text.lapsed : text.until(moment(invite.expiresAt))}</div>
      </div>
      {lapsed && <span class="badge badge--warning">{text.lapsed}</span>}
      <IconButton icon="trash" label={`${text.withdraw}: ${invite.email}`} disabled={busy} onClick={withdraw} />
    </li>
  );
}
