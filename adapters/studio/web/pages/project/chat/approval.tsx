import { isolate, t } from '~/text';
import { Banner, Button, complain, Icon, useTask } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import type { ApprovalRequest } from './events';
import { plain } from './plain';

interface ApprovalProps {
  request: ApprovalRequest;
  chats: Chats;
  conversation: Conversation;
  /** open is whether the request waits for an answer. */
  open: boolean;
  /** lapsed is whether the person wrote something else instead of an answer. */
  lapsed: boolean;
}

/** ApprovalView asks whether the agent may call a tool of another program, once. */
export function ApprovalView({ request, chats, conversation, open, lapsed }: ApprovalProps) {
  const { busy, run } = useTask({ onError: complain });
  const text = t.chat.approval;
  const waiting =
    open &&
    !conversation.running.value &&
    conversation.queue.items.value.length === 0 &&
    chats.store.live.state.value !== 'lost';
  const answer = (allow: boolean) => void run(() => conversation.approve(request.id, allow));
  return (
    <div class="question" role="group" aria-label={text.title}>
      <p class="question__text">
        <Icon name="shield" />
        <strong>{text.wants(isolate(request.tool), isolate(request.connector))}</strong>
      </p>
      {open && request.reason === 'outside_text' && <Banner kind="warning">{text.outside}</Banner>}
      <p class="step__label">{text.sends}</p>
      <pre class="step__text" tabIndex={0} role="group" aria-label={text.sends} dir="ltr">
        {plain(JSON.stringify(request.args, null, 2))}
      </pre>
      {open && (
        <>
          <div class="question__choices">
            <Button kind="primary" icon="check" busy={busy} disabled={!waiting && !busy} onClick={() => answer(true)}>
              {text.allow}
            </Button>
            <Button disabled={!waiting || busy} onClick={() => answer(false)}>
              {text.refuse}
            </Button>
          </div>
          <p class="faint small">{text.hint}</p>
        </>
      )}
      {lapsed && <p class="soft small">{text.lapsed}</p>}
    </div>
  );
}
