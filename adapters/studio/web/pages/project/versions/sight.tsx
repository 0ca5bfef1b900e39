import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { PreviewLink, Version } from '~/api/types';
import { t } from '~/text';
import { Button, complain, LinkButton, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import { firstLine } from './title';

/** Sight shows the pages of a version as they were, for reading. */
export function Sight({ store, version }: { store: ProjectStore; version: Version }) {
  const [url, setUrl] = useState<string | null>(null);
  const { busy, run } = useTask({ onError: complain });
  const look = () =>
    run(async () => {
      const { url } = await api.post<PreviewLink>(`/projects/${store.id}/versions/${version.id}/look`);
      setUrl(url);
    });
  if (url === null) {
    return (
      <div>
        <Button icon="eye" busy={busy} onClick={() => void look()}>
          {t.versions.look}
        </Button>
      </div>
    );
  }
  return (
    <section class="sight" aria-label={t.versions.look}>
      <div class="sight__head">
        <span class="soft small">{t.versions.lookHint}</span>
        <LinkButton small kind="quiet" icon="external" href={url} target="_blank" rel="noreferrer">
          {t.versions.ownTab}
        </LinkButton>
        <Button small kind="quiet" icon="close" onClick={() => setUrl(null)}>
          {t.shell.close}
        </Button>
      </div>
      <iframe
        class="sight__page"
        src={url}
        title={t.versions.pageOf(firstLine(version.message))}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-modals"
        referrerpolicy="no-referrer"
      />
    </section>
  );
}
