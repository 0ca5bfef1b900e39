import { useEffect } from 'preact/hooks';

import { t } from '~/text';
import { Icon, Menu } from '~/ui';
import { isOffline, lookAgain, watchConnection } from './connection';

/** OfflineMark says in the top bar that the service cannot be reached, and what works without it. */
export default function OfflineMark() {
  useEffect(watchConnection, []);
  return (
    <span role="status">
      {isOffline.value && (
        <Menu
          label={t.shell.away.title}
          small
          items={[t.shell.offline, { label: t.shell.retry, icon: 'reload', onSelect: lookAgain }]}
        >
          <Icon name="alert" />
          <span class="project-name__share-word">{t.shell.away.title}</span>
        </Menu>
      )}
    </span>
  );
}
