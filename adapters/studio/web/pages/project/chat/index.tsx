import { useEffect, useMemo } from 'preact/hooks';

import { useCommands } from '~/app/commands';
import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { complain, Failure, Loading } from '~/ui';
import type { ProjectStore } from '../store';
import { Chats, titleOf } from './chats';
import { Composer } from './composer';
import type { Conversation } from './conversation';
import { LogView } from './logview';
import { ChatMenu } from './menu';
import { QueueView } from './queueview';
import { useRunEffects } from './runeffects';

/** Chat is the conversation with the agent. */
export function Chat({ store }: { store: ProjectStore }) {
  const chats = useMemo(() => new Chats(store), []);
  useEffect(() => chats.begin(), []);
  useRunEffects(chats);
  const conversation = chats.conversation.value;
  const running = conversation?.running.value ?? false;
  const question = store.question.value;
  const proposal = store.proposal.value;

  // Other panes leave a message to send or a text to edit in the store.
  useEffect(() => {
    if (question === null || !conversation) return;
    store.question.value = null;
    conversation.ask(question.text, [], {}, question.references);
  }, [question, conversation]);
  useEffect(() => {
    if (proposal === null || !conversation) return;
    store.proposal.value = null;
    chats.draft.value = { chatId: conversation.chatId, pictures: [], ...proposal };
  }, [proposal, conversation]);
  useCommands('chat', [
    { name: t.chat.newChat, icon: 'add', key: 'newChat', run: () => void chats.create('build').catch(complain) },
    ...chats.items.value
      .filter((chat) => chat.id !== conversation?.chatId)
      .map((chat) => ({
        name: titleOf(chat),
        icon: 'chat' as const,
        group: 'chats' as const,
        run: () => chats.show(chat),
      })),
    ...(running
      ? [
          {
            name: t.chat.stop,
            icon: 'stop' as const,
            shortcut: 'stop' as const,
            run: () => void conversation!.stop().catch(complain),
          },
        ]
      : []),
  ]);
  useShortcuts({ stop: running ? () => void conversation!.stop().catch(complain) : null });
  return (
    <section class="chat" aria-label={t.chat.chat}>
      <ChatMenu chats={chats} />
      {chats.failure.value ? (
        <Failure error={chats.failure.value} retry={() => void chats.load()} />
      ) : conversation ? (
        <Room key={conversation.chatId} chats={chats} conversation={conversation} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function Room({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  return (
    <>
      <LogView chats={chats} conversation={conversation} />
      <QueueView chats={chats} conversation={conversation} />
      <Composer chats={chats} conversation={conversation} />
    </>
  );
}
