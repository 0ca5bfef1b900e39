import { useState } from 'preact/hooks';

import type { Chat } from '~/api/types';
import { keysOf } from '~/app/shortcuts';
import { t } from '~/text';
import {
  ask,
  Button,
  complain,
  Dialog,
  Icon,
  IconButton,
  Menu,
  type MenuItem,
  Spinner,
  TextField,
  useTask,
} from '~/ui';
import { type Chats, titleOf } from './chats';

/** ChatMenu shows the title of the current chat and switches between chats. */
export function ChatMenu({ chats }: { chats: Chats }) {
  const [renaming, setRenaming] = useState<Chat | null>(null);
  const current = chats.current.value;
  const items: MenuItem[] = [
    ...chats.items.value.map((chat) => ({
      label: titleOf(chat),
      checked: chat.id === current?.id,
      hint: chat.running ? t.chat.running : undefined,
      onSelect: () => chats.show(chat),
    })),
    null,
    { label: t.chat.newChat, icon: 'add', onSelect: () => void chats.create(current?.mode ?? 'build').catch(complain) },
    { label: t.chat.rename, icon: 'edit', disabled: !current, onSelect: () => setRenaming(current!) },
    {
      label: t.chat.remove,
      icon: 'trash',
      danger: true,
      disabled: chats.items.value.length < 2,
      onSelect: () => void remove(chats, current!),
    },
  ];
  return (
    <header class="chat__head">
      <Menu label={t.chat.chats(titleOf(current))} items={items} small>
        <span class="chat__title">
          <bdi>{titleOf(current)}</bdi>
        </span>
        {current?.running && <Spinner />}
        <Icon name="down" />
      </Menu>
      <span class="chat__space" />
      <IconButton
        icon="add"
        label={t.chat.newChat}
        small
        onClick={() => void chats.create(current?.mode ?? 'build').catch(complain)}
      />
      {!chats.store.narrow.value && (
        <IconButton
          icon="pane"
          label={`${t.project.hideChat} (${keysOf('toggleChat')})`}
          small
          onClick={() => {
            chats.store.chatShown.value = false;
          }}
        />
      )}
      {renaming && <Rename chat={renaming} chats={chats} onClose={() => setRenaming(null)} />}
    </header>
  );
}

async function remove(chats: Chats, chat: Chat): Promise<void> {
  const sure = await ask({
    title: t.chat.removeTitle(titleOf(chat)),
    text: t.chat.removeText,
    confirm: t.shell.delete,
    danger: true,
  });
  if (sure) await chats.remove(chat).catch(complain);
}

function Rename({ chat, chats, onClose }: { chat: Chat; chats: Chats; onClose: () => void }) {
  const [title, setTitle] = useState(titleOf(chat));
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await chats.change(chat, { title: title.trim() });
      onClose();
    });
  };
  return (
    <Dialog title={t.chat.rename} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label={t.chat.title}
          value={title}
          required
          maxLength={200}
          autofocus
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t.shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
