import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member, Role, Workspace } from '~/api/types';
import { atLeast, me, reloadWorkspaces } from '~/app/session';
import { moment, t } from '~/text';
import { Avatar, ask, complain, Failure, Menu, type MenuItem, Select, Skeleton, say } from '~/ui';
import { Invites } from './invites';
import { Leave } from './leave';
import { mayChange, roles, rolesToGive } from './roles';

/** Members shows a workspace's members, and its invites to admins. */
export function Members({ space }: { space: Workspace }) {
  const list = useLoad(`members ${space.id}`, (signal) =>
    api.get<{ items: Member[] }>(`/workspaces/${space.id}/members`, { signal }),
  );
  const reload = async () => {
    await Promise.all([list.reload(), reloadWorkspaces()]);
  };
  const members = list.data?.items;
  return (
    <>
      <section class="page__section" aria-label={t.workspace.sections.members}>
        <p class="soft">{t.workspace.members.hint}</p>
        {list.error && <Failure error={list.error} retry={list.reload} />}
        {!members && list.loading && <Skeleton height={58} />}
        {members && (
          <ul class="rows">
            {members.map((member) => (
              <MemberRow key={member.userId} space={space} member={member} members={members} onChange={reload} />
            ))}
          </ul>
        )}
        {members && <Leave space={space} members={members} />}
      </section>
      {atLeast(space.role, 'admin') && <Invites space={space} />}
      <RoleWords />
    </>
  );
}

interface MemberProps {
  space: Workspace;
  member: Member;
  members: Member[];
  onChange: () => Promise<void>;
}

function MemberRow({ space, member, members, onChange }: MemberProps) {
  const name = member.displayName || member.email;
  const isSelf = member.userId === me.value?.user.id;
  const changeable = !isSelf && mayChange(space, member, members);
  return (
    <li class="row person person--member">
      <Avatar name={name} url={member.avatarUrl} />
      <div class="row__main">
        <div class="person__name">
          <bdi>{name}</bdi>
          {isSelf && <span class="badge">{t.workspace.members.you}</span>}
          {space.requireMfa && member.secondFactor === false && (
            <span class="badge badge--warning">{t.workspace.secondFactors.missing}</span>
          )}
        </div>
        <div class="row__note">
          {member.displayName && (
            <>
              <bdi>{member.email}</bdi> ·{' '}
            </>
          )}
          <span title={moment(member.joinedAt)}>
            {t.workspace.members.since(
              new Date(member.joinedAt).toLocaleDateString(document.documentElement.lang, { dateStyle: 'medium' }),
            )}
          </span>
        </div>
      </div>
      {changeable ? (
        <RoleSelect space={space} member={member} name={name} onChange={onChange} />
      ) : (
        <span class="badge">{t.shell.roles[member.role]}</span>
      )}
      <MemberMenu
        space={space}
        member={member}
        name={name}
        removable={changeable}
        transferable={!isSelf && space.role === 'owner' && !space.personal}
        onChange={onChange}
      />
    </li>
  );
}

function RoleSelect({ space, member, name, onChange }: Omit<MemberProps, 'members'> & { name: string }) {
  const change = async (role: Role) => {
    try {
      await api.patch(`/workspaces/${space.id}/members/${member.userId}`, { role });
      say(t.workspace.members.roleChanged(name, t.shell.roles[role]));
    } catch (error) {
      complain(error);
    }
    await onChange();
  };
  return (
    <div class="person__role">
      <Select
        label={t.workspace.members.roleOf(name)}
        hideLabel
        value={member.role}
        onChange={(event) => void change(event.currentTarget.value as Role)}
      >
        {rolesToGive(space.role).map((role) => (
          <option key={role} value={role}>
            {t.shell.roles[role]}
          </option>
        ))}
      </Select>
    </div>
  );
}

interface MemberMenuProps extends Omit<MemberProps, 'members'> {
  name: string;
  removable: boolean;
  transferable: boolean;
}

function MemberMenu({ space, member, name, removable, transferable, onChange }: MemberMenuProps) {
  const text = t.workspace.members;
  const remove = async () => {
    if (
      !(await ask({ title: text.removeTitle(name), text: text.removeText, confirm: text.removeConfirm, danger: true }))
    )
      return;
    await api.delete(`/workspaces/${space.id}/members/${member.userId}`).then(() => say(text.removed(name)), complain);
    await onChange();
  };
  const transfer = async () => {
    if (
      !(await ask({
        title: text.transferTitle(name),
        text: text.transferText,
        confirm: text.transferConfirm,
        danger: true,
      }))
    )
      return;
    await api
      .post(`/workspaces/${space.id}/transfer`, { userId: member.userId })
      .then(() => say(text.transferred(name)), complain);
    await onChange();
  };
  const items: MenuItem[] = [
    ...(transferable ? [{ label: text.transfer, icon: 'key' as const, onSelect: () => void transfer() }] : []),
    ...(removable ? [{ label: text.remove, icon: 'trash' as const, danger: true, onSelect: () => void remove() }] : []),
  ];
  return items.length > 0 ? <Menu label={text.actionsFor(name)} items={items} /> : <span class="person__gap" />;
}

function RoleWords() {
  const text = t.workspace.members;
  return (
    <section class="page__section" aria-label={text.roles}>
      <h2>{text.roles}</h2>
      <dl class="role-words">
        {roles.map((role) => (
          <div key={role}>
            <dt>{t.shell.roles[role]}</dt>
            <dd>{text.roleHints[role]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
