import MousePointer2 from 'lucide/dist/esm/icons/mouse-pointer-2.mjs';
import RotateCwSquare from 'lucide/dist/esm/icons/rotate-cw-square.mjs';
import Smartphone from 'lucide/dist/esm/icons/smartphone.mjs';
import Tablet from 'lucide/dist/esm/icons/tablet.mjs';
import { useState } from 'preact/hooks';

import { t } from '~/text';
import { ask, Button, complain, Icon, IconButton, type IconName, LinkButton, Menu } from '~/ui';
import type { ProjectStore } from '../store';
import type { Comments } from './comments/comments';
import type { Editor } from './editor';
import type { Frame } from './frame';
import type { Session } from './session';
import type { Size } from './stage';

interface ToolbarProps {
  store: ProjectStore;
  session: Session;
  frame: Frame;
  editor: Editor;
  /** comments are null where there are none. */
  comments: Comments | null;
  size: Size;
  onSize: (size: Size) => void;
  consoleShown: boolean;
  onConsole: () => void;
  errors: number;
}

const icons: Record<Size['name'], IconName> = { full: 'laptop', tablet: Tablet, phone: Smartphone };

/** Toolbar navigates in the preview and sets its size. */
export function Toolbar(props: ToolbarProps) {
  const { store, session, frame, editor, comments, size, onSize } = props;
  const address = session.address.value;
  const isMember = store.canEdit.value;
  return (
    <div class="preview__bar" role="toolbar" aria-label={t.preview.toolbar}>
      <div class="preview__moves">
        <IconButton
          icon="back"
          label={t.preview.back}
          small
          disabled={!address || !frame.canGoBack.value}
          onClick={() => frame.send({ type: 'back' })}
        />
        <IconButton
          icon="next"
          label={t.preview.forward}
          small
          disabled={!address || !frame.canGoForward.value}
          onClick={() => frame.send({ type: 'forward' })}
        />
        <IconButton icon="reload" label={t.preview.reload} small disabled={!address} onClick={() => frame.reload()} />
      </div>
      <Address session={session} frame={frame} />
      {isMember && (
        <Button
          kind={editor.on.value ? 'primary' : undefined}
          icon={editor.on.value ? 'check' : MousePointer2}
          small
          title={editor.on.value ? t.preview.edit.leave : t.preview.edit.title}
          disabled={!address}
          onClick={() => {
            comments?.toggle(false);
            editor.toggle();
          }}
        >
          {editor.on.value ? t.preview.edit.done : t.preview.edit.toggle}
        </Button>
      )}
      {comments && (
        <CommentButton
          comments={comments}
          disabled={!address}
          onClick={() => {
            if (editor.on.value) editor.toggle(false);
            comments.toggle();
          }}
        />
      )}
      <div class="preview__size">
        <Menu
          label={`${t.preview.size}: ${t.preview.sizes[size.name]}`}
          icon={icons[size.name]}
          small
          items={[
            ...(['full', 'tablet', 'phone'] as const).map((name) => ({
              label: t.preview.sizes[name],
              checked: size.name === name,
              onSelect: () => onSize({ ...size, name }),
            })),
            null,
            {
              label: t.preview.rotate,
              icon: RotateCwSquare,
              disabled: size.name === 'full',
              onSelect: () => onSize({ ...size, turned: !size.turned }),
            },
          ]}
        />
      </div>
      {isMember && <ConsoleButton {...props} />}
      {address && (
        <LinkButton
          kind="quiet"
          small
          icon="external"
          href={new URL(frame.path.value, address).href}
          target="_blank"
          rel="noopener noreferrer"
          tip={t.preview.open}
        >
          <span class="visually-hidden">{t.preview.open}</span>
        </LinkButton>
      )}
      {isMember && <More session={session} />}
    </div>
  );
}

function CommentButton({
  comments,
  disabled,
  onClick,
}: {
  comments: Comments;
  disabled: boolean;
  onClick: () => void;
}) {
  const count = comments.open.value.length;
  const open = t.comments.open(count);
  return (
    <button
      type="button"
      class="button button--small preview__comment"
      data-tip={count > 0 ? `${t.comments.show}: ${open}` : t.comments.show}
      aria-pressed={comments.shown.value}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name="chat" />
      <span class="preview__word">{t.comments.toggle}</span>
      {count > 0 && (
        <>
          <span class="visually-hidden">, {open}</span>
          <span class="badge preview__count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        </>
      )}
    </button>
  );
}

function ConsoleButton({ consoleShown, onConsole, errors }: ToolbarProps) {
  const label = errors ? `${t.preview.console.show}: ${t.preview.console.errors(errors)}` : t.preview.console.show;
  return (
    <button
      type="button"
      class="button button--quiet button--small preview__console"
      aria-label={label}
      data-tip={label}
      aria-pressed={consoleShown}
      onClick={onConsole}
    >
      <Icon name="terminal" />
      {errors > 0 && <span class="badge badge--danger">{errors > 99 ? '99+' : errors}</span>}
    </button>
  );
}

function More({ session }: { session: Session }) {
  const stop = async () => {
    if (await ask({ title: t.preview.stop, text: t.preview.stoppedHint, confirm: t.preview.stop }))
      await session.stop();
  };
  const runtime = session.preview.value?.runtime;
  return (
    <Menu
      label={t.preview.more}
      small
      items={[
        ...(runtime ? [t.preview.runtimes[runtime]] : []),
        { label: t.preview.restart, icon: 'restore', onSelect: () => void session.restart().catch(complain) },
        {
          label: t.preview.stop,
          icon: 'stop',
          disabled: session.stopped.value,
          onSelect: () => void stop().catch(complain),
        },
      ]}
    />
  );
}

// Address shows the page's address and navigates to a typed one.
function Address({ session, frame }: { session: Session; frame: Frame }) {
  const [draft, setDraft] = useState<string | null>(null);
  const address = session.address.value;
  const { runtime, runtimeReason } = session.preview.value ?? {};
  const go = (event: Event) => {
    event.preventDefault();
    if (draft !== null && address) frame.go(within(draft, address));
    setDraft(null);
  };
  return (
    <form class="address" onSubmit={go} title={frame.title.value || undefined}>
      <input
        class="address__input"
        aria-label={t.preview.address}
        value={draft ?? frame.path.value}
        disabled={!address}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        inputMode="url"
        dir="ltr"
        enterkeyhint="go"
        onInput={(event) => setDraft(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setDraft(null)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            setDraft(null);
            event.currentTarget.blur();
          }
        }}
      />
      {runtime && runtime !== 'go' && (
        <span class="address__runtime faint" title={runtimeReason}>
          {t.preview.runtimes[runtime]}
        </span>
      )}
    </form>
  );
}

// within returns the path of a typed address, which may be a full URL.
function within(typed: string, address: string): string {
  const text = typed.trim();
  const { origin } = new URL(address);
  const path = text.startsWith(origin) ? text.slice(origin.length) : text;
  return path.startsWith('/') ? path.replace(/^\/+/, '/') : `/${path}`;
}
