import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Member, Workspace } from '~/api/types';
import { me, reloadWorkspaces } from '~/app/session';
import { t } from '~/text';
import { Avatar, ask, Banner, Checkbox, Failure, say, useTask } from '~/ui';

interface SecondFactorsProps {
  space: Workspace;
  members: Member[];
  /** reload reads the members again. */
  reload: () => Promise<void>;
}

/** SecondFactors requires two-step verification of a workspace's members, and says who lacks it. */
export function SecondFactors({ space, members, reload }: SecondFactorsProps) {
  const [required, setRequired] = useState(space.requireMfa);
  const { busy, error, run } = useTask();
  const text = t.workspace.secondFactors;
  const lacking = members.filter(({ secondFactor }) => secondFactor === false);
  const isLacking = lacking.some(({ userId }) => userId === me.value?.user.id);
  const change = async (wanted: boolean) => {
    setRequired(wanted);
    let stored = !wanted;
    await run(async () => {
      if (wanted && lacking.length > 0 && !(await shutOut(lacking.length))) return;
      await api.patch(`/workspaces/${space.id}`, { requireMfa: wanted });
      stored = wanted;
      await Promise.all([reloadWorkspaces(), reload()]);
      say(t.shell.saved);
    });
    setRequired(stored);
  };
  return (
    <section class="page__section" aria-label={text.title}>
      <h2>{text.title}</h2>
      {error !== undefined && <Failure error={error} />}
      <Checkbox
        label={text.require}
        hint={text.hint}
        checked={required}
        disabled={busy || (isLacking && !space.requireMfa)}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      {isLacking && (
        <Banner>
          {text.ownFirst} <a href="/settings/security">{text.turnOn}</a>
        </Banner>
      )}
      {lacking.length > 0 && (
        <>
          <p class="soft">{text.lacking(lacking.length)}</p>
          <ul class="rows" aria-label={text.lacking(lacking.length)}>
            {lacking.map((member) => (
              <Lacking key={member.userId} member={member} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function shutOut(members: number): Promise<boolean> {
  const text = t.workspace.secondFactors;
  return ask({ title: text.require, text: text.shutsOut(members), confirm: text.confirm });
}

function Lacking({ member }: { member: Member }) {
  const name = member.displayName || member.email;
  return (
    <li class="row person">
      <Avatar name={name} url={member.avatarUrl} />
      <div class="row__main">
        <div class="person__name">
          <bdi>{name}</bdi>
        </div>
        {member.displayName && (
          <div class="row__note">
            <bdi>{member.email}</bdi>
          </div>
        )}
      </div>
    </li>
  );
}
