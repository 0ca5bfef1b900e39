import MousePointer2 from 'lucide/dist/esm/icons/mouse-pointer-2.mjs';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { useCommands } from '~/app/commands';
import { memoryOf } from '~/app/session';
import { t } from '~/text';
import { complain } from '~/ui';
import type { ProjectStore } from '../store';
import { Comments } from './comments/comments';
import { CommentPanel } from './comments/panel';
import { Console, countErrors } from './console';
import { Editor } from './editor';
import { Frame } from './frame';
import { Panel } from './panel';
import { Problems } from './problems';
import { Session } from './session';
import { type Size, Stage } from './stage';
import { Toolbar } from './toolbar';
import { Visitor } from './visitor';

/** Pane shows the preview and the visual editor. */
export default function Pane({ store }: { store: ProjectStore }) {
  const { session, frame, editor, comments } = useMemo(() => begin(store), []);
  const [size, setSize] = useState<Size>({ name: 'full', turned: false });
  const [consoleShown, showConsole] = useState(false);
  const commented = comments?.shown.value ?? false;
  useEffect(() => comments?.start(), []);
  useEffect(() => {
    void session.start();
    const renew = () => {
      if (!document.hidden && !session.stopped.value) void session.start();
    };
    document.addEventListener('visibilitychange', renew);
    return () => {
      document.removeEventListener('visibilitychange', renew);
      session.halt();
      editor.flush();
    };
  }, []);
  useCommands('preview', [
    { name: t.preview.reload, icon: 'reload', key: 'reload', run: () => frame.reload() },
    ...(store.canEdit.value
      ? [
          {
            name: t.preview.edit.title,
            icon: MousePointer2,
            key: 'edit',
            run: () => {
              store.show('preview');
              comments?.toggle(false);
              editor.toggle();
            },
          },
          ...(comments
            ? [
                {
                  name: t.comments.show,
                  icon: 'chat' as const,
                  key: 'comments',
                  run: () => {
                    store.show('preview');
                    editor.toggle(false);
                    comments.toggle();
                  },
                },
              ]
            : []),
          { name: t.preview.console.show, icon: 'terminal' as const, run: () => showConsole(!consoleShown) },
          { name: t.preview.restart, icon: 'restore' as const, run: () => void session.restart().catch(complain) },
        ]
      : []),
  ]);
  return (
    <div class="preview">
      <Toolbar
        store={store}
        session={session}
        frame={frame}
        editor={editor}
        comments={comments}
        size={size}
        onSize={setSize}
        consoleShown={consoleShown}
        onConsole={() => showConsole(!consoleShown)}
        errors={countErrors(store.console.value)}
      />
      {!session.error.value && <Problems store={store} path={frame.path.value} />}
      <div class="preview__body">
        <Stage
          store={store}
          session={session}
          frame={frame}
          size={size}
          picking={editor.on.value || (comments?.picking.value ?? false)}
        />
        {comments && commented && <CommentPanel store={store} comments={comments} />}
        {editor.on.value && <Panel store={store} editor={editor} node={session.preview.value?.runtime === 'node'} />}
      </div>
      {consoleShown && <Console store={store} onClose={() => showConsole(false)} />}
    </div>
  );
}

function begin(store: ProjectStore) {
  const session = new Session(store);
  const frame = new Frame(memoryOf(`stored.${store.id}`));
  const editor = new Editor(store, frame);
  // They are for members, and a task's copy has none of its own.
  const isCopy = store.project.peek().copyOf !== undefined;
  const comments = store.canEdit.peek() && !isCopy ? new Comments(store, frame) : null;
  const visitor = new Visitor(memoryOf(`visitor.${store.id}`));
  frame.onUser = (origin, text) => visitor.take(origin, text);
  frame.onMessage = (message) => {
    if (message.type === 'location' && message.first) {
      editor.resume();
      comments?.resume();
    } else {
      editor.take(message);
      comments?.take(message);
    }
  };
  // A silent page may be a notice that the preview has moved.
  frame.onSilence = () => {
    if (!session.stopped.value) void session.start();
  };
  return { session, frame, editor, comments };
}
