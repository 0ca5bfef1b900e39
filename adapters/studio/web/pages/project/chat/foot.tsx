import { me } from '~/app/session';
import { t } from '~/text';
import { complain, IconButton, say, useTask } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import { UsageView } from './end';
import { answerOf, type Turn, versionsOf } from './log';
import { readPictures } from './pictures';
import type { Picture } from './queue';

interface FootProps {
  turn: Turn;
  chats: Chats;
  conversation: Conversation;
  isLast: boolean;
}

/**
 * Foot has what a user can do with a finished turn: copy the answer, and of their own last
 * message, send it again or change it first. It also shows what the run cost.
 */
export function Foot({ turn, chats, conversation, isLast }: FootProps) {
  const { busy, run } = useTask({ onError: complain });
  const answer = answerOf(turn);
  const mine =
    isLast &&
    turn.by === me.value?.user.id &&
    turn.text !== '' &&
    turn.allowed === null &&
    chats.store.live.state.value !== 'lost';
  const copy = () => run(async () => navigator.clipboard.writeText(answer).then(() => say(t.chat.copied)));
  const again = () =>
    run(async () =>
      conversation.ask(turn.text, await picturesOf(turn, conversation), chats.choice.value, turn.references),
    );
  const rewrite = () =>
    run(async () => {
      const pictures = await picturesOf(turn, conversation);
      const { text, references } = turn;
      chats.draft.value = { chatId: conversation.chatId, text, pictures, references, made: versionsOf(turn) };
    });
  return (
    <div class={isLast ? 'turn__foot turn__foot--last' : 'turn__foot'}>
      {answer && <IconButton icon="copy" label={t.chat.copyAnswer} small onClick={() => void copy()} />}
      {mine && !conversation.running.value && (
        <>
          {turn.end?.kind === 'complete' && (
            <IconButton icon="reload" label={t.chat.again} small busy={busy} onClick={() => void again()} />
          )}
          <IconButton icon="edit" label={t.chat.rewrite} small busy={busy} onClick={() => void rewrite()} />
        </>
      )}
      {turn.usage && <UsageView usage={turn.usage} />}
    </div>
  );
}

// picturesOf loads the images of a message, to send them again.
async function picturesOf(turn: Turn, conversation: Conversation): Promise<Picture[]> {
  const files = await Promise.all(
    turn.attachments.map(async (attachment) => {
      const answer = await fetch(conversation.imageAt(attachment));
      if (!answer.ok) throw new Error(t.chat.imageGone);
      const name = `${t.chat.picture}.${attachment.mediaType.replace('image/', '')}`;
      return new File([await answer.blob()], name, { type: attachment.mediaType });
    }),
  );
  return (await readPictures(files, 0)).pictures;
}
