import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { NewWebhook, Page, Project, Webhook, WebhookEvent, Workspace } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Checkbox, Copyable, Dialog, Failure, Select, TextField, useTask } from '~/ui';

interface WebhookFormProps {
  space: Workspace;
  /** hook is the webhook to edit; without it, the form creates one. */
  hook?: Webhook;
  onClose: () => void;
  onSaved: (hook: Webhook | NewWebhook) => void;
}

/** WebhookForm makes or changes a webhook. */
export function WebhookForm({ space, hook, onClose, onSaved }: WebhookFormProps) {
  const path = `/workspaces/${space.id}/webhooks`;
  const [url, setURL] = useState(hook?.url ?? '');
  const [description, setDescription] = useState(hook?.description ?? '');
  const [project, setProject] = useState(hook?.projectId ?? '');
  const [events, setEvents] = useState<WebhookEvent[]>(hook?.events ?? []);
  const { busy, error, run, fail } = useTask({ leaves: true });
  const text = t.workspace.webhooks;
  const wanted = events.filter((event) => !project || event !== 'member.changed');
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted.length === 0) return fail(new Error(text.needsEvent));
    const body = { url: url.trim(), description: description.trim(), projectId: project || null, events: wanted };
    void run(async () =>
      onSaved(hook ? await api.patch<Webhook>(`${path}/${hook.id}`, body) : await api.post<NewWebhook>(path, body)),
    );
  };
  return (
    <Dialog title={hook ? text.editTitle : text.add} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={text.url}
          hint={text.urlHint}
          type="url"
          required
          autofocus
          autocomplete="off"
          maxLength={2048}
          value={url}
          onInput={(event) => setURL(event.currentTarget.value)}
        />
        <TextField
          label={text.description}
          hint={text.descriptionHint}
          maxLength={200}
          dir="auto"
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
        <ProjectChoice space={space} value={project} onChoose={setProject} />
        <Events chosen={wanted} choose={setEvents} ofProject={project !== ''} />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {hook ? t.shell.save : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ProjectChoiceProps {
  space: Workspace;
  value: string;
  onChoose: (project: string) => void;
}

function ProjectChoice({ space, value, onChoose }: ProjectChoiceProps) {
  const { data } = useLoad(`webhook projects ${space.id}`, (signal) =>
    api.get<Page<Project>>(`/workspaces/${space.id}/projects`, { query: { limit: 100 }, signal }),
  );
  const text = t.workspace.webhooks;
  const items = data?.items ?? [];
  return (
    <Select label={text.project} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{text.allProjects}</option>
      {value && !items.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {items.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

interface EventsProps {
  chosen: WebhookEvent[];
  choose: (events: WebhookEvent[]) => void;
  /** ofProject says that a project is chosen, which has no members of its own. */
  ofProject: boolean;
}

function Events({ chosen, choose, ofProject }: EventsProps) {
  const text = t.workspace.webhooks;
  const all = Object.keys(text.events) as WebhookEvent[];
  const toggle = (event: WebhookEvent, on: boolean) =>
    choose(all.filter((other) => (other === event ? on : chosen.includes(other))));
  return (
    <fieldset class="hook__events">
      <legend class="field__label">{text.eventsOf}</legend>
      {all.map((event) => {
        const [label, hint] = text.events[event];
        return (
          <Checkbox
            key={event}
            label={label}
            hint={hint}
            checked={chosen.includes(event)}
            disabled={ofProject && event === 'member.changed'}
            onChange={({ currentTarget }) => toggle(event, currentTarget.checked)}
          />
        );
      })}
    </fieldset>
  );
}

/** Secret shows the secret of a webhook. The service reveals it only once. */
export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const text = t.workspace.webhooks;
  return (
    <Dialog title={text.secretTitle} onClose={onClose}>
      <div class="form">
        <Banner kind="warning">{text.secretOnce}</Banner>
        <Copyable value={secret} label={text.secret} />
        <p class="soft">{text.secretUse}</p>
      </div>
      <div class="dialog__actions">
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      </div>
    </Dialog>
  );
}
