import { money, number, t } from '~/text';
import { Banner, Button, LinkButton } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import type { End, Turn, Usage } from './log';
import { plain } from './plain';

interface EndProps {
  turn: Turn;
  end: End;
  chats: Chats;
  conversation: Conversation;
  isLast: boolean;
}

/** EndView says how a run ended when that is not as it was meant to, and what to do. */
export function EndView({ turn, end, chats, conversation, isLast }: EndProps) {
  if (end.kind === 'complete') {
    if (end.reason === 'done') return null;
    return <p class="quiet">{end.reason === 'stopped' ? t.chat.stopped : t.chat.limit}</p>;
  }
  const wid = chats.store.project.value.workspaceId;
  const again = isLast && turn.text !== '' && turn.attachments.length === 0;
  return (
    <Banner kind="error" actions={isLast && (
      <>
        {end.error === 'no_provider' && <LinkButton small href={`/workspaces/${wid}/providers`}>{t.chat.toProviders}</LinkButton>}
        {end.error === 'credit_exhausted' && <LinkButton small href={`/workspaces/${wid}/usage`}>{t.chat.toUsage}</LinkButton>}
        {again && <Button small icon="reload" onClick={() => conversation.ask(turn.text, [], chats.choice.value)}>{t.shell.retry}</Button>}
      </>
    )}>
      <p>{t.chat.errors[end.error as keyof typeof t.chat.errors] ?? t.chat.errors.internal}</p>
      {end.message && <p class="soft small" dir="auto">{plain(end.message)}</p>}
    </Banner>
  );
}

/** UsageView says what a run used. */
export function UsageView({ usage }: { usage: Usage }) {
  const tokens = number(usage.inputTokens + usage.outputTokens);
  return <p class="spent" title={t.chat.usageDetails(number(usage.inputTokens), number(usage.outputTokens))}>{usage.cost > 0 ? t.chat.usageCost(tokens, money(usage.cost)) : t.chat.usage(tokens)}</p>;
}
