import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Project, Template } from '~/api/types';
import { tabStorage } from '~/storage';
import { t } from '~/text';
import { Button, enterSends, Failure, hasKeyboard, Icon, Menu, useTask } from '~/ui';
import type { Desk } from './desk';

// draft stores the typed prompt until it has created a project. It survives a sign-in.
const draft = 'atelier.prompt';

interface PromptProps {
  desk: Desk;
  templates: Template[];
  /** examples offers example prompts to users without projects. */
  examples: boolean;
  /** disabled is true if there is no AI provider. */
  disabled: boolean;
}

/** Prompt creates a project from a prompt. The agent already works when the project opens. */
export function Prompt({ desk, templates, examples, disabled }: PromptProps) {
  const { route } = useLocation();
  const [text, setText] = useState(() => tabStorage.text(draft) ?? '');
  const [template, setTemplate] = useState('blank');
  const { busy, error, run } = useTask({ leaves: true });
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (hasKeyboard()) field.current!.focus({ preventScroll: true });
  }, []);
  const type = (next: string) => {
    setText(next);
    tabStorage.setText(draft, next);
  };
  const build = async () => {
    if (disabled || text.trim() === '') return;
    await run(async () => {
      const body = { name: nameOf(text), template, prompt: text, folderId: desk.place.folder || undefined };
      const project = await api.post<Project>(`/workspaces/${desk.workspace.id}/projects`, body);
      tabStorage.remove(draft);
      route(`/projects/${project.id}`);
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (!enterSends(event)) return;
    event.preventDefault();
    void build();
  };
  const pick = (example: string) => {
    type(example);
    field.current!.focus();
  };
  return (
    <section class="wish" aria-labelledby={`${id}-question`}>
      <h1 id={`${id}-question`}>{t.dashboard.question}</h1>
      <form
        class="wish__box"
        onSubmit={(event) => {
          event.preventDefault();
          void build();
        }}
      >
        <textarea
          ref={field}
          class="wish__text"
          rows={2}
          maxLength={100000}
          value={text}
          readOnly={busy}
          aria-labelledby={`${id}-question`}
          aria-describedby={`${id}-keys`}
          placeholder={t.dashboard.placeholder}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <div class="wish__foot">
          <TemplateMenu templates={templates} chosen={template} choose={setTemplate} />
          <span id={`${id}-keys`} class="wish__keys faint small">
            {t.dashboard.keys}
          </span>
          <Button kind="primary" type="submit" icon="send" busy={busy} disabled={disabled || text.trim() === ''}>
            {t.dashboard.build}
          </Button>
        </div>
      </form>
      {error !== undefined && <Failure error={error} />}
      {examples && (
        <div class="wish__examples" role="group" aria-label={t.dashboard.examplesTitle}>
          {t.dashboard.examples.map(({ name, prompt }) => (
            <Button key={name} small onClick={() => pick(prompt)}>
              {name}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}

function TemplateMenu({
  templates,
  chosen,
  choose,
}: {
  templates: Template[];
  chosen: string;
  choose: (id: string) => void;
}) {
  const name = templates.find(({ id }) => id === chosen)?.name ?? t.dashboard.blank;
  return (
    <Menu
      label={t.dashboard.startFrom(name)}
      small
      items={templates.map((item) => ({
        label: item.name,
        checked: item.id === chosen,
        onSelect: () => choose(item.id),
      }))}
    >
      <Icon name="box" />
      {name}
      <Icon name="down" />
    </Menu>
  );
}

// nameOf derives a project name from the first words of a prompt.
function nameOf(wish: string): string {
  const words = wish
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .split(/(?<=[.!?:])\s|\s[–—-]\s/u)[0]!
    .replace(/[.!?:,;]+$/u, '')
    .split(' ');
  let name = words[0]!;
  for (const word of words.slice(1, 8)) {
    if (name.length + word.length > 40) break;
    name += ` ${word}`;
  }
  return [...name.replace(/[,;]$/u, '')].slice(0, 60).join('') || t.dashboard.untitled;
}
