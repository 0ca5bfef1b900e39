import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Page, WebhookDelivery } from '~/api/types';
import { isolate, moment, number, t } from '~/text';
import { Button, complain, Dialog, Failure, Skeleton, say, useTask, When } from '~/ui';

// lookAgain is how often the log is read while something is on its way, in milliseconds.
const lookAgain = 2000;

interface WebhookLogProps {
  path: string;
  name: string;
  /** disabled webhooks are sent nothing. */
  disabled: boolean;
  onClose: () => void;
}

/** WebhookLog shows what was sent to a webhook, newest first, and sends it again. */
export function WebhookLog({ path, name, disabled, onClose }: WebhookLogProps) {
  const address = `${path}/deliveries`;
  const first = useLoad(`deliveries ${path}`, (signal) =>
    api.get<Page<WebhookDelivery>>(address, { query: { limit: 20 }, signal }),
  );
  const [more, setMore] = useState<Page<WebhookDelivery> | null>(null);
  const { busy, run } = useTask({ onError: complain });
  const text = t.workspace.webhooks;
  const entries = [...(first.data?.items ?? []), ...(more?.items ?? [])];
  const cursor = more ? more.nextCursor : first.data?.nextCursor;
  const pending = entries.some(({ state }) => state === 'pending');
  useEffect(() => {
    if (!pending) return;
    const timer = setInterval(() => void first.reload(), lookAgain);
    return () => clearInterval(timer);
  }, [pending]);
  const load = () =>
    run(async () => {
      const next = await api.get<Page<WebhookDelivery>>(address, { query: { limit: 20, cursor } });
      setMore({ items: [...(more?.items ?? []), ...next.items], nextCursor: next.nextCursor });
    });
  const afresh = async () => {
    setMore(null);
    await first.reload();
  };
  return (
    <Dialog title={text.logOf(isolate(name))} wide onClose={onClose}>
      <div class="form">
        <p class="soft">{text.logHint}</p>
        {first.error && <Failure error={first.error} retry={first.reload} />}
        {!first.data && first.loading && <Skeleton height={180} />}
        {first.data && entries.length === 0 && <p class="faint">{text.noLog}</p>}
        {entries.length > 0 && (
          <ol class="rows">
            {entries.map((entry) => (
              <Entry key={entry.id} path={address} entry={entry} disabled={disabled} onSent={afresh} />
            ))}
          </ol>
        )}
        {cursor && (
          <div>
            <Button busy={busy} onClick={load}>
              {t.shell.showMore}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

interface EntryProps {
  path: string;
  entry: WebhookDelivery;
  disabled: boolean;
  onSent: () => Promise<void>;
}

const kinds = { pending: 'badge', delivered: 'badge badge--good', failed: 'badge badge--danger' };

function Entry({ path, entry, disabled, onSent }: EntryProps) {
  const { busy, run } = useTask({ onError: complain });
  const text = t.workspace.webhooks;
  const label = entry.type === 'webhook.test' ? text.testEvent : text.events[entry.type][0];
  const again = () =>
    run(async () => {
      await api.post(`${path}/${entry.id}/redeliver`);
      say(text.redelivered);
      await onSent();
    });
  return (
    <li class="row hook">
      <div class="row__main">
        <div>
          <strong>{label}</strong> <span class={kinds[entry.state]}>{text.states[entry.state]}</span>
        </div>
        <p class="row__note">
          <When at={entry.createdAt} /> · {text.attempts(entry.attempts)}
          {entry.attemptedAt && ` · ${resultOf(entry)}`}
        </p>
        {entry.state === 'pending' && entry.attemptedAt && entry.nextAttemptAt && (
          <p class="row__note">{text.next(moment(entry.nextAttemptAt))}</p>
        )}
        <details class="hook__more">
          <summary>{text.details}</summary>
          <p class="row__note">
            webhook-id: <bdi>{entry.messageId}</bdi>
          </p>
          <h3 class="small">{text.sent}</h3>
          <pre class="hook__body">{JSON.stringify(entry.payload, null, 2)}</pre>
          {entry.response && (
            <>
              <h3 class="small">{text.answer}</h3>
              <pre class="hook__body">{entry.response}</pre>
            </>
          )}
        </details>
      </div>
      {entry.state !== 'pending' && (
        <Button small icon="reload" busy={busy} disabled={disabled} onClick={again}>
          {text.redeliver}
        </Button>
      )}
    </li>
  );
}

// resultOf says what the last attempt came to.
function resultOf({ status, error, ms }: WebhookDelivery): string {
  const text = t.workspace.webhooks;
  const parts = [
    status !== null && text.status(status),
    error && error !== 'refused' && text.problems[error],
    text.took(number(ms)),
  ];
  return parts.filter(Boolean).join(' · ');
}
