import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { me } from '~/app/session';
import { keysOf } from '~/app/shortcuts';
import { browserStorage, isText } from '~/storage';
import { t } from '~/text';
import { Checkbox, complain, enterSends, IconButton, useTask } from '~/ui';
import type { Chats } from './chats';
import { ModeChoice, ModelChoice } from './choices';
import type { Conversation } from './conversation';
import type { Reference } from './events';
import { Mention, placeOf } from './mentions';
import { imagesIn } from './pictures';
import { AddImages, Chips, usePictures } from './pictureview';
import { isReference } from './queue';
import { filesIn, recall, without } from './suggest';
import { SuggestionList, suggesting, useSuggestions } from './suggestions';

/** mostMentions is how many files and elements a message can have. */
const mostMentions = 20;

/** Composer is the input for messages, images, the mode and the model. */
export function Composer({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  const memory = `atelier.draft.${conversation.chatId}`;
  const [text, setText] = useState(() => browserStorage.read(memory, isText) ?? '');
  const pictures = usePictures();
  const elements = useElements(`${memory}.elements`);
  const [rewriting, setRewriting] = useState<string[] | null>(null);
  const [restores, setRestores] = useState(false);
  const { busy, run } = useTask({ onError: complain });
  const recalled = useRef(-1);
  const [over, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const running = conversation.running.value;
  const draft = chats.draft.value;
  // Users who lost access to the project cannot send messages.
  const lost = chats.store.live.state.value === 'lost';
  const empty = text.trim() === '' || lost || busy;

  const write = (change: string | ((before: string) => string)) =>
    setText((before) => {
      const next = typeof change === 'string' ? change : change(before);
      if (next) browserStorage.write(memory, next);
      else browserStorage.remove(memory);
      return next;
    });
  const suggestions = useSuggestions(chats.store, field, text, write);
  const isFile = (path: string) => chats.store.files.value.some((file) => file.path === path);
  const files = filesIn(text, isFile).map((path): Reference => ({ type: 'file', path }));
  const mentions = [...elements.all, ...files].slice(0, mostMentions);
  // Editing a waiting message moves it back into the composer.
  useLayoutEffect(() => {
    if (draft?.chatId !== conversation.chatId) return;
    chats.draft.value = null;
    if (draft.text) write((before) => (before.trim() ? `${before.trimEnd()}\n\n${draft.text}` : draft.text));
    pictures.set([...pictures.all, ...draft.pictures]);
    elements.add(draft.references);
    setRewriting(draft.made ?? null);
    setRestores(false);
    field.current?.focus();
  }, [draft]);
  const send = () => {
    if (empty) return;
    if (restores && rewriting) void run(async () => restored(rewriting).then(deliver));
    else deliver();
  };
  const restored = async (versions: string[]) => {
    for (const version of versions) await api.post(`/projects/${chats.store.id}/versions/${version}/undo`);
    chats.store.filesChanged();
    chats.store.versionsChanged();
  };
  const deliver = () => {
    conversation.ask(text.trim(), pictures.all, chats.choice.value, mentions);
    write('');
    pictures.set([]);
    elements.set([]);
    recalled.current = -1;
    setRewriting(null);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (suggestions.onKey(event)) return;
    const earlier = event.isComposing ? null : recall(saidIn(conversation), text, recalled.current, event.key);
    if (earlier) {
      event.preventDefault();
      recalled.current = earlier.at;
      write(earlier.text);
      return;
    }
    if (!enterSends(event)) return;
    event.preventDefault();
    send();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void pictures.add([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <form
      class={over ? 'composer composer--over' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files')) {
          event.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <SuggestionList of={suggestions} />
      {rewriting && (
        <div class="composer__rewriting">
          <p class="small soft">{t.chat.rewriting(restores)}</p>
          {rewriting.length > 0 && (
            <Checkbox label={t.chat.restoreFiles} checked={restores} onChange={() => setRestores(!restores)} />
          )}
        </div>
      )}
      {mentions.length > 0 && (
        <ul class="composer__mentions" aria-label={t.chat.mentions}>
          {mentions.map((mention) => (
            <li key={placeOf(mention)}>
              <Mention
                reference={mention}
                store={chats.store}
                remove={{
                  label: t.chat.removeMention(placeOf(mention)),
                  run: () => {
                    if (mention.type === 'file') write(without(text, mention.path));
                    else elements.set(elements.all.filter((element) => element !== mention));
                    field.current?.focus();
                  },
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <Chips
        pictures={pictures.all}
        remove={(id) => pictures.set(pictures.all.filter((picture) => picture.id !== id))}
      />
      {pictures.problem && (
        <p class="composer__problem" role="alert">
          {pictures.problem}
        </p>
      )}
      <div class="composer__grow" data-text={`${text}\n`}>
        <textarea
          ref={field}
          class="composer__field"
          rows={1}
          value={text}
          maxLength={100_000}
          disabled={lost}
          aria-label={t.chat.write}
          placeholder={running ? t.chat.writeNext : t.chat.write}
          dir="auto"
          {...suggesting(suggestions)}
          onInput={(event) => {
            write(event.currentTarget.value);
            if (event.currentTarget.value === '') setRewriting(null);
            suggestions.onCaret();
          }}
          onKeyDown={onKey}
          onSelect={suggestions.onCaret}
          onBlur={suggestions.onBlur}
          onPaste={(event) => {
            const found = imagesIn(event.clipboardData);
            if (found.length > 0) {
              event.preventDefault();
              void pictures.add(found);
            }
          }}
        />
      </div>
      <div class="composer__bar">
        <AddImages pictures={pictures} disabled={lost} />
        <ModeChoice chats={chats} />
        <ModelChoice chats={chats} />
        <span class="composer__space" />
        <Sending conversation={conversation} empty={empty} />
      </div>
    </form>
  );
}

// Sending is the button that sends. While the agent works and nothing is written, it stops the
// agent instead.
function Sending({ conversation, empty }: { conversation: Conversation; empty: boolean }) {
  const running = conversation.running.value;
  const stop = running && (
    <IconButton
      icon="stop"
      kind={empty ? 'primary' : undefined}
      label={`${t.chat.stop} (${keysOf('stop')})`}
      small
      busy={conversation.stopping.value}
      onClick={() => void conversation.stop().catch(complain)}
    />
  );
  return (
    <>
      {stop}
      {!(running && empty) && (
        <IconButton
          icon="send"
          kind="primary"
          type="submit"
          label={running ? t.chat.queue : t.chat.send}
          small
          disabled={empty}
        />
      )}
    </>
  );
}

// saidIn returns the user's messages of a chat, newest first, each once.
function saidIn(conversation: Conversation): string[] {
  const mine = conversation.turns.value.filter(
    ({ by, text, allowed }) => by === me.value?.user.id && text !== '' && allowed === null,
  );
  return [...new Set(mine.map(({ text }) => text).reverse())];
}

// useElements keeps the picked elements of the next message through a reload.
function useElements(memory: string) {
  const [all, setAll] = useState<Reference[]>(() => browserStorage.list(memory, isReference));
  const set = (next: Reference[]) => {
    setAll(next);
    if (next.length > 0) browserStorage.write(memory, next);
    else browserStorage.remove(memory);
  };
  const add = (more: Reference[]) => {
    const fresh = more.filter((one) => one.type === 'element' && !all.some((other) => placeOf(other) === placeOf(one)));
    if (fresh.length > 0) set([...all, ...fresh]);
  };
  return { all, set, add };
}
