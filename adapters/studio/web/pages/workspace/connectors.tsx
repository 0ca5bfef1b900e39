import Plug from 'lucide/dist/esm/icons/plug.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Connector, Workspace } from '~/api/types';
import { isolate, sentence, t } from '~/text';
import { ask, Button, complain, Empty, Failure, Menu, Skeleton, say, useTask } from '~/ui';
import { ConnectorForm } from './connector-form';
import { ConnectorTools } from './connector-tools';

/** Connectors shows the programs whose tools the agent of a workspace may use. */
export function Connectors({ space }: { space: Workspace }) {
  const path = `/workspaces/${space.id}/connectors`;
  const list = useLoad(`connectors ${space.id}`, (signal) => api.get<{ items: Connector[] }>(path, { signal }));
  const [open, setOpen] = useState<Connector | 'new' | null>(null);
  // tools is the id of the connector whose tools are shown.
  const [tools, setTools] = useState('');
  const text = t.workspace.connectors;
  const items = list.data?.items;
  const saved = async (connector: Connector) => {
    say(open === 'new' ? text.created : text.saved);
    setOpen(null);
    await list.reload();
    const moved = open !== null && open !== 'new' && open.url !== connector.url;
    if ((open === 'new' || moved) && !connector.problem) setTools(connector.id);
  };
  const add = (
    <Button icon="add" onClick={() => setOpen('new')}>
      {text.add}
    </Button>
  );
  const shown = items?.find(({ id }) => id === tools);
  return (
    <section class="page__section" aria-label={t.workspace.sections.connectors}>
      <div class="intro">
        <p class="soft">{text.hint}</p>
        {items && items.length > 0 && add}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={58} />}
      {items?.length === 0 && (
        <div class="card">
          <Empty icon={Plug} title={text.none} actions={add}>
            {text.noneHint}
          </Empty>
        </div>
      )}
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((connector) => (
            <ConnectorRow
              key={connector.id}
              path={path}
              connector={connector}
              onEdit={() => setOpen(connector)}
              onTools={() => setTools(connector.id)}
              onChange={list.reload}
            />
          ))}
        </ul>
      )}
      {open && (
        <ConnectorForm
          path={path}
          connector={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
          onSaved={(connector) => void saved(connector)}
        />
      )}
      {shown && <ConnectorTools path={path} connector={shown} onChange={list.reload} onClose={() => setTools('')} />}
    </section>
  );
}

interface ConnectorRowProps {
  path: string;
  connector: Connector;
  onEdit: () => void;
  onTools: () => void;
  onChange: () => Promise<void>;
}

function ConnectorRow({ path, connector, onEdit, onTools, onChange }: ConnectorRowProps) {
  const { busy, run } = useTask({ onError: complain });
  const text = t.workspace.connectors;
  const { id, name } = connector;
  const refresh = () =>
    run(async () => {
      const found = await api.post<Connector>(`${path}/${id}/refresh`);
      if (!found.problem) say(text.refreshed);
      await onChange();
    });
  const remove = async () => {
    const title = text.removeTitle(isolate(name));
    if (!(await ask({ title, text: text.removeText, confirm: t.shell.delete, danger: true }))) return;
    await api.delete(`${path}/${id}`).then(() => say(text.removed(isolate(name))), complain);
    await onChange();
  };
  return (
    <li class="row hook">
      <div class="row__main">
        <div>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          <State connector={connector} />
        </div>
        <p class="row__note hook__url">
          <bdi>{new URL(connector.url).host}</bdi>
        </p>
        {connector.problem && (
          <p class="row__note" dir="auto">
            {sentence(connector.problem)}
          </p>
        )}
      </div>
      <Button small icon="list" aria-label={text.toolsOf(name)} onClick={onTools}>
        {text.tools}
      </Button>
      <Menu
        label={text.actionsFor(name)}
        items={[
          { label: text.refresh, icon: 'reload', disabled: busy, onSelect: () => void refresh() },
          { label: text.edit, icon: 'edit', onSelect: onEdit },
          { label: t.shell.delete, icon: 'trash', danger: true, onSelect: () => void remove() },
        ]}
      />
    </li>
  );
}

function State({ connector: { tools, problem } }: { connector: Connector }) {
  const text = t.workspace.connectors;
  const count = (state: string) => tools.filter((tool) => tool.state === state).length;
  return (
    <>
      {problem && <span class="badge badge--danger">{text.unreachable}</span>}{' '}
      <span class="badge">{text.allowed(count('on'))}</span>{' '}
      {count('changed') > 0 && <span class="badge badge--warning">{text.changed(count('changed'))}</span>}{' '}
      {count('gone') > 0 && <span class="badge badge--warning">{text.gone(count('gone'))}</span>}
    </>
  );
}
