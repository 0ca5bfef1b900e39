import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { OpenSession } from '~/api/types';
import { leave } from '~/app/session';
import { isolate, t } from '~/text';
import { ask, Button, complain, Failure, Loading, say, useTask, When } from '~/ui';

/** Sessions lists where the user is signed in, and ends sessions. */
export function Sessions() {
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const { data, error, reload, set } = useLoad('sessions', (signal) =>
    api.get<{ items: OpenSession[] }>('/auth/sessions', { signal }),
  );
  const end = async ({ id, device }: OpenSession) => {
    try {
      await api.delete(`/auth/sessions/${id}`);
      set(({ items }) => ({ items: items.filter((other) => other.id !== id) }));
      say(t.settings.sessionEnded(isolate(device || t.settings.unknownDevice)));
    } catch (failure) {
      complain(failure);
      void reload();
    }
  };
  const endAll = async () => {
    const sure = await ask({
      title: t.settings.everywhereTitle,
      text: t.settings.everywhereText,
      confirm: t.settings.signOutEverywhere,
      danger: true,
    });
    if (sure) await run(() => leave(true));
  };
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      <ul class="rows">
        {data?.items.map((session) => (
          <Row
            key={session.id}
            session={session}
            busy={busy}
            end={() => void (session.current ? run(() => leave(false)) : end(session))}
          />
        ))}
        <li class="row">
          <div class="row__main">
            {t.settings.everywhere}
            <p class="row__note">{t.settings.everywhereHint}</p>
          </div>
          <Button kind="danger" disabled={busy} onClick={() => void endAll()}>
            {t.settings.signOutEverywhere}
          </Button>
        </li>
      </ul>
    </>
  );
}

function Row({ session, busy, end }: { session: OpenSession; busy: boolean; end: () => void }) {
  const device = session.device || t.settings.unknownDevice;
  return (
    <li class="row">
      <div class="row__main">
        <bdi>{device}</bdi> {session.current && <span class="badge">{t.settings.here}</span>}
        <p class="row__note">
          {session.address && (
            <>
              <bdi>{session.address}</bdi>
              {' · '}
            </>
          )}
          {t.settings.seenAt} <When at={session.lastSeenAt} />
          {' · '}
          {t.settings.signedInAt} <When at={session.createdAt} />
          {session.secondFactor && ` · ${t.settings.withTwoSteps}`}
        </p>
      </div>
      <Button
        disabled={busy}
        aria-label={session.current ? undefined : t.settings.endSession(isolate(device))}
        onClick={end}
      >
        {t.settings.signOut}
      </Button>
    </li>
  );
}
