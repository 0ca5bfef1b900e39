import Webhook from 'lucide/dist/esm/icons/webhook.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Webhook as Hook, NewWebhook, Workspace } from '~/api/types';
import { isolate, moment, t } from '~/text';
import { ask, Button, complain, Empty, Failure, Menu, Skeleton, say, useTask } from '~/ui';
import { Secret, WebhookForm } from './webhook-form';
import { WebhookLog } from './webhook-log';

/** Webhooks shows which other programs are told what happens in a workspace. */
export function Webhooks({ space }: { space: Workspace }) {
  const path = `/workspaces/${space.id}/webhooks`;
  const list = useLoad(`webhooks ${space.id}`, (signal) => api.get<{ items: Hook[] }>(path, { signal }));
  const [open, setOpen] = useState<Hook | 'new' | null>(null);
  const [secret, setSecret] = useState('');
  const text = t.workspace.webhooks;
  const items = list.data?.items;
  const saved = (made: Hook | NewWebhook) => {
    say(open === 'new' ? text.created : text.saved);
    setOpen(null);
    if ('secret' in made) setSecret(made.secret);
    void list.reload();
  };
  const add = (
    <Button icon="add" onClick={() => setOpen('new')}>
      {text.add}
    </Button>
  );
  return (
    <section class="page__section" aria-label={t.workspace.sections.webhooks}>
      <div class="intro">
        <p class="soft">
          {text.hint}{' '}
          <a href="/docs" target="_blank" rel="noopener">
            {text.documentation}
          </a>
        </p>
        {items && items.length > 0 && add}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={58} />}
      {items?.length === 0 && (
        <div class="card">
          <Empty icon={Webhook} title={text.none} actions={add}>
            {text.noneHint}
          </Empty>
        </div>
      )}
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((hook) => (
            <WebhookRow
              key={hook.id}
              path={path}
              hook={hook}
              onEdit={() => setOpen(hook)}
              onSecret={setSecret}
              onChange={list.reload}
            />
          ))}
        </ul>
      )}
      {open && (
        <WebhookForm
          space={space}
          hook={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
          onSaved={saved}
        />
      )}
      {secret && <Secret secret={secret} onClose={() => setSecret('')} />}
    </section>
  );
}

// nameOf is what people recognize a webhook by.
function nameOf(hook: Hook): string {
  return hook.description || new URL(hook.url).host;
}

interface WebhookRowProps {
  path: string;
  hook: Hook;
  onEdit: () => void;
  onSecret: (secret: string) => void;
  onChange: () => Promise<void>;
}

function WebhookRow({ path, hook, onEdit, onSecret, onChange }: WebhookRowProps) {
  const [shown, setShown] = useState(false);
  const { busy, run } = useTask({ onError: complain });
  const text = t.workspace.webhooks;
  const name = nameOf(hook);
  const own = `${path}/${hook.id}`;
  const rotate = async () => {
    if (await ask({ title: text.rotateTitle(isolate(name)), text: text.rotateText, confirm: text.rotate }))
      await run(async () => onSecret((await api.post<NewWebhook>(`${own}/rotate-secret`)).secret));
  };
  const test = () =>
    run(async () => {
      await api.post(`${own}/test`);
      say(text.testSent);
      setShown(true);
    });
  const turn = () =>
    run(async () => {
      await api.patch(own, { disabled: !hook.disabled });
      say(hook.disabled ? text.enabled(isolate(name)) : text.turnedOff(isolate(name)));
      await onChange();
    });
  // What was sent may have changed the state of the webhook.
  const close = () => {
    setShown(false);
    void onChange();
  };
  const remove = async () => {
    if (
      !(await ask({
        title: text.removeTitle(isolate(name)),
        text: text.removeText,
        confirm: t.shell.delete,
        danger: true,
      }))
    )
      return;
    await api.delete(own).then(() => say(text.removed(isolate(name))), complain);
    await onChange();
  };
  return (
    <li class="row hook">
      <div class="row__main">
        <div>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          <State hook={hook} />
        </div>
        <p class="row__note hook__url">
          <bdi>{hook.url}</bdi>
        </p>
        <p class="row__note">{hook.events.map((event) => text.events[event][0]).join(' · ')}</p>
      </div>
      <Button small icon="list" aria-label={`${text.log}: ${name}`} onClick={() => setShown(true)}>
        {text.log}
      </Button>
      <Menu
        label={text.actionsFor(name)}
        items={[
          { label: text.test, icon: 'send', disabled: hook.disabled || busy, onSelect: () => void test() },
          { label: text.edit, icon: 'edit', onSelect: onEdit },
          { label: text.rotate, icon: 'key', onSelect: () => void rotate() },
          {
            label: hook.disabled ? text.enable : text.disable,
            icon: hook.disabled ? 'play' : 'stop',
            onSelect: () => void turn(),
          },
          { label: t.shell.delete, icon: 'trash', danger: true, onSelect: () => void remove() },
        ]}
      />
      {shown && <WebhookLog path={own} name={name} disabled={hook.disabled} onClose={close} />}
    </li>
  );
}

function State({ hook }: { hook: Hook }) {
  const text = t.workspace.webhooks;
  if (hook.disabledReason) {
    const kind = hook.disabledReason === 'person' ? 'badge' : 'badge badge--danger';
    return <span class={kind}>{text.reasons[hook.disabledReason]}</span>;
  }
  if (hook.failingSince)
    return <span class="badge badge--warning">{text.failingSince(moment(hook.failingSince))}</span>;
  return null;
}
