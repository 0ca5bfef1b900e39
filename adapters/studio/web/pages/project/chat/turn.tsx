import { useState } from 'preact/hooks';

import { useDeferred } from '~/app/deferred';
import { me } from '~/app/session';
import { bytes, t } from '~/text';
import { Avatar, Button, Icon, When } from '~/ui';
import type { Chats } from './chats';
import { CheckView } from './checkview';
import type { Conversation } from './conversation';
import { EndView, RetryView } from './end';
import type { Attachment } from './events';
import { Foot } from './foot';
import { type Item, stepsOf, type Turn, versionsOf, workOf } from './log';
import { Markdown } from './markdown';
import { memo } from './memo';
import { Mention, placeOf, SaidText } from './mentions';
import { Step } from './step';
import { Thinking } from './thinking';
import { isAsk, isTodo } from './todo';
import { TodoView } from './todoview';
import { ToolView } from './tool';
import { VersionView } from './version';

interface TurnProps {
  turn: Turn;
  chats: Chats;
  conversation: Conversation;
  isLast: boolean;
  /** lapsed is whether nobody answered the request at the end of the turn. */
  lapsed: boolean;
}

/** TurnView shows a message and the agent's response. */
export const TurnView = memo(({ turn, chats, conversation, isLast, lapsed }: TurnProps) => (
  <article class="turn" aria-label={t.chat.turn}>
    {turn.by !== '' && <Said turn={turn} chats={chats} conversation={conversation} />}
    <Log turn={turn} chats={chats} conversation={conversation} />
    <TodoView items={turn.items} />
    {turn.retry && !turn.end && <RetryView retry={turn.retry} />}
    {turn.end && (
      <EndView turn={turn} end={turn.end} chats={chats} conversation={conversation} isLast={isLast} lapsed={lapsed} />
    )}
    {isLast && turn.end && <ToPage turn={turn} chats={chats} />}
    {turn.end && <Foot turn={turn} chats={chats} conversation={conversation} isLast={isLast} />}
    {isLast && <AfterTurn turn={turn} chats={chats} conversation={conversation} />}
  </article>
));

// Log shows what the agent said and did. The steps of a long turn fold into one line once it is over.
function Log({ turn, chats, conversation }: Omit<TurnProps, 'isLast' | 'lapsed'>) {
  const work = new Set(workOf(turn));
  const views = (items: Item[]) =>
    items.map((item) => (
      <ItemView key={item.key} item={item} chats={chats} conversation={conversation} version={versionsOf(turn)[0]} />
    ));
  const items = shown(turn);
  return (
    <>
      {work.size > 0 && (
        <Step kind="folded" icon={<Icon name="check" />} words={t.chat.worked(stepsOf(turn))} bodyClass="turn__work">
          {views(items.filter((item) => work.has(item)))}
        </Step>
      )}
      {views(items.filter((item) => !work.has(item)))}
    </>
  );
}

// shown leaves out the call that waits for a yes: the request at the end of the turn shows it.
function shown({ items, request }: Turn): Item[] {
  return items.filter((item) => item.kind !== 'tool' || item.id !== request?.id);
}

const loadAfter = () => import('./after');

// AfterTurn shows what follows an answer that ended well.
function AfterTurn({ turn, chats, conversation }: Omit<TurnProps, 'isLast' | 'lapsed'>) {
  const over = turn.end?.kind === 'complete' && turn.end.reason === 'done' && !conversation.running.value;
  const After = useDeferred(loadAfter, over);
  return over && After ? <After turn={turn} chats={chats} conversation={conversation} /> : null;
}

interface ItemProps {
  item: Item;
  chats: Chats;
  conversation: Conversation;
  version: string | undefined;
}

const ItemView = memo(({ item, chats, conversation, version }: ItemProps) => {
  const imageAt = (frame: Attachment) => conversation.imageAt(frame);
  switch (item.kind) {
    case 'text':
      return <Markdown key={item.edition} text={item.text} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'tool':
      // The list and the question at the end of the turn show what these calls say.
      if (isTodo(item) || (isAsk(item) && item.state === 'done')) return null;
      return <ToolView item={item} store={chats.store} version={version} imageAt={imageAt} />;
    case 'version':
      return <VersionView item={item} store={chats.store} />;
    case 'check':
      return <CheckView item={item} imageAt={imageAt} />;
    case 'notice':
      return (
        <p class="quiet">
          <Icon name="info" />
          {item.code === 'nothing_changed'
            ? t.chat.nothingChanged
            : item.code === 'tools_emulated'
              ? t.chat.toolsEmulated
              : item.text}
        </p>
      );
    case 'compaction':
      return (
        <p class="quiet">
          <Icon name="box" />
          {item.done ? t.chat.compacted : t.chat.compacting}
        </p>
      );
  }
});

// ToPage leads from a run that changed the page to the page, where the two are not side by side.
function ToPage({ turn, chats }: Pick<TurnProps, 'turn' | 'chats'>) {
  if (!chats.store.narrow.value || versionsOf(turn).length === 0) return null;
  return (
    <Button kind="primary" icon="eye" wide onClick={() => chats.store.show('preview')}>
      {t.project.seePage}
    </Button>
  );
}

// Said shows a user's message. It names the author of other users' messages only.
function Said({ turn, chats, conversation }: Omit<TurnProps, 'isLast' | 'lapsed'>) {
  const elements = turn.references.filter(({ type }) => type === 'element');
  const name = turn.by === me.value?.user.id ? null : chats.nameOf(turn.by) || t.chat.somebody;
  return (
    <div class={name === null ? 'said' : 'said said--other'}>
      {name !== null && (
        <p class="said__by">
          <Avatar name={name} />
          <bdi>{name}</bdi> <When at={turn.at} />
        </p>
      )}
      {elements.length > 0 && (
        <p class="said__mentions">
          {elements.map((element) => (
            <Mention key={placeOf(element)} reference={element} store={chats.store} />
          ))}
        </p>
      )}
      {turn.text && <SaidText text={wordsOf(turn)} command={turn.command} references={turn.references} />}
      {turn.attachments.length > 0 && (
        <p class="said__images">
          {turn.attachments.map((attachment) => (
            <Image key={attachment.id} attachment={attachment} address={conversation.imageAt(attachment)} />
          ))}
        </p>
      )}
    </div>
  );
}

// wordsOf is what a message says; that of an answer to a request is in the user's language.
function wordsOf({ text, allowed }: Turn): string {
  if (allowed === null) return text;
  return allowed ? t.chat.approval.allowed : t.chat.approval.refused;
}

// Image shows a sent image, and its description if it cannot be loaded.
function Image({ attachment, address }: { attachment: Attachment; address: string }) {
  const [lost, setLost] = useState(false);
  const words = t.chat.image(attachment.mediaType.replace('image/', '').toUpperCase(), bytes(attachment.size));
  if (lost)
    return (
      <span class="badge">
        <Icon name="image" />
        {words}
      </span>
    );
  return (
    <a class="said__image" href={address} target="_blank" rel="noreferrer">
      <img src={address} alt={words} title={words} onError={() => setLost(true)} />
    </a>
  );
}
