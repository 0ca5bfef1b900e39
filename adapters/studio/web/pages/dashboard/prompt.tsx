import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Project, Template } from '~/api/types';
import { expectBuild, forgetWish, keepWish, keptWish, longestWish, takeAsked } from '~/app/wish';
import { defaultKindOf } from '~/pages/default-kind';
import { keepChoice } from '~/pages/project/chat/choice';
import { ModelMenu, ModeMenu, ThinkingMenu } from '~/pages/project/chat/choices';
import { ConnectModel } from '~/pages/project/chat/connect-model';
import type { Choice } from '~/pages/project/chat/queue';
import type { WishImages } from '~/pages/wish-images';
import { t } from '~/text';
import { shorten } from '~/text/shorten';
import { Button, Failure, hasKeyboard, Icon, Menu, useTask, WishBox } from '~/ui';
import type { Desk } from './desk';

interface PromptProps {
  desk: Desk;
  templates: Template[];
  /** disabled is true if there is no AI provider, undefined while that is being found out. */
  disabled: boolean | undefined;
  /** images are null until they are known. */
  images: WishImages | null;
}

/** Prompt creates a project from a prompt. The agent already works when the project opens. */
export function Prompt({ desk, templates, disabled, images }: PromptProps) {
  const { route } = useLocation();
  const [text, setText] = useState(keptWish);
  const [template, setTemplate] = useState('blank');
  const [mode, setMode] = useState('build');
  const [choice, setChoice] = useState<Choice>({});
  const { busy, error, run } = useTask({ leaves: true });
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (hasKeyboard()) field.current!.focus({ preventScroll: true });
  }, []);
  // A visitor has asked for it on the front page.
  useEffect(() => {
    if (disabled !== undefined && images && takeAsked()) void build();
  }, [disabled, images]);
  const type = (next: string) => {
    setText(next);
    keepWish(next);
  };
  const build = async () => {
    if (disabled || text.trim() === '') return;
    await run(async () => {
      const project = await api.post<Project>(`/workspaces/${desk.workspace.id}/projects`, {
        name: nameOf(text),
        // One that was chosen may have been deleted.
        template: templates.some(({ id }) => id === template) ? template : 'blank',
        prompt: text,
        mode,
        ...choice,
        attachments: images?.all.value.map(({ url }) => ({ type: 'image', url })),
        folderId: desk.place.folder || undefined,
      });
      forgetWish();
      images?.forget();
      keepChoice(project.id, choice);
      expectBuild(project.id);
      route(`/projects/${project.id}`);
    });
  };
  const pick = (example: string) => {
    type(example);
    field.current!.focus();
  };
  return (
    <section class="wish" aria-labelledby={`${id}-question`}>
      <h1 id={`${id}-question`}>{t.dashboard.question}</h1>
      <WishBox
        labelledBy={`${id}-question`}
        field={field}
        text={text}
        maxLength={longestWish}
        busy={busy}
        disabled={disabled}
        onText={type}
        onBuild={() => void build()}
        onPaste={(event) => images?.take(event, event.clipboardData)}
        above={images && <images.Above />}
      >
        <TemplateMenu templates={templates} chosen={template} choose={setTemplate} />
        {images && <images.Add disabled={busy} />}
        <ModeMenu wid={desk.workspace.id} mode={mode} choose={setMode} />
        <ModelMenu wid={desk.workspace.id} choice={choice} choose={setChoice} subscriptions />
        <ThinkingMenu wid={desk.workspace.id} choice={choice} choose={setChoice} />
      </WishBox>
      {error !== undefined && <Failure error={error} />}
      <div class="wish__examples" role="group" aria-label={t.dashboard.examplesTitle}>
        {t.dashboard.examples.map(({ name, prompt }) => (
          <Button key={name} small onClick={() => pick(prompt)}>
            {name}
          </Button>
        ))}
      </div>
      {defaultKindOf(desk.workspace.id) === 'demo' && !choice.model && !choice.provider && (
        <div class="banner banner--info">
          <Icon name="bolt" />
          <ConnectModel wid={desk.workspace.id} />
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
  const [sentence = ''] = wish.trim().split(/(?<=[.!?:])\s|\s[–—-]\s/u);
  return shorten(sentence.replace(/[.!?:,;]+$/u, ''), 40) || t.dashboard.untitled;
}
