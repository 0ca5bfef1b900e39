import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Takedown } from '~/api/types';
import { isolate, moment, t } from '~/text';
import { ask, Button, complain, Failure, Skeleton, say, TextArea, TextField, useTask } from '~/ui';

// How long a reason may be.
const maxReason = 300;

/** Sites lists the sites that are taken down, and takes one down. */
export function Sites() {
  const { data, error, loading, reload } = useLoad('takedowns', (signal) =>
    api.get<{ items: Takedown[] }>('/admin/takedowns', { signal }),
  );
  const text = t.admin.sites;
  return (
    <section class="page__section" aria-label={t.admin.sections.sites}>
      <p class="soft">{text.hint}</p>
      <TakeDown onDone={reload} />
      {error && <Failure error={error} retry={reload} />}
      {!data && loading && <Skeleton height={58} />}
      {data &&
        (data.items.length === 0 ? (
          <p class="faint small">{text.none}</p>
        ) : (
          <ul class="rows">
            {data.items.map((taken) => (
              <TakedownRow key={taken.projectId} taken={taken} onLifted={reload} />
            ))}
          </ul>
        ))}
    </section>
  );
}

function TakeDown({ onDone }: { onDone: () => Promise<void> }) {
  const [slug, setSlug] = useState('');
  const [reason, setReason] = useState('');
  const { busy, error, run } = useTask();
  const text = t.admin.sites;
  const submit = async (event: Event) => {
    event.preventDefault();
    const site = slug.trim();
    const sure = await ask({ title: text.title(site), text: text.text, confirm: text.takeDown, danger: true });
    if (!sure) return;
    await run(async () => {
      await api.post('/admin/takedowns', { slug: site, reason: reason.trim() });
      say(text.taken(isolate(site)));
      setSlug('');
      setReason('');
      await onDone();
    });
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Failure error={error} />}
      <TextField
        label={text.slug}
        hint={text.slugHint}
        required
        autocomplete="off"
        value={slug}
        onInput={(event) => setSlug(event.currentTarget.value)}
      />
      <TextArea
        label={text.reason}
        hint={text.reasonHint}
        required
        rows={2}
        maxLength={maxReason}
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div>
        <Button kind="danger" type="submit" busy={busy}>
          {text.takeDown}
        </Button>
      </div>
    </form>
  );
}

function TakedownRow({ taken, onLifted }: { taken: Takedown; onLifted: () => Promise<void> }) {
  const text = t.admin.sites;
  const lift = async () => {
    await api.delete(`/admin/takedowns/${taken.projectId}`).then(() => say(text.lifted(isolate(taken.slug))), complain);
    await onLifted();
  };
  return (
    <li class="row">
      <div class="row__main">
        <div>
          <bdi>{taken.slug}</bdi>
        </div>
        <div class="row__note">
          {text.since(moment(taken.createdAt))} · <bdi>{taken.reason}</bdi>
        </div>
      </div>
      <Button onClick={() => void lift()}>{text.lift}</Button>
    </li>
  );
}
