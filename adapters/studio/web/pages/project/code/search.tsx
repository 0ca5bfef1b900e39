import { useEffect, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { SearchMatch } from '~/api/types';
import { t } from '~/text';
import { inWords, Loading, TextField, useFocusOnMount } from '~/ui';
import type { Desk } from './desk';

interface Answer {
  matches: SearchMatch[];
  truncated: boolean;
}

interface Wish {
  text: string;
  /** pattern is true if the text is a regular expression. */
  pattern: boolean;
  anyCase: boolean;
}

const most = 300;

/** Search searches all files. A new value of wish focuses its field. */
export function Search({ desk, wish: searches }: { desk: Desk; wish: number | false }) {
  const field = useFocusOnMount<HTMLInputElement>(searches);
  const [wish, setWish] = useState<Wish>({ text: '', pattern: false, anyCase: true });
  const { answer, error, busy } = useSearch(desk, wish);
  const toggle = (name: 'pattern' | 'anyCase') => setWish({ ...wish, [name]: !wish[name] });
  return (
    <div class="search">
      <div class="search__head">
        <TextField
          label={t.code.search}
          hideLabel
          type="search"
          placeholder={t.code.searchHint}
          value={wish.text}
          error={error}
          field={field}
          autocomplete="off"
          spellcheck={false}
          maxLength={400}
          onInput={(event) => setWish({ ...wish, text: event.currentTarget.value })}
        />
        <div class="search__ways">
          <button type="button" class="search__way" aria-pressed={!wish.pattern} onClick={() => toggle('pattern')}>
            {t.code.literal}
          </button>
          <button type="button" class="search__way" aria-pressed={!wish.anyCase} onClick={() => toggle('anyCase')}>
            {t.code.matchCase}
          </button>
        </div>
      </div>
      <div class="search__found" aria-live="polite">
        {busy && !answer && <Loading />}
        {answer && (
          <p class="search__note">
            {answer.matches.length === 0
              ? t.code.nothingFound
              : t.code.found(answer.matches.length, new Set(answer.matches.map(({ path }) => path)).size)}
            {answer.truncated && ` ${t.code.moreFound}`}
          </p>
        )}
        {!wish.text && <p class="search__note">{t.code.searchTeach}</p>}
        {answer &&
          grouped(answer.matches).map(([path, matches]) => (
            <Group key={path} desk={desk} path={path} matches={matches} pattern={patternOf(wish)} />
          ))}
      </div>
    </div>
  );
}

function useSearch(desk: Desk, wish: Wish) {
  const [state, setState] = useState<{ answer?: Answer; error?: string; busy: boolean }>({ busy: false });
  const query = queryOf(wish);
  const files = desk.store.files.value;
  useEffect(() => {
    if (!wish.text) {
      setState({ busy: false });
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      setState((was) => ({ ...was, busy: true }));
      try {
        const answer = await api.get<Answer>(`/projects/${desk.store.id}/files/search`, {
          query: { q: query, maxResults: most },
          signal: controller.signal,
        });
        setState({ answer, busy: false });
      } catch (error) {
        if (!controller.signal.aborted) setState({ error: wordsFor(error), busy: false });
      }
    }, 200);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, files]);
  return state;
}

function wordsFor(error: unknown): string {
  return error instanceof ApiError && error.code === 'invalid_regex'
    ? t.code.badPattern(error.message.replace('(?i)', ''))
    : inWords(error);
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function queryOf({ text, pattern, anyCase }: Wish): string {
  return (anyCase ? '(?i)' : '') + (pattern ? text : escaped(text));
}

// patternOf finds the match in a line of a result. Go's and the browser's regular
// expressions differ; a pattern that the browser rejects is not highlighted.
function patternOf({ text, pattern, anyCase }: Wish): RegExp | null {
  try {
    return new RegExp(pattern ? text : escaped(text), anyCase ? 'iu' : 'u');
  } catch {
    return null;
  }
}

function grouped(matches: SearchMatch[]): [string, SearchMatch[]][] {
  const groups = new Map<string, SearchMatch[]>();
  for (const match of matches) groups.set(match.path, [...(groups.get(match.path) ?? []), match]);
  return [...groups];
}

function Group({
  desk,
  path,
  matches,
  pattern,
}: {
  desk: Desk;
  path: string;
  matches: SearchMatch[];
  pattern: RegExp | null;
}) {
  return (
    <section class="search__group" aria-label={path}>
      <h2 class="search__file" title={path}>
        <bdi>{path}</bdi> <span class="faint">{matches.length}</span>
      </h2>
      <ul>
        {matches.map((match) => (
          <li key={match.line}>
            <button
              type="button"
              class="search__match"
              onClick={() => desk.show({ path, line: match.line, column: columnOf(match) })}
            >
              <span class="search__line">{match.line}</span>
              <Line match={match} pattern={pattern} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

// columnOf converts a column in bytes to UTF-16 units.
function columnOf({ text, column }: SearchMatch): number {
  const before = new TextEncoder().encode(text).slice(0, column - 1);
  return new TextDecoder().decode(before).length + 1;
}

// Line shows the part of a line around its match.
function Line({ match, pattern }: { match: SearchMatch; pattern: RegExp | null }) {
  const start = columnOf(match) - 1;
  const rest = match.text.slice(start);
  const found = pattern?.exec(rest);
  const length = found?.index === 0 ? found[0].length : 0;
  const before = match.text.slice(0, start).trimStart();
  return (
    <code class="search__text">
      {before.length > 30 ? `…${before.slice(-30)}` : before}
      {length > 0 && <mark>{rest.slice(0, length)}</mark>}
      {rest.slice(length, length + 200)}
    </code>
  );
}
