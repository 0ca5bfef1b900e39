import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { PreviewLink } from '~/api/types';
import { moment, t } from '~/text';
import { Button, Copyable, complain, Failure, IconButton, Select, Skeleton, say, TextField, useTask } from '~/ui';
import { QR } from '~/ui/qr';
import { useNames } from './names';
import type { ProjectStore } from './store';

const lifetimes = [24, 7 * 24, 30 * 24, 90 * 24];

/** Links are the links with which people without an account see the project's pages. */
export function Links({ store }: { store: ProjectStore }) {
  const path = `/projects/${store.id}/links`;
  const { data, error, reload } = useLoad(path, (signal) => api.get<{ items: PreviewLink[] }>(path, { signal }));
  const [hours, setHours] = useState(7 * 24);
  const [name, setName] = useState('');
  const { busy, run } = useTask({ onError: complain });
  const make = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.post<PreviewLink>(path, { name: name.trim(), hours });
      setName('');
      await reload();
    });
  };
  return (
    <section class="share__part" aria-label={t.project.links}>
      <h3>{t.project.links}</h3>
      <p class="faint small">{t.project.linksHint}</p>
      {error && <Failure error={error} retry={() => void reload()} />}
      {!data && !error && <Skeleton height={40} />}
      <ul class="share__links">
        {data?.items.map((link) => (
          <Shared key={link.id} store={store} link={link} onEnded={() => void reload()} />
        ))}
      </ul>
      <form class="share__new" onSubmit={make}>
        <TextField
          label={t.project.linkFor}
          value={name}
          maxLength={100}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t.project.linkLasts}
          value={String(hours)}
          onChange={(event) => setHours(Number(event.currentTarget.value))}
        >
          {lifetimes.map((value) => (
            <option key={value} value={String(value)}>
              {t.project.days(value / 24)}
            </option>
          ))}
        </Select>
        <Button type="submit" icon="add" busy={busy}>
          {t.project.makeLink}
        </Button>
      </form>
    </section>
  );
}

function Shared({ store, link, onEnded }: { store: ProjectStore; link: PreviewLink; onEnded: () => void }) {
  const [code, showCode] = useState(false);
  const { busy, run } = useTask({ onError: complain });
  const names = useNames(store.project.value.workspaceId);
  const title = link.name || t.project.linkUnnamed;
  const end = () =>
    run(async () => {
      await api.delete(`/projects/${store.id}/links/${link.id}`);
      say(t.project.linkEnded);
      onEnded();
    });
  return (
    <li class="share__shared">
      <div class="share__head">
        <div class="share__what">
          <bdi>{title}</bdi>
          <div class="faint small">
            {t.project.linkUntil(moment(link.expiresAt))} · {t.publish.by(names?.get(link.by) ?? t.publish.somebody)}
          </div>
        </div>
        <Button small kind="quiet" aria-expanded={code} onClick={() => showCode(!code)}>
          {t.project.code}
        </Button>
        <IconButton
          small
          icon="trash"
          label={`${t.project.endLink}: ${title}`}
          busy={busy}
          onClick={() => void end()}
        />
      </div>
      <Copyable label={title} value={link.url} />
      {code && <QR value={link.url} label={t.project.codeOf(title)} />}
    </li>
  );
}
