import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member, Workspace } from '~/api/types';
import { atLeast, reloadWorkspaces } from '~/app/session';
import { money, t } from '~/text';
import {
  Banner,
  Button,
  Checkbox,
  Copyable,
  complain,
  Dialog,
  Failure,
  Loading,
  say,
  TextArea,
  TextField,
  useTask,
} from '~/ui';
import { Knowledge } from './knowledge';
import { Leave } from './leave';
import { SecondFactors } from './second-factors';

/** General edits a workspace's name and limit, and deletes it. */
export function General({ space }: { space: Workspace }) {
  const mayChange = atLeast(space.role, 'admin');
  const list = useLoad(`members ${space.id}`, (signal) =>
    api.get<{ items: Member[] }>(`/workspaces/${space.id}/members`, { signal }),
  );
  const text = t.workspace.general;
  if (list.error) return <Failure error={list.error} retry={list.reload} />;
  // Sections in the middle depend on the members: nothing may move once they are there.
  if (!list.data) return <Loading />;
  const members = list.data.items;
  return (
    <div class="general">
      {!mayChange && <Banner>{text.readOnly}</Banner>}
      <GeneralForm space={space} mayChange={mayChange} />
      {mayChange && <SecondFactors space={space} members={members} reload={list.reload} />}
      <Knowledge space={space} mayChange={mayChange} />
      <section class="page__section" aria-label={text.id}>
        <h2>{text.id}</h2>
        <Copyable value={space.id} label={text.id} />
      </section>
      {members.length > 1 && (
        <section class="page__section" aria-label={text.leave}>
          <h2>{text.leave}</h2>
          <Leave space={space} members={members} />
        </section>
      )}
      {space.role === 'owner' && (
        <section class="page__section" aria-label={text.danger}>
          <h2>{text.danger}</h2>
          {space.personal ? <p class="soft">{text.personal}</p> : <Deletion space={space} />}
        </section>
      )}
    </div>
  );
}

function GeneralForm({ space, mayChange }: { space: Workspace; mayChange: boolean }) {
  const [name, setName] = useState(space.name);
  const [limit, setLimit] = useState(space.creditLimit === null ? '' : String(space.creditLimit));
  const [unlimited, setUnlimited] = useState(space.creditLimit === null);
  const [hosts, setHosts] = useState(space.commandHosts.join('\n'));
  const [careful, setCareful] = useState(space.livePublish === 'admin');
  const { busy, error, run } = useTask();
  const text = t.workspace.general;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const next = await api.patch<Workspace>(
        `/workspaces/${space.id}`,
        changesOf(space, { name, creditLimit: unlimited ? null : Number(limit), hosts, careful }),
      );
      setHosts(next.commandHosts.join('\n'));
      await reloadWorkspaces();
      say(t.shell.saved);
    });
  };
  return (
    <form class="form page__section" onSubmit={submit}>
      {error !== undefined && <Failure error={error} />}
      <TextField
        label={text.name}
        required
        maxLength={100}
        readOnly={!mayChange}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <div class="form__pair">
        <TextField
          label={text.limit}
          hint={`${text.limitHint} ${text.limitUsed(money(space.creditUsed))}`}
          type="number"
          min={0}
          max={1e9}
          step="any"
          inputMode="decimal"
          required={!unlimited}
          disabled={unlimited}
          readOnly={!mayChange}
          value={unlimited ? '' : limit}
          onInput={(event) => setLimit(event.currentTarget.value)}
        />
        <Checkbox
          label={text.unlimited}
          checked={unlimited}
          disabled={!mayChange}
          onChange={(event) => setUnlimited(event.currentTarget.checked)}
        />
      </div>
      <TextArea
        label={text.hosts}
        hint={text.hostsHint}
        rows={4}
        spellcheck={false}
        readOnly={!mayChange}
        value={hosts}
        onInput={(event) => setHosts(event.currentTarget.value)}
      />
      <Checkbox
        label={text.careful}
        hint={text.carefulHint}
        checked={careful}
        disabled={!mayChange}
        onChange={(event) => setCareful(event.currentTarget.checked)}
      />
      {mayChange && (
        <div class="form__actions">
          <Button kind="primary" type="submit" busy={busy}>
            {t.shell.save}
          </Button>
        </div>
      )}
    </form>
  );
}

// changesOf returns the changed fields, so that the audit log lists only real changes.
function changesOf(
  space: Workspace,
  next: { name: string; creditLimit: number | null; hosts: string; careful: boolean },
): Record<string, unknown> {
  const livePublish = next.careful ? 'admin' : 'member';
  const commandHosts = next.hosts.split(/\s+/).filter(Boolean);
  return {
    ...(next.name.trim() !== space.name ? { name: next.name } : {}),
    ...(next.creditLimit !== space.creditLimit ? { creditLimit: next.creditLimit } : {}),
    ...(commandHosts.join('\n') !== space.commandHosts.join('\n') ? { commandHosts } : {}),
    ...(livePublish !== space.livePublish ? { livePublish } : {}),
  };
}

function Deletion({ space }: { space: Workspace }) {
  const [asked, setAsked] = useState(false);
  const text = t.workspace.general;
  return (
    <>
      <p class="soft">{text.dangerText}</p>
      <div>
        <Button kind="danger" icon="trash" onClick={() => setAsked(true)}>
          {text.dangerConfirm}
        </Button>
      </div>
      {asked && <DeletionDialog space={space} onClose={() => setAsked(false)} />}
    </>
  );
}

// DeletionDialog asks the user to type the name, because a deletion is permanent.
function DeletionDialog({ space, onClose }: { space: Workspace; onClose: () => void }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const { busy, error, run } = useTask({ leaves: true });
  const text = t.workspace.general;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.delete(`/workspaces/${space.id}`);
      onClose();
      route('/dashboard');
      say(text.deleted(space.name));
      await reloadWorkspaces().catch(complain);
    });
  };
  return (
    <Dialog title={text.danger} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <p>{text.dangerText}</p>
        <TextField
          label={text.typeName(space.name)}
          autofocus
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="danger" type="submit" busy={busy} disabled={typed.trim() !== space.name.trim()}>
            {text.dangerConfirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
