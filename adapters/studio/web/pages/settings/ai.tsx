import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Subscription } from '~/api/types';
import { me, workspace } from '~/app/session';
import { day, t } from '~/text';
import { ask, Banner, Button, complain, Empty, Failure, LinkButton, Loading, say, When } from '~/ui';

// connecting redirects to GitHub, which returns to this page.
const connecting = '/auth/github/assistant';

/** AI manages the user's own access to models. */
export function AI() {
  const { data, error, reload, set } = useLoad('subscriptions', (signal) =>
    api.get<{ items: Subscription[] }>('/users/me/ai-providers', { signal }),
  );
  const offered = me.value!.features.assistant;
  const remove = async (subscription: Subscription) => {
    if (
      !(await ask({
        title: t.settings.disconnectTitle(subscription.name),
        text: t.settings.disconnectText,
        confirm: t.settings.disconnect,
        danger: true,
      }))
    )
      return;
    try {
      await api.delete(`/users/me/ai-providers/${subscription.id}`);
      set(({ items }) => ({ items: items.filter(({ id }) => id !== subscription.id) }));
      say(t.settings.disconnected);
    } catch (failure) {
      complain(failure);
    }
  };
  const refused = refusal();
  return (
    <>
      <p class="soft settings__lead">{t.settings.aiHint}</p>
      {refused && <Banner kind="error">{refused}</Banner>}
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && data.items.length > 0 && (
        <ul class="rows">
          {data.items.map((item) => (
            <Row key={item.id} subscription={item} offered={offered} remove={() => void remove(item)} />
          ))}
        </ul>
      )}
      {data?.items.length === 0 &&
        (offered ? (
          <Empty
            icon="bolt"
            title={t.settings.aiNone}
            actions={
              <LinkButton kind="primary" href={connecting}>
                {t.settings.connect}
              </LinkButton>
            }
          >
            {t.settings.aiNoneHint}
          </Empty>
        ) : (
          <Empty
            icon="bolt"
            title={t.settings.aiOff}
            actions={
              workspace.value && (
                <LinkButton href={`/workspaces/${workspace.value.id}/providers`}>{t.settings.toProviders}</LinkButton>
              )
            }
          >
            {t.settings.aiOffHint}
          </Empty>
        ))}
    </>
  );
}

function Row({ subscription, offered, remove }: { subscription: Subscription; offered: boolean; remove: () => void }) {
  const { expiresAt } = subscription;
  const ended = expiresAt !== null && new Date(expiresAt) <= new Date();
  return (
    <li class="row token">
      <div class="row__main">
        {subscription.name} {ended && <span class="badge badge--warning">{t.settings.ended}</span>}
        <p class="row__note">
          {t.settings.keyEnds(subscription.keyHint)} · {t.settings.aiConnected} <When at={subscription.updatedAt} />
          {expiresAt && !ended && <> · {t.settings.endsOn(day(expiresAt))}</>}
        </p>
      </div>
      {offered && <LinkButton href={connecting}>{t.settings.reconnect}</LinkButton>}
      <Button kind="danger" onClick={remove}>
        {t.settings.disconnect}
      </Button>
    </li>
  );
}

// refusal returns GitHub's error.
function refusal(): string {
  const code = new URLSearchParams(location.search).get('error');
  if (!code) return '';
  return (t.settings.aiRefusals as Record<string, string>)[code] ?? t.settings.aiRefused;
}
