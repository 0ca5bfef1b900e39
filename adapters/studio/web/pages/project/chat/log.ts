// The log of a chat as a pure function of its events: the same events produce the same log,
// however streams and pages divide them. It does not use the DOM.

import type {
  ApprovalRequest,
  Attachment,
  ChatEvent,
  ModelFailure,
  Question,
  Reason,
  Reference,
  Retry,
  Step,
} from './events';

/** Turn is a user's message and everything that the agent did in response. */
export interface Turn {
  /** key is the seq of the first event; it is unique. */
  key: number;
  text: string;
  attachments: Attachment[];
  /** command is the name of the command with which the text begins, or empty. */
  command: string;
  references: Reference[];
  /** allowed is what the message answers to a request for a yes; null if it answers none. */
  allowed: boolean | null;
  /** by is the author's user id; empty if the message is not known. */
  by: string;
  at: string;
  items: Item[];
  usage: Usage | null;
  /** retry is set while a failed model call waits for its next attempt. */
  retry: Retry | null;
  /** step is what the run does between two answers of the model; null while the model is asked. */
  step: { step: Step; faults: number } | null;
  /** request is the call for which the run waits at its end. */
  request: ApprovalRequest | null;
  end: End | null;
}

export interface Usage {
  inputTokens: number;
  /** cachedTokens of inputTokens were read from the provider's prompt cache. */
  cachedTokens: number;
  outputTokens: number;
  cost: number;
}

export type End =
  | { kind: 'complete'; reason: Reason; question: Question | null }
  | { kind: 'error'; error: string; message: string; cause: ModelFailure; retryAt: string };

export type Item = TextItem | ThinkingItem | ToolItem | VersionItem | CheckItem | NoticeItem | CompactionItem;

export interface TextItem {
  kind: 'text';
  key: number;
  text: string;
  /** edition changes when the text is replaced, but not when it grows. */
  edition: number;
  done: boolean;
}

export interface ThinkingItem {
  kind: 'thinking';
  key: number;
  text: string;
  began: string;
  /** ended is null while the model is thinking. */
  ended: string | null;
}

export interface ToolItem {
  kind: 'tool';
  key: number;
  id: string;
  tool: string;
  args: Record<string, unknown>;
  state: 'running' | 'done' | 'failed';
  /** output is the result, or the error. */
  output: string;
  files: { path: string; action: string }[];
  /** frames are pictures of the page that it saw or used. */
  frames: Attachment[];
}

export interface VersionItem {
  kind: 'version';
  key: number;
  versionId: string;
  filesChanged: number;
}

export interface CheckItem {
  kind: 'check';
  key: number;
  title: string;
  passed: boolean;
  message: string;
  /** picture is the page where it failed. */
  picture: Attachment | null;
}

/** NoticeItem is what a run could not do as usual, in its code and in the service's words. */
export interface NoticeItem {
  kind: 'notice';
  key: number;
  code: string;
  text: string;
}

export interface CompactionItem {
  kind: 'compaction';
  key: number;
  done: boolean;
}

/** add returns the turns with the next event applied. */
export function add(turns: Turn[], event: ChatEvent): Turn[] {
  if (event.type === 'user.message') return [...settled(turns, event), begun(event)];
  const last = turns.at(-1) ?? unknownTurn(event);
  const next = addTo(last, event);
  return next === last && turns.length > 0 ? turns : [...turns.slice(0, -1), next];
}

/** addAll applies events in order. */
export function addAll(turns: Turn[], events: ChatEvent[]): Turn[] {
  return events.reduce(add, turns);
}

function begun(event: ChatEvent & { type: 'user.message' }): Turn {
  return {
    key: event.seq,
    text: event.text,
    attachments: event.attachments ?? [],
    command: event.command ?? '',
    references: event.references ?? [],
    allowed: event.approval?.allow ?? null,
    by: event.by,
    at: event.createdAt,
    items: [],
    usage: null,
    retry: null,
    step: null,
    request: null,
    end: null,
  };
}

function unknownTurn(event: ChatEvent): Turn {
  return {
    key: event.seq,
    text: '',
    attachments: [],
    command: '',
    references: [],
    allowed: null,
    by: '',
    at: event.createdAt,
    items: [],
    usage: null,
    retry: null,
    step: null,
    request: null,
    end: null,
  };
}

// settled closes the open entries of the last turn, which receive no more events.
function settled(turns: Turn[], event: ChatEvent): Turn[] {
  const last = turns.at(-1);
  if (!last || last.end) return turns;
  return [...turns.slice(0, -1), { ...last, items: closed(last.items, event.createdAt) }];
}

function addTo(before: Turn, event: ChatEvent): Turn {
  const at = event.createdAt;
  // Any event ends the wait for a retry, and a step, of which a check is a part.
  const step = event.type === 'check.result' ? before.step : null;
  const turn = before.retry || before.step !== step ? { ...before, retry: null, step } : before;
  switch (event.type) {
    case 'assistant.message_delta':
      return { ...turn, items: withText(thought(turn.items, at), event.seq, event.delta) };
    case 'assistant.reasoning_delta':
      return { ...turn, items: withThinking(turn.items, event.seq, event.delta, at) };
    case 'assistant.message':
      return { ...turn, items: withWhole(thought(turn.items, at), event.seq, event.text) };
    case 'tool.call':
      return { ...turn, items: [...thought(turn.items, at), calling(event)] };
    case 'tool.result':
      return { ...turn, items: answered(turn.items, event.id, 'done', event.result, event.frames) };
    case 'tool.error':
      return { ...turn, items: answered(turn.items, event.id, 'failed', event.error, event.frames) };
    case 'file.changed':
      return { ...turn, items: withFile(turn.items, event.path, event.action) };
    case 'version.created':
      return {
        ...turn,
        items: [
          ...turn.items,
          { kind: 'version', key: event.seq, versionId: event.versionId, filesChanged: event.filesChanged },
        ],
      };
    case 'check.result': {
      const { seq: key, title, passed, message = '', picture = null } = event;
      return { ...turn, items: [...turn.items, { kind: 'check', key, title, passed, message, picture }] };
    }
    case 'session.usage_info':
      return event.retry
        ? { ...turn, retry: event.retry }
        : { ...turn, items: thought(turn.items, at), usage: sum(turn.usage, event) };
    case 'session.compaction_start':
      return { ...turn, items: [...thought(turn.items, at), { kind: 'compaction', key: event.seq, done: false }] };
    case 'session.compaction_complete':
      return { ...turn, items: summarised(turn.items, event.tokensBefore > event.tokensAfter) };
    case 'session.step':
      return { ...turn, step: { step: event.step, faults: event.faults ?? 0 } };
    case 'session.notice':
      return {
        ...turn,
        items: [...thought(turn.items, at), { kind: 'notice', key: event.seq, code: event.code, text: event.text }],
      };
    case 'approval.request': {
      const { id, connector, tool, args, reason } = event;
      return { ...turn, request: { id, connector, tool, args, reason } };
    }
    case 'session.task_complete':
      return {
        ...turn,
        items: closed(turn.items, at),
        end: { kind: 'complete', reason: event.reason, question: event.question ?? null },
      };
    case 'session.error':
      return {
        ...turn,
        items: closed(turn.items, at),
        end: {
          kind: 'error',
          error: event.error,
          message: event.message,
          cause: event.cause ?? '',
          retryAt: event.retryAt ?? '',
        },
      };
    default:
      return turn; // Events of a newer service are ignored.
  }
}

// summarised closes an open summary. Without one it does nothing.
function summarised(items: Item[], shorter: boolean): Item[] {
  if (!shorter) return items.filter((item) => item.kind !== 'compaction' || item.done);
  return items.map((item) => (item.kind === 'compaction' ? { ...item, done: true } : item));
}

function withText(items: Item[], seq: number, delta: string): Item[] {
  const last = items.at(-1);
  if (last?.kind === 'text' && !last.done) return [...items.slice(0, -1), { ...last, text: last.text + delta }];
  return [...items, { kind: 'text', key: seq, text: delta, edition: 0, done: false }];
}

function withThinking(items: Item[], seq: number, delta: string, at: string): Item[] {
  const last = items.at(-1);
  if (last?.kind === 'thinking' && last.ended === null)
    return [...items.slice(0, -1), { ...last, text: last.text + delta }];
  return [...items, { kind: 'thinking', key: seq, text: delta, began: at, ended: null }];
}

// withWhole applies the complete text of an answer. It replaces the chunks if they differ.
function withWhole(items: Item[], seq: number, text: string): Item[] {
  const open = items.filter((item): item is TextItem => item.kind === 'text' && !item.done);
  const finished = items.map((item): Item => (item.kind === 'text' && !item.done ? { ...item, done: true } : item));
  if (open.some((item) => item.text === text) || open.map((item) => item.text).join('') === text) return finished;
  const last = items.at(-1);
  if (last?.kind === 'text' && !last.done)
    return finished.with(-1, { ...last, text, edition: last.edition + 1, done: true });
  return [...finished, { kind: 'text', key: seq, text, edition: 0, done: true }];
}

// thought closes the reasoning when another event follows.
function thought(items: Item[], at: string): Item[] {
  const last = items.at(-1);
  return last?.kind === 'thinking' && last.ended === null ? [...items.slice(0, -1), { ...last, ended: at }] : items;
}

function calling(event: ChatEvent & { type: 'tool.call' }): ToolItem {
  const args =
    event.args !== null && typeof event.args === 'object' && !Array.isArray(event.args)
      ? (event.args as Record<string, unknown>)
      : {};
  return {
    kind: 'tool',
    key: event.seq,
    id: event.id,
    tool: event.tool,
    args,
    state: 'running',
    output: '',
    files: [],
    frames: [],
  };
}

function answered(
  items: Item[],
  id: string,
  state: 'done' | 'failed',
  output: string,
  frames: Attachment[] = [],
): Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.id === id && item.state === 'running');
  return at < 0 ? items : items.with(at, { ...(items[at] as ToolItem), state, output, frames });
}

// withFile attributes a changed file to the first pending call.
function withFile(items: Item[], path: string, action: string): Item[] {
  const at = items.findIndex((item) => item.kind === 'tool' && item.state === 'running');
  if (at < 0) return items;
  const tool = items[at] as ToolItem;
  return items.with(at, { ...tool, files: [...tool.files, { path, action }] });
}

function closed(items: Item[], at: string): Item[] {
  return items.map((item) => {
    if (item.kind === 'text') return item.done ? item : { ...item, done: true };
    if (item.kind === 'thinking') return item.ended === null ? { ...item, ended: at } : item;
    if (item.kind === 'tool') return item.state === 'running' ? { ...item, state: 'failed' } : item;
    return item.kind === 'compaction' ? { ...item, done: true } : item;
  });
}

function sum(usage: Usage | null, more: Omit<Usage, 'cachedTokens'> & { cachedTokens?: number }): Usage {
  return {
    inputTokens: (usage?.inputTokens ?? 0) + more.inputTokens,
    cachedTokens: (usage?.cachedTokens ?? 0) + (more.cachedTokens ?? 0),
    outputTokens: (usage?.outputTokens ?? 0) + more.outputTokens,
    cost: (usage?.cost ?? 0) + more.cost,
  };
}

/** hasLapsed reports whether the next message is about something else than the request before it. */
export function hasLapsed(next: Turn | undefined): boolean {
  return next !== undefined && next.allowed === null;
}

/** answerOf returns the agent's words in a turn. */
export function answerOf(turn: Turn): string {
  return turn.items
    .flatMap((item) => (item.kind === 'text' ? [item.text.trim()] : []))
    .filter(Boolean)
    .join('\n\n');
}

/** versionsOf returns the versions that a turn created, newest first. */
export function versionsOf(turn: Turn): string[] {
  return turn.items.flatMap((item) => (item.kind === 'version' ? [item.versionId] : [])).reverse();
}

/** stepsOf counts what the agent has begun in a turn. */
export function stepsOf(turn: Turn): number {
  return turn.items.filter(({ kind }) => kind === 'tool').length;
}

/** foldsFrom is how many steps of a finished turn are folded into one line; fewer stay as they are. */
const foldsFrom = 5;

/** workOf returns the steps that led to the answer of a finished turn, if they fold into one line. */
export function workOf(turn: Turn): Item[] {
  const isDone = turn.end?.kind === 'complete' && turn.end.reason === 'done';
  if (!isDone || stepsOf(turn) < foldsFrom) return [];
  const last = turn.items.findLastIndex(({ kind }) => kind === 'tool');
  return turn.items.slice(0, last + 1).filter(isWork);
}

// isWork excludes what stays visible: versions, checks, notices and pictures.
function isWork(item: Item): boolean {
  if (item.kind === 'tool') return item.tool !== 'generate_image';
  return item.kind === 'text' || item.kind === 'thinking' || item.kind === 'compaction';
}
