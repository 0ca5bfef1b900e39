import { useEffect, useRef, useState } from 'preact/hooks';

import type { CommentReply, CommentThread } from '~/api/types';
import { config } from '~/app/config';
import { me } from '~/app/session';
import { t } from '~/text';
import { Avatar, ask, Button, complain, Icon, Menu, say, useTask, When } from '~/ui';
import type { ProjectStore } from '../../store';
import { describe } from './anchor';
import type { Comments } from './comments';
import { TextForm } from './form';

interface ThreadProps {
  store: ProjectStore;
  comments: Comments;
  thread: CommentThread;
}

/** ThreadView is a comment with its replies. It is open while it is selected. */
export function ThreadView({ store, comments, thread }: ThreadProps) {
  const isOpen = comments.selected.value === thread.id;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li class="comment" ref={item} data-open={isOpen || undefined}>
      <Place comments={comments} thread={thread} isOpen={isOpen} />
      <Said store={store} comments={comments} thread={thread} said={thread} />
      {!isOpen && thread.replies.length > 0 && <p class="small faint">{t.comments.replies(thread.replies.length)}</p>}
      {isOpen && (
        <>
          {thread.replies.map((reply) => (
            <Said key={reply.id} store={store} comments={comments} thread={thread} said={reply} />
          ))}
          <Errand store={store} comments={comments} thread={thread} />
          <TextForm
            label={t.comments.yourReply}
            send={t.comments.reply}
            onSend={(text) => comments.reply(thread, text)}
          />
          <Actions store={store} comments={comments} thread={thread} />
        </>
      )}
    </li>
  );
}

// Place opens the thread and shows its element.
function Place({ comments, thread, isOpen }: { comments: Comments; thread: CommentThread; isOpen: boolean }) {
  const number = comments.numberOf(thread);
  return (
    <button
      type="button"
      class="comment__place"
      aria-expanded={isOpen}
      onClick={() => (isOpen ? comments.select('') : comments.go(thread))}
    >
      <span class="visually-hidden">{t.comments.number(number)} </span>
      <span class="comment__pin" aria-hidden="true">
        {number}
      </span>
      <span class="comment__where">
        <bdi>{describe(thread.element)}</bdi>
        {thread.page !== comments.page.value && (
          <span class="faint small">
            {' '}
            <bdi>{t.comments.onPage(thread.page)}</bdi>
          </span>
        )}
        {comments.isGone(thread) && (
          <>
            {' '}
            <span class="badge badge--warning" title={t.comments.goneHint}>
              {t.comments.gone}
            </span>
          </>
        )}
      </span>
      <Icon name={isOpen ? 'up' : 'down'} />
    </button>
  );
}

// Said is one comment or reply.
function Said({ store, comments, thread, said }: ThreadProps & { said: CommentReply }) {
  const [editing, edit] = useState(false);
  const name = comments.nameOf(said.by);
  return (
    <article class="comment__said">
      <header class="comment__head">
        <Avatar name={name} />
        <div class="comment__who">
          <strong class="comment__name" title={name}>
            <bdi>{name}</bdi>
          </strong>
          <span class="faint small">
            <When at={said.createdAt} />
            {said.editedAt && ` · ${t.comments.edited}`}
          </span>
        </div>
        <More store={store} comments={comments} thread={thread} said={said} onEdit={() => edit(true)} />
      </header>
      {editing ? (
        <TextForm
          label={t.comments.write}
          send={t.shell.save}
          initial={said.text}
          onSend={async (text) => {
            await comments.change(said.id, { text });
            edit(false);
          }}
          onCancel={() => edit(false)}
        />
      ) : (
        <p class="comment__text" dir="auto">
          {said.text}
        </p>
      )}
    </article>
  );
}

function More({ store, comments, thread, said, onEdit }: ThreadProps & { said: CommentReply; onEdit: () => void }) {
  const isOwn = said.by === me.value?.user.id;
  const isFirst = said.id === thread.id;
  const copy = async () => {
    const address = `${location.origin}${config.base}/projects/${store.id}?pane=preview&comment=${thread.id}`;
    await navigator.clipboard.writeText(address);
    say(t.comments.copied);
  };
  const remove = async () => {
    const count = isFirst ? thread.replies.length : 0;
    const text = count > 0 ? t.comments.removeThread(count) : t.comments.removeText;
    if (await ask({ title: t.comments.removeTitle, text, confirm: t.comments.remove, danger: true }))
      await comments.remove(said.id);
  };
  const items = [
    ...(isFirst
      ? [{ label: t.comments.copy, icon: 'copy' as const, onSelect: () => void copy().catch(complain) }]
      : []),
    ...(isOwn ? [{ label: t.comments.edit, icon: 'edit' as const, onSelect: onEdit }] : []),
    ...(isOwn || store.isAdmin.value
      ? [
          {
            label: t.comments.remove,
            icon: 'trash' as const,
            danger: true,
            onSelect: () => void remove().catch(complain),
          },
        ]
      : []),
  ];
  return items.length > 0 ? <Menu label={t.comments.more} small items={items} /> : null;
}

// Errand says what became of what the agent was asked to do.
function Errand({ store, comments, thread }: ThreadProps) {
  const errand = store.errand.value;
  const { busy, run } = useTask({ onError: complain });
  if (errand?.thread !== thread.id) return null;
  const isDone = errand.state === 'done';
  return (
    <div class="comment__errand small" role="status">
      <p>{isDone ? t.comments.done : t.comments.asked}</p>
      {isDone && (
        <div class="comments__actions">
          <Button
            small
            kind="primary"
            icon="check"
            busy={busy}
            onClick={() => void run(() => comments.change(thread.id, { resolved: true }))}
          >
            {t.comments.resolve}
          </Button>
          <Button
            small
            onClick={() => {
              store.errand.value = null;
            }}
          >
            {t.comments.keep}
          </Button>
        </div>
      )}
    </div>
  );
}

function Actions({ store, comments, thread }: ThreadProps) {
  const { busy, run } = useTask({ onError: complain });
  const isResolved = thread.resolvedAt !== null;
  const errand = store.errand.value;
  const isOffered = errand?.thread === thread.id && errand.state === 'done';
  return (
    <div class="comments__actions">
      {!isResolved && (
        <Button small icon="bolt" onClick={() => comments.ask(thread)}>
          {t.comments.ask}
        </Button>
      )}
      {!isOffered && (
        <Button
          small
          icon={isResolved ? 'restore' : 'check'}
          busy={busy}
          onClick={() => void run(() => comments.change(thread.id, { resolved: !isResolved }))}
        >
          {isResolved ? t.comments.reopen : t.comments.resolve}
        </Button>
      )}
      {thread.resolvedBy && (
        <span class="small faint">
          <bdi>{t.comments.resolvedBy(comments.nameOf(thread.resolvedBy))}</bdi>
        </span>
      )}
    </div>
  );
}
