import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Command, Workspace } from '~/api/types';
import { atLeast } from '~/app/session';
import { t } from '~/text';
import { ask, Button, complain, Dialog, Empty, Failure, Menu, Skeleton, say, TextArea, TextField, useTask } from '~/ui';

/** Commands shows the commands of the chat in a workspace. */
export function Commands({ space }: { space: Workspace }) {
  const path = `/workspaces/${space.id}/commands`;
  const list = useLoad(`commands ${space.id}`, (signal) => api.get<{ items: Command[] }>(path, { signal }));
  const [open, setOpen] = useState<Command | 'new' | null>(null);
  const mayWrite = atLeast(space.role, 'admin');
  const text = t.workspace.commands;
  const own = list.data?.items.filter(({ builtIn }) => !builtIn);
  const saved = (command: Command) => {
    say(open === 'new' ? text.created(command.name) : text.saved(command.name));
    setOpen(null);
    void list.reload();
  };
  const add = mayWrite && (
    <Button icon="add" onClick={() => setOpen('new')}>
      {text.add}
    </Button>
  );
  return (
    <>
      <section class="page__section" aria-label={text.own}>
        <div class="intro">
          <p class="soft">{text.hint}</p>
          {own && own.length > 0 && add}
        </div>
        {list.error && <Failure error={list.error} retry={list.reload} />}
        {!own && list.loading && <Skeleton height={58} />}
        {own?.length === 0 && (
          <div class="card">
            <Empty icon="terminal" title={text.none} actions={add}>
              {mayWrite ? text.noneHint : text.noneMember}
            </Empty>
          </div>
        )}
        {own && own.length > 0 && (
          <ul class="rows">
            {own.map((command) => (
              <CommandRow
                key={command.name}
                path={path}
                command={command}
                mayWrite={mayWrite}
                onEdit={() => setOpen(command)}
                onChange={list.reload}
              />
            ))}
          </ul>
        )}
      </section>
      {(own || list.error) && (
        <section class="page__section" aria-label={t.workspace.modes.builtIn}>
          <h2>{t.workspace.modes.builtIn}</h2>
          <ul class="rows">
            {(['plan', 'fix', 'check'] as const).map((name) => (
              <li key={name} class="row">
                <div class="row__main">
                  <strong>/{name}</strong>
                  <p class="row__note">{text.builtIns[name]}</p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {open && (
        <CommandForm
          path={path}
          command={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
          onSaved={saved}
        />
      )}
    </>
  );
}

interface CommandRowProps {
  path: string;
  command: Command;
  mayWrite: boolean;
  onEdit: () => void;
  onChange: () => Promise<void>;
}

function CommandRow({ path, command, mayWrite, onEdit, onChange }: CommandRowProps) {
  const text = t.workspace.commands;
  const name = `/${command.name}`;
  const remove = async () => {
    if (!(await ask({ title: text.removeTitle(name), text: text.removeText, confirm: t.shell.delete, danger: true })))
      return;
    await api.delete(`${path}/${command.name}`).then(() => say(text.removed(command.name)), complain);
    await onChange();
  };
  return (
    <li class="row">
      <div class="row__main">
        <strong>{name}</strong>
        <p class="row__note mode__prompt">
          <bdi>{command.description || command.text}</bdi>
        </p>
      </div>
      {mayWrite && (
        <Menu
          label={text.actionsFor(name)}
          items={[
            { label: text.edit, icon: 'edit', onSelect: onEdit },
            { label: t.shell.delete, icon: 'trash', danger: true, onSelect: () => void remove() },
          ]}
        />
      )}
    </li>
  );
}

interface CommandFormProps {
  path: string;
  /** command is the command to edit; without it, the form creates one. */
  command?: Command;
  onClose: () => void;
  onSaved: (command: Command) => void;
}

function CommandForm({ path, command, onClose, onSaved }: CommandFormProps) {
  const [name, setName] = useState(command?.name ?? '');
  const [description, setDescription] = useState(command?.description ?? '');
  const [words, setWords] = useState(command?.text ?? '');
  const { busy, error, run } = useTask({ leaves: true });
  const text = t.workspace.commands;
  const submit = (event: Event) => {
    event.preventDefault();
    const body = { name: name.trim().replace(/^\//, ''), description: description.trim(), text: words };
    void run(async () =>
      onSaved(
        command ? await api.patch<Command>(`${path}/${command.name}`, body) : await api.post<Command>(path, body),
      ),
    );
  };
  return (
    <Dialog title={command ? text.editTitle(`/${command.name}`) : text.add} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={text.name}
          hint={text.nameHint}
          required
          autofocus
          maxLength={31}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={text.description}
          hint={text.descriptionHint}
          maxLength={200}
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
        <TextArea
          label={text.text}
          hint={text.textHint}
          required
          maxLength={10_000}
          rows={6}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {command ? t.shell.save : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
