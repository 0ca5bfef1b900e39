// Completions, hover and definitions in the editor, as TypeScript's language server tells them.

import {
  autocompletion,
  type Completion as Choice,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
} from '@codemirror/autocomplete';
import type { ChangeDesc, EditorState, Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, ViewPlugin, type ViewUpdate } from '@codemirror/view';

import type { Place } from '../../store';
import { type Asked, Assist, type Completion, type Described } from './assist';
import { offsetOf, speaks } from './places';
import { changesOf, completesAt, placeOf, rangeOf } from './spans';

/** Reader is what the extension needs of the code pane. */
export interface Reader {
  assist: Assist;
  show: (place: Place) => void;
  format: () => void;
  say: (text: string) => void;
  keys: { definition: string; format: string };
  isMac: boolean;
  words: { definedIn: (name: string) => string; noDefinition: string };
}

export { Assist };

const theme = EditorView.theme({
  '.cm-described': {
    maxWidth: '60ch',
    maxHeight: '20em',
    padding: 'var(--space-1-half) var(--space-3)',
    overflow: 'auto',
    fontSize: 'var(--small)',
  },
  '.cm-described code': { fontFamily: 'var(--mono)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-described p': { margin: 'var(--space-1) 0 0', fontFamily: 'var(--font)', whiteSpace: 'pre-wrap' },
});

/** assisted returns the extension for a file. */
export function assisted(path: string, reader: Reader): Extension {
  if (!speaks(path)) return [];
  const { assist } = reader;
  return [
    following,
    theme,
    autocompletion({ override: [completionSource(path, assist)] }),
    hoverTooltip((view, pos) => hover(view.state, path, assist, pos), { hoverTime: 400 }),
    keymap.of([
      {
        key: reader.keys.definition,
        preventDefault: true,
        run: (view) => jump(view.state, path, reader, view.state.selection.main.head),
      },
      {
        key: reader.keys.format,
        preventDefault: true,
        run: () => {
          if (!assist.knows(path)) return false;
          reader.format();
          return true;
        },
      },
    ]),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        if (event.button !== 0 || event.altKey || event.shiftKey || !(reader.isMac ? event.metaKey : event.ctrlKey))
          return false;
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null || !jump(view.state, path, reader, at)) return false;
        event.preventDefault();
        return true;
      },
    }),
  ];
}

const ask = (state: EditorState, path: string, at: number): Asked => ({
  path,
  ...placeOf(state.doc, at),
  text: state.sliceDoc(),
});

function completionSource(path: string, assist: Assist): CompletionSource {
  return async (context) => {
    if (!assist.knows(path)) return ofLanguage(context);
    const line = context.state.doc.lineAt(context.pos);
    if (!context.explicit && !completesAt(line.text.slice(0, context.pos - line.from))) return null;
    const left = new AbortController();
    context.addEventListener('abort', () => left.abort());
    try {
      const found = await assist.complete(ask(context.state, path, context.pos), left.signal);
      return {
        from: Math.min(context.pos, offsetOf(context.state.doc, line.number, found.column)),
        options: found.items.map((item, index) => choiceOf(item, index, path, assist, context.view)),
        validFor: found.truncated ? undefined : /^[\w$]*$/,
      };
    } catch {
      return null;
    }
  };
}

// ofLanguage asks the sources of the language itself, which know single files.
async function ofLanguage(context: CompletionContext): Promise<CompletionResult | null> {
  const sources = context.state.languageDataAt<CompletionSource | Choice[]>('autocomplete', context.pos);
  const found = await Promise.all(sources.map((source) => (typeof source === 'function' ? source(context) : null)));
  const results = found.filter((result) => result !== null);
  const [first] = results;
  if (!first) return null;
  return {
    ...first,
    options: results.filter(({ from }) => from === first.from).flatMap(({ options }) => options),
  };
}

function choiceOf(item: Completion, index: number, path: string, assist: Assist, view?: EditorView): Choice {
  return {
    label: item.label,
    detail: item.source,
    type: item.kind,
    // The service has put the likeliest first.
    sortText: String(index).padStart(5, '0'),
    apply: (editor, choice, from, to) => pick(editor, item, choice, { from, to }, path, assist),
    info: view && (() => describe(view, item, path, assist)),
  };
}

async function describe(view: EditorView, item: Completion, path: string, assist: Assist): Promise<Node | null> {
  try {
    return cardOf(await assist.describe(ask(view.state, path, view.state.selection.main.head), item));
  } catch {
    return null;
  }
}

// pick writes a completion. What goes with it, such as an import, follows when the service has
// said what that is.
function pick(
  view: EditorView,
  item: Completion,
  choice: Choice,
  { from, to }: { from: number; to: number },
  path: string,
  assist: Assist,
): void {
  const before = view.state;
  const replaced = item.replace ? rangeOf(before.doc, item.replace) : { from, to };
  const insert = item.insert ?? item.label;
  view.dispatch({
    changes: { ...replaced, to: Math.max(replaced.to, to), insert },
    selection: { anchor: replaced.from + insert.length },
    userEvent: 'input.complete',
    scrollIntoView: true,
    annotations: pickedCompletion.of(choice),
  });
  if (!item.source) return;
  const plugin = view.plugin(following);
  const since = plugin?.follow(before.changes({ ...replaced, to: Math.max(replaced.to, to), insert }));
  void assist
    .describe(ask(before, path, to), item)
    .then(({ edits }) => {
      const changes = since?.();
      // Another file may be in the editor by now.
      if (!changes || edits.length === 0 || view.plugin(following) !== plugin) return;
      view.dispatch({
        changes: before.changes(changesOf(before.doc, edits)).map(changes),
        userEvent: 'input.complete',
      });
    })
    .catch(() => since?.());
}

// Following keeps track of the changes since something was asked.
class Following {
  private readonly open = new Set<{ changes: ChangeDesc }>();

  // follow returns a function that returns the changes since, the first ones included, and stops.
  follow(first: ChangeDesc): () => ChangeDesc {
    const one = { changes: first };
    this.open.add(one);
    return () => {
      this.open.delete(one);
      return one.changes;
    };
  }

  update(update: ViewUpdate): void {
    if (update.docChanged) for (const one of this.open) one.changes = one.changes.composeDesc(update.changes.desc);
  }
}

const following = ViewPlugin.fromClass(Following);

async function hover(state: EditorState, path: string, assist: Assist, at: number) {
  if (!assist.knows(path)) return null;
  try {
    const found = await assist.hover(ask(state, path, at));
    const card = found.range && cardOf(found);
    if (!card) return null;
    const { from, to } = rangeOf(state.doc, found.range!);
    return { pos: from, end: to, above: true, create: () => ({ dom: card }) };
  } catch {
    return null;
  }
}

// cardOf shows a name. Its texts come from sources and stay texts.
function cardOf({ signature, documentation }: Described): HTMLElement | null {
  if (!signature && !documentation) return null;
  const card = document.createElement('div');
  card.className = 'cm-described';
  if (signature) card.append(Object.assign(document.createElement('code'), { textContent: signature }));
  if (documentation) card.append(Object.assign(document.createElement('p'), { textContent: documentation }));
  return card;
}

// jump shows where a name is defined.
function jump(state: EditorState, path: string, { assist, show, say, words }: Reader, at: number): boolean {
  if (!assist.knows(path)) return false;
  void assist
    .define(ask(state, path, at))
    .then(([found]) => {
      if (found?.path) show({ path: found.path, line: found.line, column: found.column });
      else say(found?.package ? words.definedIn(found.package) : words.noDefinition);
    })
    .catch(() => say(words.noDefinition));
  return true;
}
