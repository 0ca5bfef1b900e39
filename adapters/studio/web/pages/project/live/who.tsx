import { useEffect } from 'preact/hooks';

import { t } from '~/text';
import { Avatar, Banner, Icon } from '~/ui';
import type { ProjectStore } from '../store';
import type { Peer } from './events';

/** most is how many people are shown one by one. */
const most = 5;

/** Who shows who else is there. A click on somebody follows them, until one types or presses Escape. */
export function Who({ store }: { store: ProjectStore }) {
  const people = store.live.people.value;
  const following = store.live.following.value;
  useEffect(() => {
    if (following === null) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      event.stopPropagation();
      store.live.following.value = null;
    };
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [following]);
  if (people.length === 0) return null;
  if (store.narrow.value) return <span class="who__count" title={t.project.here(people.length)}><Icon name="people" /><span aria-hidden="true">{people.length}</span><span class="visually-hidden">{t.project.here(people.length)}</span></span>;
  return (
    <ul class="who" aria-label={t.project.whoIsHere}>
      {people.slice(0, most).map((peer) => <Somebody key={peer.user.id} store={store} peer={peer} followed={peer.user.id === following} />)}
      {people.length > most && <li class="who__more" title={t.project.here(people.length)}>+{people.length - most}</li>}
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
      <button type="button" class="who__one" style={{ '--peer': user.color }} aria-label={words} title={words} aria-pressed={followed} onClick={turn}>
        <Avatar name={user.name} url={user.avatarUrl} />
      </button>
    </li>
  );
}

/** LiveTrouble says that the page does not follow what happens any more. */
export function LiveTrouble({ store }: { store: ProjectStore }) {
  const state = store.live.state.value;
  if (state === 'lost') return <Banner kind="error">{t.project.accessLost}</Banner>;
  if (state === 'ended') return <Banner kind="warning">{t.project.liveEnded}</Banner>;
  return null;
}
