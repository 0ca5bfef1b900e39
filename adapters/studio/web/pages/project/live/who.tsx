import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { Avatar, Banner, Button, complain, Failure, Icon, LinkButton, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import type { Peer } from './events';
import { lossOf } from './loss';

/** most is the number of users shown individually. */
const most = 5;

/**
 * Who shows the other users. A click follows one of them until the user types or presses
 * Escape.
 */
export function Who({ store }: { store: ProjectStore }) {
  const people = store.live.people.value;
  const following = store.live.following.value;
  const unfollow = () => {
    store.live.following.value = null;
  };
  useShortcuts(following === null ? {} : { unfollow });
  if (people.length === 0) return null;
  if (store.narrow.value)
    return (
      <span class="who__count" title={t.project.here(people.length)}>
        <Icon name="people" />
        <span aria-hidden="true">{people.length}</span>
        <span class="visually-hidden">{t.project.here(people.length)}</span>
      </span>
    );
  return (
    <ul class="who" aria-label={t.project.whoIsHere}>
      {people.slice(0, most).map((peer) => (
        <Somebody key={peer.user.id} store={store} peer={peer} followed={peer.user.id === following} />
      ))}
      {people.length > most && (
        <li class="who__more" title={t.project.here(people.length)}>
          +{people.length - most}
        </li>
      )}
    </ul>
  );
}

function Somebody({ store, peer, followed }: { store: ProjectStore; peer: Peer; followed: boolean }) {
  const { user, path } = peer;
  const words = followed ? t.project.following(user.name) : t.project.isIn(user.name, path);
  const turn = () => {
    if (followed) store.live.following.value = null;
    else store.follow(user.id);
  };
  return (
    <li>
      <button
        type="button"
        class="who__one"
        style={{ '--peer': user.color }}
        aria-label={words}
        title={words}
        aria-pressed={followed}
        onClick={turn}
      >
        <Avatar name={user.name} url={user.avatarUrl} />
      </button>
    </li>
  );
}

/** LiveTrouble warns that the page no longer receives changes. */
export function LiveTrouble({ store }: { store: ProjectStore }) {
  const state = store.live.state.value;
  if (state === 'lost') return <Lost store={store} />;
  if (state === 'ended') return <Banner kind="warning">{t.project.liveEnded}</Banner>;
  return null;
}

// Lost explains why the project is no longer accessible and what the user can do.
function Lost({ store }: { store: ProjectStore }) {
  const { data, error, reload } = useLoad(`loss of ${store.id}`, (signal) => lossOf(store.project.peek(), signal));
  const { busy, run } = useTask({ leaves: true, onError: complain });
  if (error) return <Failure error={error} retry={() => void reload()} />;
  if (data === undefined) return null;
  const again = () => location.reload();
  const restore = () =>
    run(async () => {
      await api.post(`/projects/${store.id}/restore`);
      again();
    });
  const actions = (
    <>
      {data === null && (
        <Button small icon="reload" onClick={again}>
          {t.shell.reload}
        </Button>
      )}
      {data === 'deleted' && (
        <Button small icon="restore" busy={busy} onClick={restore}>
          {t.project.lost.restore}
        </Button>
      )}
      <LinkButton small href="/dashboard">
        {t.shell.toDashboard}
      </LinkButton>
    </>
  );
  return (
    <Banner kind={data === null ? 'warning' : 'error'} actions={actions}>
      {data === null ? t.project.liveEnded : t.project.lost[data]}
    </Banner>
  );
}
