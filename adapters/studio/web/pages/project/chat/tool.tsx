import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import { t } from '~/text';
import { Button, Diff, Icon, type IconName, Loading, Spinner } from '~/ui';
import type { ProjectStore } from '../store';
import type { VersionDetail } from '../versions/history';
import { filePatches } from '../versions/patch';
import { changeLines } from './change';
import type { Attachment } from './events';
import { Frames } from './frames';
import type { ToolItem } from './log';
import { Painting } from './painting';
import { plain } from './plain';
import { Step } from './step';

const icons: Record<string, IconName> = {
  list_files: 'folder',
  read_file: 'file',
  search_files: 'search',
  write_file: 'add',
  edit_file: 'edit',
  rename_file: 'next',
  delete_file: 'trash',
  check_build: 'check',
  run_command: 'terminal',
  console_logs: 'terminal',
  look: 'eye',
  act: 'bolt',
  ask_person: 'chat',
  fetch_page: 'globe',
  generate_image: 'image',
  find_connector_tools: 'search',
  call_connector: 'bolt',
  backend_query: 'search',
  backend_request: 'bolt',
  backend_logs: 'terminal',
};

interface ToolProps {
  item: ToolItem;
  store: ProjectStore;
  /** version is the id of the version that the run created. */
  version: string | undefined;
  imageAt: (frame: Attachment) => string;
}

/** ToolView shows a tool call as a line that expands to its details. */
export function ToolView({ item, store, version, imageAt }: ToolProps) {
  return (
    <Step
      kind={item.state}
      icon={
        item.state === 'running' ? (
          <Spinner />
        ) : (
          <Icon
            name={item.state === 'failed' ? 'alert' : Object.hasOwn(icons, item.tool) ? icons[item.tool]! : 'bolt'}
          />
        )
      }
      words={
        <>
          <bdi>{wordsOf(item)}</bdi> <bdi class="step__object">{plain(objectOf(item))}</bdi>
        </>
      }
      below={
        <>
          <Frames frames={item.frames} addressOf={imageAt} />
          <Painting item={item} store={store} />
        </>
      }
    >
      <Details item={item} store={store} version={version} />
    </Step>
  );
}

function Details({ item, store, version }: Omit<ToolProps, 'imageAt'>) {
  const paths = [
    ...new Set([
      ...item.files.map(({ path }) => path),
      ...(item.state === 'done' && reads(item) ? [text(item.args.path)] : []),
    ]),
  ].filter(Boolean);
  return (
    <>
      {paths.length > 0 && (
        <p class="step__files">
          {paths.map((path) => (
            <Button key={path} small icon="file" onClick={() => store.openFile({ path })}>
              {plain(path)}
            </Button>
          ))}
        </p>
      )}
      {item.tool === 'write_file' && version ? (
        <Written item={item} store={store} version={version} />
      ) : (
        <Arguments item={item} />
      )}
      {item.output && <Long label={item.state === 'failed' ? t.chat.failure : t.chat.result} text={item.output} />}
      {item.state === 'failed' && !item.output && <p class="soft">{t.chat.brokenOff}</p>}
    </>
  );
}

// Written shows what a run changed in a file that it wrote, or its content if that is all new.
function Written({ item, store, version }: { item: ToolItem; store: ProjectStore; version: string }) {
  const path = text(item.args.path).replace(/^\.?\//, '');
  const { data, error } = useLoad(`${store.id} ${version}`, (signal) =>
    api.get<VersionDetail>(`/projects/${store.id}/versions/${version}`, { signal }),
  );
  if (!data && !error) return <Loading />;
  const paths = data?.files.map((file) => file.path) ?? [];
  const patch = data && filePatches(data.patch, paths).get(path)?.text;
  if (!patch) return <Arguments item={item} />;
  return <Diff patch={patch} label={t.chat.change(path)} />;
}

function Arguments({ item }: { item: ToolItem }) {
  const { oldText, newText, content, edits } = item.args;
  if (Array.isArray(edits) && edits.length > 0)
    return (
      <>
        {edits.map((edit: unknown, index) => (
          <Arguments
            key={index}
            item={{ ...item, args: { path: item.args.path, ...(edit as object), edits: undefined } }}
          />
        ))}
      </>
    );
  if (typeof oldText === 'string' && typeof newText === 'string')
    return <Diff patch={changeLines(oldText, newText)} label={t.chat.change(text(item.args.path))} />;
  if (typeof content === 'string') return <Long label={t.chat.content} text={content} />;
  if (Object.keys(item.args).length === 0) return null;
  return <Long label={t.chat.args} text={JSON.stringify(item.args, null, 2)} />;
}

const shownAtFirst = 4000;

// Long shows the start of a text, and the rest on demand.
function Long({ label, text: all }: { label: string; text: string }) {
  const [whole, setWhole] = useState(all.length <= shownAtFirst);
  return (
    <div class="step__part">
      <p class="step__label">{label}</p>
      <pre class="step__text" tabIndex={0} role="region" aria-label={label} dir="ltr">
        {plain(whole ? all : all.slice(0, shownAtFirst))}
      </pre>
      {!whole && (
        <Button small onClick={() => setWhole(true)}>
          {t.shell.showMore}
        </Button>
      )}
    </div>
  );
}

function reads({ tool }: ToolItem): boolean {
  return ['read_file', 'write_file', 'edit_file'].includes(tool);
}

function wordsOf({ tool, state }: ToolItem): string {
  const known = Object.hasOwn(t.chat.tools, tool) ? t.chat.tools[tool as keyof typeof t.chat.tools] : undefined;
  return known ? known[state] : `${tool}: ${t.chat.otherTool[state]}`;
}

// objectOf summarises the arguments of a tool call in one line.
function objectOf({ args }: ToolItem): string {
  if (args.from !== undefined) return `${text(args.from)} → ${text(args.to)}`;
  if (Array.isArray(args.steps)) return args.steps.map(stepText).join(', ').slice(0, 200);
  if (typeof args.connector === 'string') return `${args.connector} / ${text(args.tool)}`.slice(0, 200);
  if (args.method !== undefined) return `${text(args.method)} ${text(args.path)}`.slice(0, 200);
  return text(args.path ?? args.command ?? args.query ?? args.sql ?? args.question ?? args.url ?? args.words).slice(
    0,
    200,
  );
}

// stepText says what a step on a page does or expects.
function stepText(step: unknown): string {
  const { do: does, expect, target, value, count } = (step ?? {}) as Record<string, unknown>;
  const { ref, role, name } = (target ?? {}) as Record<string, unknown>;
  const about = [text(name) || text(role) || text(ref), text(value), typeof count === 'number' ? String(count) : ''];
  return [text(does) || text(expect), ...about].filter(Boolean).join(' ');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
