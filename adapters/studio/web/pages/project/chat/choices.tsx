import { api } from '~/api/client';
import type { Mode, Model, Provider } from '~/api/types';
import { type Command, useCommands } from '~/app/commands';
import { modelNotes } from '~/pages/model-notes';
import { t } from '~/text';
import { complain, Icon, Menu, type MenuItem } from '~/ui';
import type { Chats } from './chats';
import { useOnce } from './once';
import type { Choice } from './queue';

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

interface Offer {
  group: string;
  models: { id: string; notes?: string; choice: Choice }[];
  failed?: boolean;
}

/** ModelChoice selects the model of the project's chats. */
export function ModelChoice({ chats }: { chats: Chats }) {
  const wid = chats.store.project.value.workspaceId;
  return <ModelMenu wid={wid} choice={chats.choice.value} choose={(choice) => chats.choose(choice)} subscriptions />;
}

interface ModelMenuProps {
  wid: string;
  choice: Choice;
  choose: (choice: Choice) => void;
  /** subscriptions offers the user's own as well. */
  subscriptions?: boolean;
}

/** ModelMenu offers the models of a workspace. */
export function ModelMenu({ wid, choice, choose, subscriptions }: ModelMenuProps) {
  const offers = useOnce<Offer[] | null>(async () => {
    const all = await offersOf(wid);
    return subscriptions ? all : all.filter(({ models }) => !models.some((model) => model.choice.provider));
  }, null);
  const items: MenuItem[] = [
    { label: t.chat.defaultModel, checked: !choice.model && !choice.provider, onSelect: () => choose({}) },
    ...(offers.data ?? []).flatMap((offer): MenuItem[] => [
      null,
      offer.group,
      ...offer.models.map((model) => ({
        label: model.id,
        hint: model.notes,
        checked: model.choice.model === choice.model && model.choice.provider === choice.provider,
        onSelect: () => choose(model.choice),
      })),
      ...(offer.failed ? [{ label: t.chat.noModels, disabled: true }] : []),
    ]),
    ...(offers.data === null ? [{ label: t.shell.loading, disabled: true }] : []),
  ];
  useCommands(
    'models',
    items.flatMap((item): Command[] =>
      item && typeof item === 'object' && item.onSelect && !item.checked
        ? [{ name: t.chat.model(item.label), hint: item.hint, group: 'models', run: item.onSelect } as Command]
        : [],
    ),
    { opened: offers.load },
  );
  const shown =
    choice.provider === 'own' ? t.chat.ownSubscription : (choice.model?.replace(/^[^/]*\//, '') ?? t.chat.defaultModel);
  return (
    <span onPointerEnter={offers.load} onFocusIn={offers.load}>
      <Menu label={t.chat.model(shown)} items={items} small>
        <span class="composer__choice">{shown}</span>
      </Menu>
    </span>
  );
}

async function offersOf(wid: string): Promise<Offer[]> {
  const [{ items: providers }, { items: subscriptions }] = await Promise.all([
    api.get<{ items: Provider[] }>(`/workspaces/${wid}/ai-providers`),
    api.get<{ items: { id: string; name: string }[] }>('/users/me/ai-providers'),
  ]);
  const offers = await Promise.all(
    providers.map(async (provider): Promise<Offer> => {
      try {
        const { items } = await api.get<{ items: Model[] }>(`/workspaces/${wid}/ai-providers/${provider.id}/models`);
        return {
          group: provider.name,
          models: items.map((model) => ({
            id: model.id,
            notes: modelNotes(model).join(' · '),
            choice: { model: `${provider.id}/${model.id}` },
          })),
        };
      } catch {
        return { group: provider.name, models: [], failed: true };
      }
    }),
  );
  const own = subscriptions.map(
    ({ name }): Offer => ({ group: t.chat.ownSubscription, models: [{ id: name, choice: { provider: 'own' } }] }),
  );
  return [...offers, ...own];
}
