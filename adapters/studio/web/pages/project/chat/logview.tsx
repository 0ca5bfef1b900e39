import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Empty, Failure, Loading, Spinner } from '~/ui';
import type { Chats } from './chats';
import type { Conversation } from './conversation';
import { hasLapsed, stepsOf, type Turn } from './log';
import { PlanView } from './plan';
import { isLeaving } from './queueview';
import { useStickToBottom } from './sticktobottom';
import { TurnView } from './turn';

/** LogView shows the log of a chat and scrolls with it. */
export function LogView({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stick = useStickToBottom(scroller, content);
  const older = useOlder(conversation, scroller, stick.hold);
  const turns = conversation.turns.value;
  const leaving = leavingOf(conversation);

  // Scroll to the message that the user has just sent.
  useEffect(() => {
    if (leaving) stick.toEnd();
  }, [leaving]);
  return (
    <div class="talk">
      <div
        class="talk__scroll"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t.chat.log}
        onScroll={older.onScroll}
      >
        <div
          class="talk__content"
          ref={content}
          onClick={(event) => {
            if ((event.target as Element).closest('[aria-expanded], summary')) stick.release();
          }}
        >
          {conversation.failure.value != null && (
            <Failure error={conversation.failure.value} retry={() => void conversation.open(false)} />
          )}
          {!conversation.loaded.value && conversation.failure.value == null && <Loading />}
          {older.failure != null && <Failure error={older.failure} retry={older.load} />}
          {conversation.loaded.value && turns.length === 0 && !leaving && (
            <Beginning chats={chats} conversation={conversation} />
          )}
          {turns.map((turn, index) => (
            <TurnView
              key={turn.key}
              turn={turn}
              chats={chats}
              conversation={conversation}
              isLast={index === turns.length - 1}
              lapsed={hasLapsed(turns[index + 1])}
            />
          ))}
          {leaving && (
            <div class="said said--sending">
              <p class="said__text" dir="auto">
                {leaving}
              </p>
            </div>
          )}
          <PlanView chats={chats} conversation={conversation} />
          <State conversation={conversation} />
        </div>
      </div>
      {older.loading && (
        <p class="talk__older">
          <Spinner />
          {t.shell.loading}
        </p>
      )}
      {!stick.atEnd && (
        <div class="talk__newest">
          <Button small icon="down" onClick={stick.toEnd}>
            {t.chat.newest}
          </Button>
        </div>
      )}
      <Announcement conversation={conversation} />
    </div>
  );
}

// leavingOf returns the id of the message that is being sent.
function leavingOf(conversation: Conversation): string {
  const [head] = conversation.queue.items.value;
  return head && isLeaving(head, conversation) ? head.text : conversation.arrived.value;
}

// useOlder loads older turns when the user scrolls to the top.
function useOlder(conversation: Conversation, scroller: { current: HTMLElement | null }, hold: () => void) {
  const [loading, setLoading] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const busy = useRef(false);
  const load = async () => {
    if (busy.current || !conversation.history.hasOlder.value) return;
    busy.current = true;
    setLoading(true);
    setFailure(null);
    try {
      await conversation.loadOlder(hold);
    } catch (error) {
      setFailure(error);
    } finally {
      busy.current = false;
      setLoading(false);
    }
  };
  // The log may be gone when its last event comes.
  const onScroll = ({ currentTarget }: { currentTarget: Element }) => {
    if (currentTarget.scrollTop < 400 && failure === null) void load();
  };
  // A short page does not scroll, so it loads older turns at once.
  useEffect(() => {
    const view = scroller.current!;
    if (conversation.history.hasOlder.value && view.clientHeight > 0 && view.scrollHeight <= view.clientHeight)
      void load();
  });
  return { loading, failure, load: () => void load(), onScroll };
}

// State shows a placeholder where the answer will appear.
function State({ conversation }: { conversation: Conversation }) {
  if (conversation.broken.value)
    return (
      <p class="talk__state" role="status">
        <Spinner />
        {t.chat.reconnecting}
      </p>
    );
  if (!conversation.running.value) return null;
  return (
    <p class="talk__state">
      <Spinner />
      {conversation.stopping.value ? t.chat.stopping : workOf(conversation.turns.value.at(-1))}
      <Progress conversation={conversation} />
    </p>
  );
}

// workOf says what the run is doing.
function workOf(turn: Turn | undefined): string {
  const step = turn && !turn.end ? turn.step : null;
  // A newer service may tell steps that this page does not know.
  return (step && t.chat.steps[step.step]?.(step.faults)) || t.chat.working;
}

// Progress shows how many steps the agent has begun, and how long it has been working.
function Progress({ conversation }: { conversation: Conversation }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const turn = conversation.turns.value.at(-1);
  if (!turn || turn.end) return null;
  const seconds = Math.max(0, Math.round((now - Date.parse(turn.at)) / 1000));
  return <span class="talk__progress">{t.chat.progress(stepsOf(turn), seconds)}</span>;
}

// Announcement tells screen readers how an answer ended, without reading every chunk.
function Announcement({ conversation }: { conversation: Conversation }) {
  const running = conversation.running.value;
  const asked = askedIn(conversation.turns.value.at(-1));
  const was = useRef(running);
  const [words, setWords] = useState('');
  useEffect(() => {
    if (running && !was.current) setWords(t.chat.working);
    if (!running && was.current) setWords(asked ?? t.chat.answered);
    was.current = running;
  }, [running]);
  return (
    <p class="visually-hidden" role="status">
      {words}
    </p>
  );
}

// askedIn returns what the person is asked at the end of a turn.
function askedIn(turn: Turn | undefined): string | null {
  if (turn?.end?.kind !== 'complete' || turn.end.reason !== 'asked') return null;
  const { question } = turn.end;
  if (question) return `${t.chat.question}: ${question.text}`;
  return turn.request && t.chat.approval.wants(turn.request.tool, turn.request.connector);
}

function Beginning({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  return (
    <Empty
      icon="chat"
      title={t.chat.beginning}
      actions={t.chat.suggestions.map((text) => (
        <Button
          key={text}
          disabled={chats.store.live.state.value === 'lost'}
          onClick={() => conversation.ask(text, [], chats.choice.value)}
        >
          {text}
        </Button>
      ))}
    >
      {t.chat.beginningHint}
    </Empty>
  );
}
