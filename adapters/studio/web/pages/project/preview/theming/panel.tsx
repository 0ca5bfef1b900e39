import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, Field, Loading, Tabs, TextField } from '~/ui';
import type { ProjectStore } from '../../store';
import { LengthField, useDraft } from '../controls';
import type { Editor } from '../editor';
import { Section } from '../section';
import { readText } from '../sources';
import { usesTailwind } from '../theme';
import { leastContrast, type Rgb, weakPairs } from './contrast';
import { rulesOf, type Scheme, type Token, tokensOf, withToken, withTokens } from './sheet';

// The debounce of saving, in milliseconds.
const rest = 120;

/** ThemePanel edits the tokens of the project's style sheet. */
export default function ThemePanel({ store, editor }: { store: ProjectStore; editor: Editor }) {
  const words = t.preview.edit.theme;
  const { sheet, put, flush } = useSheet(store, editor);
  const [scheme, setScheme] = useState<Scheme>('light');
  if (sheet === undefined) return <Loading />;
  if (sheet === null)
    return (
      <div class="editor__hint">
        <p>{words.noSheet}</p>
      </div>
    );
  const tokens = tokensOf(sheet.text);
  if (tokens.length === 0)
    return (
      <div class="editor__hint">
        <p>{words.none}</p>
        <Button
          icon="add"
          onClick={() => {
            put('first', '', (text) => withTokens(text, usesTailwind(text)));
            flush();
          }}
        >
          {words.add}
        </Button>
        <p class="small faint">{words.noneHint}</p>
      </div>
    );
  const set = (token: Token, value: string) =>
    put(`${scheme} ${token.name}`, token.name, (text) => withToken(text, token.name, scheme, value));
  const groups = (['color', 'font', 'length'] as const).map(
    (kind) => [kind, tokens.filter((one) => one.kind === kind)] as const,
  );
  return (
    <div class="editor__body">
      {/* A column would squeeze the tabs. */}
      <div style={{ display: 'grid', gap: 'var(--space-4)' }}>
        <Tabs
          label={words.schemes}
          panel="theme-tokens"
          current={scheme}
          items={[
            { name: 'light', label: words.light },
            { name: 'dark', label: words.dark },
          ]}
          onChange={(name) => {
            flush();
            setScheme(name as Scheme);
          }}
        />
        <div id="theme-tokens" role="tabpanel" aria-label={words[scheme]} class="editor__section">
          {weakPairs(tokens, scheme, rgbOf).map(({ text, ground, ratio }) => (
            <Banner key={`${text} ${ground}`} kind="warning">
              {words.weak(nameOf(text), nameOf(ground), ratio.toFixed(1), String(leastContrast))}
            </Banner>
          ))}
          {groups.map(
            ([kind, own]) =>
              own.length > 0 && (
                <Section key={kind} title={words.kinds[kind]}>
                  {own.map((token) => (
                    <TokenField
                      key={`${scheme} ${token.name}`}
                      token={token}
                      value={(scheme === 'dark' && token.dark) || token.light}
                      onChange={(value) => set(token, value)}
                      onDone={flush}
                    />
                  ))}
                </Section>
              ),
          )}
        </div>
      </div>
    </div>
  );
}

function nameOf(token: string): string {
  return token.replace(/^colou?r-/, '').replaceAll('-', ' ');
}

interface TokenProps {
  token: Token;
  value: string;
  onChange: (value: string) => void;
  onDone: () => void;
}

function TokenField({ token, value, onChange, onDone }: TokenProps) {
  const label = nameOf(token.name);
  const { shown, setDraft, leave } = useDraft(value, onDone);
  if (token.kind === 'length')
    return <LengthField label={label} property="border-radius" value={value} onChange={onChange} onDone={onDone} />;
  const property = token.kind === 'color' ? 'color' : 'font-family';
  const isWrong = !CSS.supports(property, shown) || /[;{}]/.test(shown);
  const take = (text: string) => {
    setDraft(text);
    if (text.trim() !== '' && CSS.supports(property, text) && !/[;{}]/.test(text)) onChange(text.trim());
  };
  const error = isWrong ? t.preview.edit.invalid : undefined;
  if (token.kind === 'font')
    return (
      <TextField
        label={label}
        value={shown}
        error={error}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={leave}
      />
    );
  return (
    <Field label={label} error={error}>
      {(wiring) => (
        <div class="color">
          <input
            class="color__swatch"
            type="color"
            aria-label={t.preview.edit.pick(label)}
            value={hexOf(shown)}
            onInput={(event) => take(event.currentTarget.value)}
            onChange={leave}
          />
          <input
            {...wiring}
            class="input"
            value={shown}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => take(event.currentTarget.value)}
            onBlur={leave}
          />
        </div>
      )}
    </Field>
  );
}

// rgbOf reads a colour as browsers do. Transparent ones depend on what is below them.
function rgbOf(value: string): Rgb | null {
  const dot = new OffscreenCanvas(1, 1).getContext('2d');
  if (!dot || !CSS.supports('color', value)) return null;
  dot.fillStyle = value;
  dot.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = dot.getImageData(0, 0, 1, 1).data;
  return alpha === 255 ? [red!, green!, blue!] : null;
}

function hexOf(value: string): string {
  return `#${(rgbOf(value) ?? [0, 0, 0]).map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

// useSheet reads the style sheet with the theme, and saves changes of it after a pause. put
// shows them at once; flush saves them now and ends the step.
function useSheet(store: ProjectStore, editor: Editor) {
  const [sheet, setSheet] = useState<{ path: string; text: string } | null>();
  const waiting = useRef<{ key: string; changes: Map<string, (text: string) => string> }>({
    key: '',
    changes: new Map(),
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const files = store.files.value;
  const isBusy = editor.saving.value;
  useEffect(() => {
    if (isBusy || waiting.current.changes.size > 0) return;
    let isCurrent = true;
    void findSheet(store).then((found) => {
      if (isCurrent && waiting.current.changes.size === 0) setSheet(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [files, isBusy]);
  const save = () => {
    clearTimeout(timer.current);
    const { changes, key } = waiting.current;
    if (!sheet || changes.size === 0) return;
    waiting.current = { key, changes: new Map() };
    editor.rewrite(sheet.path, `theme ${key}`, (text) =>
      [...changes.values()].reduce((now, change) => change(now), text),
    );
  };
  const flush = () => {
    save();
    editor.flush();
  };
  const put = (key: string, name: string, change: (text: string) => string) => {
    if (!sheet) return;
    if (waiting.current.key !== key) flush();
    waiting.current.key = key;
    waiting.current.changes.set(key, change);
    const text = change(sheet.text);
    setSheet({ ...sheet, text });
    editor.send({ type: 'tokens', css: rulesOf(text, new Set([name])) });
    clearTimeout(timer.current);
    timer.current = setTimeout(save, rest);
  };
  useEffect(() => flush, []);
  return { sheet, put, flush };
}

async function findSheet(store: ProjectStore): Promise<{ path: string; text: string } | null> {
  const paths = store.files
    .peek()
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.css') && !path.endsWith('.module.css'))
    .sort((a, b) => a.split('/').length - b.split('/').length)
    .slice(0, 20);
  let first: { path: string; text: string } | null = null;
  for (const path of paths) {
    try {
      const text = await readText(store.id, path);
      if (usesTailwind(text) || tokensOf(text).length > 0) return { path, text };
      first ??= { path, text };
    } catch {
      // The file was deleted in the meantime.
    }
  }
  return first;
}
