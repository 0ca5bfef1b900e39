import Table from 'lucide/dist/esm/icons/table-2.mjs';
import { useState } from 'preact/hooks';

import type { DataCollection, DataEnv } from '~/api/types';
import { number, t } from '~/text';
import { ask, Button, complain, Icon, type IconName, Menu, type MenuItem } from '~/ui';
import type { DataDesk, View } from './desk';
import { ProposalDialog } from './proposal-dialog';
import { storedIn } from './sizes';
import { schemaPath, seedPath } from './sources';
import { toolsOf } from './tools';

/** Side selects the environment and the view. */
export function Side({ desk }: { desk: DataDesk }) {
  const environment = desk.environment.value;
  return (
    <div class="data__side">
      <Environments desk={desk} />
      <nav class="data__list" aria-label={t.data.collections}>
        <ul>
          {desk.collections.value.map((one) => (
            <li key={one.name}>
              <Entry
                desk={desk}
                view={{ kind: 'records', collection: one.name }}
                icon={iconOf(one)}
                label={one.name}
                note={environment?.counts[one.name]}
              />
            </li>
          ))}
        </ul>
        <ul>
          {toolsOf(desk.env.value).map(({ name, icon, label }) => (
            <li key={name}>
              <Entry desk={desk} view={{ kind: name }} icon={icon} label={label()} />
            </li>
          ))}
        </ul>
      </nav>
      <div class="data__foot">
        {environment && <p class="faint small">{storedIn(environment)}</p>}
        <Manage desk={desk} />
      </div>
    </div>
  );
}

function iconOf({ type }: DataCollection): IconName {
  return type === 'auth' ? 'people' : type === 'view' ? 'eye' : Table;
}

function Environments({ desk }: { desk: DataDesk }) {
  const choose = (env: DataEnv) => {
    desk.env.value = env;
    const view = desk.view.peek();
    const isThere = view === null || view.kind === 'records' || toolsOf(env).some(({ name }) => name === view.kind);
    if (!isThere) desk.view.value = null;
  };
  return (
    <div class="data__envs" role="group" aria-label={t.data.environments}>
      {(['test', 'live'] as const).map((env) => (
        <button
          key={env}
          type="button"
          class={`data__env data__env--${env}`}
          aria-pressed={desk.env.value === env}
          title={t.data.envHints[env]}
          onClick={() => choose(env)}
        >
          {t.data.envs[env]}
        </button>
      ))}
    </div>
  );
}

interface EntryProps {
  desk: DataDesk;
  view: View;
  icon: IconName;
  label: string;
  note?: number;
}

function Entry({ desk, view, icon, label, note }: EntryProps) {
  const shown = desk.view.value;
  const isShown =
    shown?.kind === view.kind && (view.kind !== 'records' || (shown as typeof view).collection === view.collection);
  return (
    <button
      type="button"
      class="data__entry"
      aria-current={isShown ? 'true' : undefined}
      onClick={() => {
        desk.view.value = view;
      }}
    >
      <Icon name={icon} />
      <bdi class="data__name">{label}</bdi>
      {note !== undefined && (
        <span class="data__count" title={t.data.records(note)}>
          {number(note)}
        </span>
      )}
    </button>
  );
}

// Manage offers actions on the data as a whole.
function Manage({ desk }: { desk: DataDesk }) {
  const { store } = desk;
  const [bringing, setBringing] = useState(false);
  const hasSeed = store.files.value.some(({ path }) => path === seedPath);
  const reset = async (seed: boolean) => {
    const sure = await ask({
      title: t.data.resetTitle,
      text: seed ? t.data.resetSeedText : t.data.resetText,
      confirm: t.data.reset,
      danger: true,
    });
    if (sure) await desk.reset(seed);
  };
  const resets: MenuItem[] = [
    ...(hasSeed
      ? [{ label: t.data.resetSeed, icon: 'restore' as const, onSelect: () => void reset(true).catch(complain) }]
      : []),
    { label: t.data.resetEmpty, icon: 'trash', danger: true, onSelect: () => void reset(false).catch(complain) },
  ];
  return (
    <div class="data__manage">
      {desk.backend.value?.enabled && (
        <Button small kind="quiet" icon="code" onClick={() => store.openFile({ path: schemaPath })}>
          {t.data.schema}
        </Button>
      )}
      {desk.env.value === 'test' && (
        <Button small kind="quiet" icon="upload" onClick={() => setBringing(true)}>
          {t.data.bringTables}
        </Button>
      )}
      {bringing && <ProposalDialog store={store} onClose={() => setBringing(false)} />}
      {desk.env.value === 'test' && desk.backend.value?.enabled && (
        <Menu label={t.data.reset} items={resets} small>
          <Icon name="restore" />
          {t.data.reset}
        </Menu>
      )}
      <Button
        small
        kind="quiet"
        icon="info"
        onClick={() => {
          desk.explaining.value = true;
        }}
      >
        {t.data.explained}
      </Button>
    </div>
  );
}
