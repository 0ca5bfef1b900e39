import Brush from 'lucide/dist/esm/icons/brush.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Mode, Workspace } from '~/api/types';
import { atLeast } from '~/app/session';
import { t } from '~/text';
import { ask, Button, complain, Empty, Failure, Icon, Menu, Skeleton, say } from '~/ui';
import { ModeForm } from './mode-form';

/** Modes shows the agent's modes in a workspace. */
export function Modes({ space }: { space: Workspace }) {
  const path = `/workspaces/${space.id}/modes`;
  const list = useLoad(`modes ${space.id}`, (signal) => api.get<{ items: Mode[] }>(path, { signal }));
  const [open, setOpen] = useState<Mode | 'new' | null>(null);
  const mayWrite = atLeast(space.role, 'admin');
  const text = t.workspace.modes;
  const items = list.data?.items;
  const saved = (mode: Mode) => {
    say(open === 'new' ? text.created(mode.name) : text.saved(mode.name));
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
          {items && items.length > 0 && add}
        </div>
        {list.error && <Failure error={list.error} retry={list.reload} />}
        {!items && list.loading && <Skeleton height={58} />}
        {items?.length === 0 && (
          <div class="card">
            <Empty icon={Brush} title={text.none} actions={add}>
              {mayWrite ? text.noneHint : text.noneMember}
            </Empty>
          </div>
        )}
        {items && items.length > 0 && (
          <ul class="rows">
            {items.map((mode) => (
              <ModeRow
                key={mode.name}
                path={path}
                mode={mode}
                mayWrite={mayWrite}
                onEdit={() => setOpen(mode)}
                onChange={list.reload}
              />
            ))}
          </ul>
        )}
      </section>
      {(items || list.error) && <BuiltIn />}
      {open && (
        <ModeForm
          workspaceId={space.id}
          mode={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
          onSaved={saved}
        />
      )}
    </>
  );
}

interface ModeRowProps {
  path: string;
  mode: Mode;
  mayWrite: boolean;
  onEdit: () => void;
  onChange: () => Promise<void>;
}

function ModeRow({ path, mode, mayWrite, onEdit, onChange }: ModeRowProps) {
  const text = t.workspace.modes;
  const remove = async () => {
    if (!(await ask({ title: text.removeTitle(mode.name), text: text.removeText, confirm: text.remove, danger: true })))
      return;
    await api.delete(`${path}/${encodeURIComponent(mode.name)}`).then(() => say(text.removed(mode.name)), complain);
    await onChange();
  };
  return (
    <li class="row">
      <div class="row__main">
        <strong>
          <bdi>{mode.name}</bdi>
        </strong>
        <p class="row__note mode__prompt">
          <bdi>{mode.prompt}</bdi>
        </p>
      </div>
      <span class="badge" title={mode.tools.map((tool) => text.toolWords[tool] ?? tool).join(', ') || text.noTools}>
        {text.toolCount(mode.tools.length)}
      </span>
      {mayWrite && (
        <Menu
          label={text.actionsFor(mode.name)}
          items={[
            { label: text.edit, icon: 'edit', onSelect: onEdit },
            { label: text.remove, icon: 'trash', danger: true, onSelect: () => void remove() },
          ]}
        />
      )}
    </li>
  );
}

function BuiltIn() {
  const text = t.workspace.modes;
  const icons = { build: 'bolt', plan: 'plan', chat: 'chat' } as const;
  return (
    <section class="page__section" aria-label={text.builtIn}>
      <h2>{text.builtIn}</h2>
      <ul class="rows">
        {(['build', 'plan', 'chat'] as const).map((name) => (
          <li key={name} class="row">
            <span class="option__icon">
              <Icon name={icons[name]} />
            </span>
            <div class="row__main">
              <strong>{text.builtIns[name].name}</strong>
              <p class="row__note">{text.builtIns[name].hint}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
