import { useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { keysOf } from '~/app/shortcuts';
import { t } from '~/text';
import { Button, complain, Icon, IconButton, type IconName, Tabs, useFocusOnMount, useTask } from '~/ui';
import { About } from './about';
import { type PaneName, type ProjectStore, panesFor } from './store';

export const icons: Record<PaneName, IconName> = {
  preview: 'eye',
  code: 'code',
  data: 'database',
  versions: 'history',
  publish: 'publish',
};

/** ProjectName shows the project's name, editable in place, with its menu and visibility. */
export function ProjectName({ store }: { store: ProjectStore }) {
  const [editing, setEditing] = useState(false);
  const { name } = store.project.value;
  return (
    <div class="project-name">
      {editing ? (
        <NameField store={store} onDone={() => setEditing(false)} />
      ) : store.canEdit.value && !store.project.value.copyOf ? (
        <h1 class="project-name__text">
          <button type="button" class="project-name__button" title={t.project.rename} onClick={() => setEditing(true)}>
            <bdi>{name}</bdi>
          </button>
        </h1>
      ) : (
        <h1 class="project-name__text">
          <bdi>{name}</bdi>
        </h1>
      )}
      <About store={store} onRename={() => setEditing(true)} />
      {!store.canEdit.value && (
        <span class="badge" title={t.project.readOnlyHint}>
          {t.project.readOnly}
        </span>
      )}
    </div>
  );
}

function NameField({ store, onDone }: { store: ProjectStore; onDone: () => void }) {
  const [name, setName] = useState(store.project.value.name);
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const field = useFocusOnMount<HTMLInputElement>();
  const over = useRef(false);
  const save = async () => {
    if (over.current || busy) return;
    const wanted = name.trim();
    if (wanted === '' || wanted === store.project.value.name) return onDone();
    await run(async () => {
      store.project.value = await api.patch<Project>(`/projects/${store.id}`, { name: wanted });
      onDone();
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    over.current = true;
    onDone();
  };
  return (
    <form
      class="project-name__form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={field}
        class="input"
        value={name}
        maxLength={100}
        readOnly={busy}
        aria-label={t.project.name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={onKey}
        onBlur={() => void save()}
      />
    </form>
  );
}

/** PaneBar switches panes in the top bar on wide screens. */
export function PaneBar({ store }: { store: ProjectStore }) {
  if (store.narrow.value) return null;
  const member = store.canEdit.value;
  const items = panesFor(member, store.project.value.copyOf !== undefined)
    .filter((name) => name !== 'publish')
    .map((name) => ({ name, label: t.project.panes[name], icon: icons[name] }));
  return (
    <>
      {member && !store.chatShown.value && (
        <IconButton
          icon="chat"
          label={`${t.project.showChat} (${keysOf('toggleChat')})`}
          onClick={() => {
            store.chatShown.value = true;
          }}
        />
      )}
      <Tabs<PaneName>
        label={t.project.views}
        items={items}
        current={store.pane.value}
        panel="pane"
        onChange={(name) => store.show(name)}
      />
      {member && !store.project.value.copyOf && (
        <Button
          kind="primary"
          icon="publish"
          aria-pressed={store.pane.value === 'publish'}
          onClick={() => store.show('publish')}
        >
          {t.project.panes.publish}
        </Button>
      )}
    </>
  );
}

/** BottomBar switches panes on phones. */
export function BottomBar({ store }: { store: ProjectStore }) {
  const member = store.canEdit.value;
  const chat = member && store.chatShown.value;
  return (
    <nav class="bottom-bar" aria-label={t.project.views}>
      {member && (
        <Choice
          icon="chat"
          label={t.project.chat}
          current={chat}
          onChoose={() => {
            store.chatShown.value = true;
          }}
        />
      )}
      {panesFor(member, store.project.value.copyOf !== undefined).map((name) => (
        <Choice
          key={name}
          icon={icons[name]}
          label={name === 'publish' ? t.project.publishShort : t.project.panes[name]}
          current={!chat && store.pane.value === name}
          changed={name === 'preview' && store.view.changed.value}
          onChoose={() => store.show(name)}
        />
      ))}
    </nav>
  );
}

function Choice({
  icon,
  label,
  current,
  changed,
  onChoose,
}: {
  icon: IconName;
  label: string;
  current: boolean;
  changed?: boolean;
  onChoose: () => void;
}) {
  return (
    <button type="button" class="bottom-bar__choice" aria-current={current ? 'true' : undefined} onClick={onChoose}>
      <Icon name={icon} size={20} />
      <span>{label}</span>
      {changed && (
        <i class="bottom-bar__mark">
          <span class="visually-hidden">, {t.project.pageChanged}</span>
        </i>
      )}
    </button>
  );
}
