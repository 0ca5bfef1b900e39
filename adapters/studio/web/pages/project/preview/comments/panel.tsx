import { useEffect, useRef } from 'preact/hooks';

import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { Button, Empty, Failure, IconButton, Loading, Tabs } from '~/ui';
import type { ProjectStore } from '../../store';
import { describe } from './anchor';
import type { Comments } from './comments';
import { TextForm } from './form';
import { ThreadView } from './thread';

/** CommentPanel lists the comments on the project's pages, and is where people write them. */
export function CommentPanel({ store, comments }: { store: ProjectStore; comments: Comments }) {
  useKeys(store, comments);
  const picking = comments.picking.value;
  const list = comments.list.value;
  const { open, resolved } = comments;
  return (
    <aside class="editor comments" aria-label={t.comments.title}>
      <div class="editor__bar">
        <h2 class="comments__title">{t.comments.title}</h2>
        <Button small icon="add" aria-pressed={picking} onClick={() => comments.pick(!picking)}>
          {t.comments.add}
        </Button>
        <IconButton icon="close" label={t.comments.close} small onClick={() => comments.toggle(false)} />
      </div>
      <div class="editor__body">
        {(picking || comments.draft.value) && <Draft comments={comments} />}
        <Tabs
          label={t.comments.lists}
          panel="comments-list"
          current={list}
          items={[
            { name: 'unresolved', label: `${t.comments.unresolved} (${open.value.length})` },
            { name: 'resolved', label: `${t.comments.resolved} (${resolved.value.length})` },
          ]}
          onChange={(name) => {
            comments.list.value = name;
          }}
        />
        <div id="comments-list" role="tabpanel" aria-label={t.comments[list]}>
          <List store={store} comments={comments} />
        </div>
      </div>
    </aside>
  );
}

function List({ store, comments }: { store: ProjectStore; comments: Comments }) {
  const listsOpen = comments.list.value === 'unresolved';
  if (comments.failure.value) return <Failure error={comments.failure.value} retry={() => void comments.load()} />;
  if (!comments.threads.value) return <Loading />;
  const threads = listsOpen ? comments.open.value : comments.resolved.value;
  if (threads.length === 0)
    return (
      <Empty icon="chat" title={listsOpen ? t.comments.none : t.comments.noneResolved}>
        {listsOpen && t.comments.noneHint}
      </Empty>
    );
  return (
    <ul class="comments__list">
      {threads.map((thread) => (
        <ThreadView key={thread.id} store={store} comments={comments} thread={thread} />
      ))}
    </ul>
  );
}

// Draft is the new comment: a hint until something on the page is chosen, then a form.
function Draft({ comments }: { comments: Comments }) {
  const draft = comments.draft.value;
  const form = useRef<HTMLDivElement>(null);
  const wantsFocus = comments.wantsFocus.value;
  useEffect(() => {
    if (!draft || !wantsFocus) return;
    comments.wantsFocus.value = false;
    form.current?.querySelector('textarea')?.focus();
  }, [draft, wantsFocus]);
  if (!draft)
    return (
      <div class="comments__draft soft" role="status">
        <p>{t.comments.choose}</p>
        <p class="small faint">{t.comments.chooseKeys}</p>
        <Button small onClick={() => comments.begin()}>
          {t.comments.whole}
        </Button>
      </div>
    );
  return (
    <div class="comments__draft" ref={form}>
      <p class="comments__place small">
        <bdi>{describe(draft.element)}</bdi>
      </p>
      <TextForm
        label={t.comments.write}
        send={t.comments.send}
        onSend={(text) => comments.create(text)}
        onCancel={() => comments.dismiss()}
      />
    </div>
  );
}

// useKeys binds the keys of choosing an element, as in visual editing.
function useKeys(store: ProjectStore, comments: Comments): void {
  const picking = comments.picking.value;
  const isShown = store.pane.value === 'preview';
  useShortcuts({
    ...(isShown && picking
      ? {
          toParent: () => comments.move('parent'),
          toChild: () => comments.move('child'),
          toPrevious: () => comments.move('previous'),
          toNext: () => comments.move('next'),
        }
      : {}),
    ...(isShown
      ? {
          leaveEditing: {
            text: t.comments.close,
            run: () => (picking || comments.draft.value ? comments.dismiss() : comments.toggle(false)),
          },
        }
      : {}),
  });
}
