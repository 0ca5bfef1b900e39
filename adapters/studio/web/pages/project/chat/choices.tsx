import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Mode } from '~/api/types';
import { type Command, useCommands } from '~/app/commands';
import { useDeferred } from '~/app/deferred';
import { useDefaultKind } from '~/pages/default-kind';
import { t } from '~/text';
import { Button, complain, Icon, Menu, type MenuItem } from '~/ui';
import type { Chats } from './chats';
import type { Offer } from './offer';
import { offersOf } from './offers';
import { useOnce } from './once';
import { type Choice, thoughts } from './queue';

const modes = ['build', 'plan', 'chat'] as const;

/** ModeChoice selects the agent's mode of the current chat. */
export function ModeChoice({ chats }: { chats: Chats }) {
  const chat = chats.current.value;
  const choose = (name: string) => {
    if (chat) void chats.change(chat, { mode: name }).catch(complain);
  };
  return <ModeMenu wid={chats.store.project.value.workspaceId} mode={chat?.mode ?? 'build'} choose={choose} />;
}

interface ModeMenuProps {
  wid: string;
  mode: string;
  choose: (name: string) => void;
}

/** ModeMenu offers the modes of a workspace. */
export function ModeMenu({ wid, mode, choose }: ModeMenuProps) {
  const own = useOnce<Mode[]>(async () => (await api.get<{ items: Mode[] }>(`/workspaces/${wid}/modes`)).items, []);
  const others = [...new Set([...own.data.map(({ name }) => name), ...(isBuiltIn(mode) ? [] : [mode])])];
  const items: MenuItem[] = [
    ...modes.map((name) => ({
      label: t.chat.modes[name],
      hint: t.chat.modeHints[name],
      checked: name === mode,
      onSelect: () => choose(name),
    })),
    ...(others.length > 0 ? [null, t.chat.ownModes] : []),
    ...others.map((name) => ({ label: name, checked: name === mode, onSelect: () => choose(name) })),
  ];
  return (
    <span onPointerEnter={own.load} onFocusIn={own.load}>
      <Menu label={t.chat.mode(nameOf(mode))} items={items} small>
        <Icon name={mode === 'plan' ? 'plan' : mode === 'chat' ? 'chat' : 'bolt'} />
        <span class="composer__choice">{nameOf(mode)}</span>
      </Menu>
    </span>
  );
}

function isBuiltIn(mode: string): mode is (typeof modes)[number] {
  return (modes as readonly string[]).includes(mode);
}

function nameOf(mode: string): string {
  return isBuiltIn(mode) ? t.chat.modes[mode] : mode;
}

const loadPicker = () => import('./model-picker');

/** ModelChoice selects the model of the project's chats. */
export function ModelChoice({ chats }: { chats: Chats }) {
  const wid = chats.store.project.value.workspaceId;
  const choose = (choice: Choice) => chats.choose(choice);
  return (
    <>
      <ModelMenu wid={wid} choice={chats.choice.value} choose={choose} subscriptions />
      <ThinkingMenu wid={wid} choice={chats.choice.value} choose={choose} />
    </>
  );
}

/** ThinkingMenu selects how much the model thinks. The demo does not think. */
export function ThinkingMenu({ wid, choice, choose }: Omit<ModelMenuProps, 'subscriptions'>) {
  const kind = useDefaultKind(wid);
  if (kind === undefined || (kind === 'demo' && !choice.model && !choice.provider)) return null;
  const { thinking, ...rest } = choice;
  const words = t.chat.thinkingMenu;
  const shown = words.amounts[thinking ?? 'auto'];
  return (
    <Menu
      label={words.label(shown)}
      small
      items={[
        { label: words.amounts.auto, hint: words.autoHint, checked: !thinking, onSelect: () => choose(rest) },
        ...thoughts.map((amount) => ({
          label: words.amounts[amount],
          checked: thinking === amount,
          onSelect: () => choose({ ...rest, thinking: amount }),
        })),
      ]}
    >
      <Icon name="clock" />
      {thinking && <span class="composer__choice">{shown}</span>}
    </Menu>
  );
}

interface ModelMenuProps {
  wid: string;
  choice: Choice;
  choose: (choice: Choice) => void;
  /** subscriptions offers the user's own as well. */
  subscriptions?: boolean;
}

/** ModelMenu names the model that will answer, and opens the list of a workspace's models. */
export function ModelMenu({ wid, choice, choose, subscriptions = false }: ModelMenuProps) {
  const [open, setOpen] = useState(false);
  const [near, setNear] = useState(false);
  const Picker = useDeferred(loadPicker, near || open);
  const kind = useDefaultKind(wid);
  const offers = useOnce<Offer[] | null>(() => offersOf(wid, subscriptions), null);
  const prepare = () => {
    offers.load();
    setNear(true);
  };
  useCommands(
    'models',
    (offers.data ?? []).flatMap(({ name, notes: hint, choice: offered }): Command[] =>
      offered && !(offered.model === choice.model && offered.provider === choice.provider)
        ? [{ name: t.chat.model(name), hint, group: 'models', run: () => choose(withThinking(offered, choice)) }]
        : [],
    ),
    { opened: offers.load },
  );
  const standard = kind === 'demo' ? t.chat.demo : t.chat.defaultModel;
  const shown =
    choice.provider === 'own' ? t.chat.ownSubscription : (choice.model?.replace(/^[^/]*\//, '') ?? standard);
  return (
    <span onPointerEnter={prepare} onFocusIn={prepare}>
      <Button
        kind="quiet"
        small
        aria-label={t.chat.model(shown)}
        aria-haspopup="dialog"
        data-tip={t.chat.model(shown)}
        onClick={() => {
          prepare();
          setOpen(true);
        }}
      >
        <span class="composer__choice">{shown}</span>
      </Button>
      {open && Picker && (
        <Picker
          wid={wid}
          offers={offers.data}
          choice={choice}
          choose={(offered) => choose(withThinking(offered, choice))}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

// withThinking keeps the amount of thinking when another model is chosen.
function withThinking(offered: Choice, { thinking }: Choice): Choice {
  return { ...offered, ...(thinking && { thinking }) };
}
