import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { browserStorage, isText } from '~/storage';
import { t } from '~/text';
import { complain, enterSends, Icon, IconButton } from '~/ui';
import type { Chats } from './chats';
import { ModeChoice, ModelChoice } from './choices';
import type { Conversation } from './conversation';
import { imagesIn, readPictures } from './pictures';
import type { Picture } from './queue';

/** Composer is the input for messages, images, the mode and the model. */
export function Composer({ chats, conversation }: { chats: Chats; conversation: Conversation }) {
  const memory = `atelier.draft.${conversation.chatId}`;
  const [text, setText] = useState(() => browserStorage.read(memory, isText) ?? '');
  const pictures = usePictures();
  const [over, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const running = conversation.running.value;
  const draft = chats.draft.value;
  // Users who lost access to the project cannot send messages.
  const lost = chats.store.live.state.value === 'lost';
  const empty = text.trim() === '' || lost;

  const write = (change: string | ((before: string) => string)) =>
    setText((before) => {
      const next = typeof change === 'string' ? change : change(before);
      if (next) browserStorage.write(memory, next);
      else browserStorage.remove(memory);
      return next;
    });
  // Editing a waiting message moves it back into the composer.
  useLayoutEffect(() => {
    if (draft?.chatId !== conversation.chatId) return;
    chats.draft.value = null;
    write((before) => (before.trim() ? `${before.trimEnd()}\n\n${draft.text}` : draft.text));
    pictures.set([...pictures.all, ...draft.pictures]);
    field.current?.focus();
  }, [draft]);
  const send = () => {
    if (empty) return;
    conversation.ask(text.trim(), pictures.all, chats.choice.value);
    write('');
    pictures.set([]);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
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
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKey}
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
        <label class="button button--quiet button--icon button--small composer__file" title={t.chat.addImage}>
          <Icon name="image" />
          <input
            type="file"
            class="visually-hidden"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple
            disabled={lost}
            aria-label={t.chat.addImage}
            onChange={(event) => {
              const input = event.currentTarget;
              void pictures.add([...(input.files ?? [])]).then(() => {
                input.value = '';
              });
            }}
          />
        </label>
        <ModeChoice chats={chats} />
        <ModelChoice chats={chats} />
        <span class="composer__space" />
        {running && (
          <IconButton
            icon="stop"
            label={`${t.chat.stop} (Esc)`}
            small
            busy={conversation.stopping.value}
            onClick={() => void conversation.stop().catch(complain)}
          />
        )}
        <IconButton
          icon="send"
          kind="primary"
          type="submit"
          label={running ? t.chat.queue : t.chat.send}
          small
          disabled={empty}
        />
      </div>
    </form>
  );
}

function usePictures() {
  const [all, set] = useState<Picture[]>([]);
  const [problem, setProblem] = useState('');
  const add = async (files: File[]) => {
    const { pictures, problems } = await readPictures(files, all.length);
    set((before) => [...before, ...pictures]);
    setProblem(problems.join(' '));
  };
  const replace = (next: Picture[]) => {
    set(next);
    setProblem('');
  };
  return { all, problem, add, set: replace };
}

function Chips({ pictures, remove }: { pictures: Picture[]; remove: (id: string) => void }) {
  if (pictures.length === 0) return null;
  return (
    <ul class="composer__images" aria-label={t.chat.images}>
      {pictures.map(({ id, name, url }) => (
        <li key={id} class="chip">
          <img src={url} alt={name} />
          <IconButton icon="close" label={t.chat.removeImage(name)} small onClick={() => remove(id)} />
        </li>
      ))}
    </ul>
  );
}
