import { t } from '~/text';
import { Button, Icon, IconButton } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import type { Waiting } from './queue';

/** QueueView shows the messages that wait for the agent. */
export function QueueView({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  const waiting = conversation.queue.items.value.filter((item) => !isLeaving(item, conversation));
  if (waiting.length === 0) return null;
  const edit = (item: Waiting) => {
    chats.draft.value = {
      chatId: conversation.chatId,
      text: item.text,
      pictures: conversation.queue.picturesOf(item),
      references: item.references ?? [],
    };
    conversation.queue.remove(item.id);
  };
  return (
    <section class="queue" aria-label={t.chat.waiting(waiting.length)}>
      <p class="queue__title">
        <Icon name="clock" />
        {t.chat.waiting(waiting.length)}
      </p>
      <ol>
        {waiting.map((item) => (
          <li key={item.id} class="queue__item">
            <div class="queue__text">
              <p dir="auto">{item.text}</p>
              {item.images > 0 && <p class="faint small">{t.chat.withImages(item.images)}</p>}
              {item.error && (
                <p class="queue__error" role="alert">
                  {wordsOf(item.error)}
                </p>
              )}
            </div>
            {item.error && item.error !== 'images' && (
              <Button small onClick={() => conversation.retry(item.id)}>
                {t.chat.sendNow}
              </Button>
            )}
            <IconButton icon="edit" label={t.chat.edit} small onClick={() => edit(item)} />
            <IconButton
              icon="close"
              label={t.chat.removeWaiting}
              small
              onClick={() => conversation.queue.remove(item.id)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** isLeaving reports whether a message is being sent. */
export function isLeaving(item: Waiting, conversation: Conversation): boolean {
  if (item.error) return false;
  const isHead = conversation.queue.items.value[0]?.id === item.id;
  return item.sending !== undefined || (isHead && !conversation.running.value && conversation.loaded.value);
}

function wordsOf(error: string): string {
  if (error === 'images') return t.chat.imagesLost;
  return error === 'left' ? t.chat.leftWhileSending : error;
}
