import { useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { t } from '~/text';
import { Button, Failure, Field, useTask } from '~/ui';
import { ModelMenu, ModeMenu } from '../chat/choices';
import type { Reference } from '../chat/events';
import { Mention, placeOf } from '../chat/mentions';
import { imagesIn } from '../chat/pictures';
import { AddImages, Chips, usePictures } from '../chat/pictureview';
import type { Choice } from '../chat/queue';
import { filesIn } from '../chat/suggest';
import { SuggestionList, suggesting, useSuggestions } from '../chat/suggestions';
import type { ProjectStore } from '../store';

/** mostMentions is how many files and elements a message can have. */
const mostMentions = 20;

interface BeginProps {
  store: ProjectStore;
  path: string;
  onBegun: () => Promise<void>;
}

/** Begin is the form for a new task: what a chat's composer takes, a task takes as well. */
export function Begin({ store, path, onBegun }: BeginProps) {
  const [content, setContent] = useState('');
  const [mode, setMode] = useState('build');
  const [choice, setChoice] = useState<Choice>({});
  // What is selected in the preview is what the task is about, unless the person removes it.
  const [element, setElement] = useState(() => store.selected.peek());
  const pictures = usePictures();
  const field = useRef<HTMLTextAreaElement>(null);
  const suggestions = useSuggestions(store, field, content, setContent);
  const { busy, error, run } = useTask();
  const wid = store.project.value.workspaceId;
  const begin = (event: Event) => {
    event.preventDefault();
    if (content.trim() === '') return;
    const isFile = (name: string) => store.files.value.some((file) => file.path === name);
    const files = filesIn(content, isFile).map((file): Reference => ({ type: 'file', path: file }));
    const references = [...(element ? [element] : []), ...files].slice(0, mostMentions);
    const sent = pictures.all;
    const attachments = sent.map(({ url }) => ({ type: 'image', url }));
    void run(async () => {
      await api.post(path, { content, mode, model: choice.model, references, attachments });
      // The next task may have been typed meanwhile.
      setContent((now) => (now === content ? '' : now));
      setElement((now) => (now === element ? null : now));
      pictures.set((now) => now.filter((picture) => !sent.includes(picture)));
      await onBegun();
    });
  };
  return (
    <form class="tasks__begin" onSubmit={begin}>
      <SuggestionList of={suggestions} />
      <Field label={t.tasks.content}>
        {(wiring) => (
          <textarea
            {...wiring}
            {...suggesting(suggestions)}
            ref={field}
            class="input"
            rows={3}
            maxLength={100_000}
            value={content}
            onInput={(event) => {
              setContent(event.currentTarget.value);
              suggestions.onCaret();
            }}
            onKeyDown={(event) => suggestions.onKey(event)}
            onSelect={suggestions.onCaret}
            onBlur={suggestions.onBlur}
            onPaste={(event) => {
              const found = imagesIn(event.clipboardData);
              if (found.length === 0) return;
              event.preventDefault();
              void pictures.add(found);
            }}
          />
        )}
      </Field>
      {element && (
        <ul class="composer__mentions" aria-label={t.chat.mentions}>
          <li>
            <Mention
              reference={element}
              store={store}
              remove={{ label: t.chat.removeMention(placeOf(element)), run: () => setElement(null) }}
            />
          </li>
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
      {error !== undefined && <Failure error={error} />}
      <div class="tasks__bar">
        <AddImages pictures={pictures} disabled={busy} />
        <ModeMenu wid={wid} mode={mode} choose={setMode} />
        <ModelMenu wid={wid} choice={choice} choose={setChoice} />
        <Button kind="primary" icon="add" type="submit" busy={busy} disabled={content.trim() === ''}>
          {t.tasks.begin}
        </Button>
      </div>
    </form>
  );
}
