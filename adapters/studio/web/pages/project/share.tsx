import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member, Project, Visibility } from '~/api/types';
import { outside } from '~/app/base';
import { atLeast, me } from '~/app/session';
import { Choices } from '~/pages/dashboard/choices';
import { isolate, t } from '~/text';
import { Avatar, Copyable, complain, Dialog, Failure, LinkButton, Skeleton, useTask } from '~/ui';
import { Links } from './links';
import type { ProjectStore } from './store';

const choices = [
  ['private', 'lock'],
  ['workspace', 'people'],
  ['public', 'globe'],
] as const;

/** Share shows who can see a project, and its links. */
export function Share({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const { name, url } = store.project.value;
  const member = store.canEdit.value;
  return (
    <Dialog title={t.project.shareTitle(isolate(name))} onClose={onClose}>
      <div class="form">
        {member && <Sight store={store} />}
        <section class="share__part" aria-label={t.project.link}>
          <h3>{t.project.link}</h3>
          <Copyable label={t.project.link} value={location.origin + outside(`/projects/${store.id}`)} />
          <p class="faint small">{t.project.linkHints[store.project.value.visibility]}</p>
          {url && <Copyable label={t.project.siteLink} value={url} />}
          {url && <p class="faint small">{t.project.siteHint}</p>}
        </section>
        {member && <Links store={store} />}
        {member && <People store={store} />}
      </div>
    </Dialog>
  );
}

// Sight sets the project's visibility immediately.
function Sight({ store }: { store: ProjectStore }) {
  const { busy, run } = useTask({ onError: complain });
  const choose = (visibility: Visibility) =>
    run(async () => {
      store.project.value = await api.patch<Project>(`/projects/${store.id}`, { visibility });
    });
  const items = choices.map(([value, icon]) => ({
    value,
    icon,
    label: t.dashboard.visibilities[value],
    hint: t.dashboard.visibilityHints[value],
  }));
  return (
    <div aria-busy={busy}>
      <Choices
        label={t.dashboard.visibility}
        items={items}
        chosen={store.project.value.visibility}
        choose={(visibility) => void choose(visibility)}
      />
    </div>
  );
}

// People lists the members who can see the project.
function People({ store }: { store: ProjectStore }) {
  const { workspaceId, visibility } = store.project.value;
  const { data, error, reload } = useLoad(`members ${workspaceId}`, (signal) =>
    api.get<{ items: Member[] }>(`/workspaces/${workspaceId}/members`, { signal }),
  );
  const sees = ({ role, userId }: Member) =>
    visibility !== 'private' || atLeast(role, 'admin') || userId === me.value?.user.id;
  return (
    <section class="share__part" aria-label={t.project.people}>
      <div class="share__head">
        <h3>{t.project.people}</h3>
        {store.isAdmin.value && (
          <LinkButton small icon="add" href={`/workspaces/${workspaceId}/members`}>
            {t.project.invite}
          </LinkButton>
        )}
      </div>
      {error && <Failure error={error} retry={() => void reload()} />}
      {!data && !error && <Skeleton height={40} />}
      <ul class="share__people">
        {data?.items.filter(sees).map((member) => (
          <li key={member.userId}>
            <Avatar name={member.displayName || member.email} url={member.avatarUrl} />
            <bdi>{member.displayName || member.email}</bdi>
            <span class="faint small">{t.shell.roles[member.role]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
