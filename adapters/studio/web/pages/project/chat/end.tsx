import { useEffect, useState } from 'preact/hooks';

import { moment, money, number, t } from '~/text';
import { Banner, Button, Icon, LinkButton } from '~/ui';
import { ApprovalView } from './approval';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import type { ModelFailure, Retry } from './events';
import type { End, Turn, Usage } from './log';
import { plain } from './plain';
import { QuestionView } from './question';

interface EndProps {
  turn: Turn;
  end: End;
  chats: Chats;
  conversation: Conversation;
  isLast: boolean;
  lapsed: boolean;
}

/** EndView shows why a run ended early and what the user can do. */
export function EndView({ turn, end, chats, conversation, isLast, lapsed }: EndProps) {
  if (end.kind === 'complete') {
    if (end.question)
      return <QuestionView question={end.question} chats={chats} conversation={conversation} open={isLast} />;
    if (end.reason === 'asked' && turn.request)
      return (
        <ApprovalView request={turn.request} chats={chats} conversation={conversation} open={isLast} lapsed={lapsed} />
      );
    if (end.reason === 'done' || end.reason === 'asked') return null;
    return <p class="quiet">{end.reason === 'stopped' ? t.chat.stopped : t.chat.limit}</p>;
  }
  const wid = chats.store.project.value.workspaceId;
  const again = isLast && turn.allowed === null && turn.text !== '' && turn.attachments.length === 0;
  const words =
    end.cause !== ''
      ? t.chat.failures[end.cause]
      : (t.chat.errors[end.error as keyof typeof t.chat.errors] ?? t.chat.errors.internal);
  return (
    <Banner
      kind="error"
      actions={
        isLast && (
          <>
            {(end.error === 'no_provider' || mends(end.cause)) && (
              <LinkButton small kind="primary" href={`/workspaces/${wid}/providers`}>
                {t.chat.toProviders}
              </LinkButton>
            )}
            {end.error === 'credit_exhausted' && (
              <LinkButton small href={`/workspaces/${wid}/usage`}>
                {t.chat.toUsage}
              </LinkButton>
            )}
            {again && !mends(end.cause) && (
              <Button
                small
                icon="reload"
                onClick={() => conversation.ask(turn.text, [], chats.choice.value, turn.references)}
              >
                {t.shell.retry}
              </Button>
            )}
          </>
        )
      }
    >
      <p>
        {words}
        {end.retryAt !== '' && Date.parse(end.retryAt) > Date.now() && ` ${t.chat.retryFrom(moment(end.retryAt))}`}
      </p>
      {end.message && (
        <p class="soft small" dir="auto">
          {plain(end.message)}
        </p>
      )}
    </Banner>
  );
}

// mends reports whether the provider settings must change, so that a retry is pointless.
function mends(cause: ModelFailure): boolean {
  return cause === 'key_refused' || cause === 'no_credit' || cause === 'no_model';
}

/** RetryView counts down to the next attempt to call the model. */
export function RetryView({ retry }: { retry: Retry }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(retry.at) - now) / 1000));
  return (
    <p class="quiet quiet--retry">
      <Icon name="clock" />
      <span>
        {t.chat.retries[retry.cause === '' ? 'provider_failed' : retry.cause]}{' '}
        {seconds > 0 ? t.chat.retryIn(seconds) : t.chat.retryNow}
      </span>
    </p>
  );
}

/** UsageView shows the tokens and the cost of a run. */
export function UsageView({ usage }: { usage: Usage }) {
  const tokens = number(usage.inputTokens + usage.outputTokens);
  return (
    <p class="spent" title={details(usage)}>
      {usage.cost > 0 ? t.chat.usageCost(tokens, money(usage.cost)) : t.chat.usage(tokens)}
    </p>
  );
}

function details({ inputTokens, cachedTokens, outputTokens }: Usage): string {
  const input = number(inputTokens);
  const output = number(outputTokens);
  return cachedTokens > 0
    ? t.chat.usageCached(input, number(cachedTokens), output)
    : t.chat.usageDetails(input, output);
}
