import { t } from '~/text';
import { Button, Icon } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import type { Question } from './events';
import { plain } from './plain';

interface QuestionProps {
  question: Question;
  chats: Chats;
  conversation: Conversation;
  /** open is whether the question waits for an answer. */
  open: boolean;
}

/** QuestionView shows what the agent asks. A choice is sent like a message. */
export function QuestionView({ question, chats, conversation, open }: QuestionProps) {
  const waiting =
    open &&
    !conversation.running.value &&
    conversation.queue.items.value.length === 0 &&
    chats.store.live.state.value !== 'lost';
  return (
    <section class="question" aria-label={t.chat.question}>
      <p class="question__text" dir="auto">
        <Icon name="chat" />
        <strong>{plain(question.text)}</strong>
      </p>
      {open && (
        <>
          <div class="question__choices">
            {question.choices.map((choice) => (
              <Button key={choice} disabled={!waiting} onClick={() => conversation.ask(choice, [], chats.choice.value)}>
                <bdi>{plain(choice)}</bdi>
              </Button>
            ))}
          </div>
          <p class="faint small">{t.chat.questionHint}</p>
        </>
      )}
    </section>
  );
}
