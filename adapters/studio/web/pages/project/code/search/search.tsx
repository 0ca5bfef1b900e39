import { useEffect, useMemo, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SearchMatch } from '~/api/types';
import { t } from '~/text';
import { Button, inWords, Loading, TextField, useFocusOnMount } from '~/ui';
import type { Desk } from '../desk';
import { columnOf, noWish, partsOf, patternOf, queryOf, type Wish, within } from './query';

interface Answer {
  matches: SearchMatch[];
  truncated: boolean;
}

const most = 1000;
// More matches than this are not rendered.
const mostShown = 300;

/** Search searches all files, and replaces what it finds. A new value of wish focuses its field. */
export function Search({ desk, wish: searches }: { desk: Desk; wish: number | false }) {
  const field = useFocusOnMount<HTMLInputElement>(searches);
  const [wish, setWish] = useState<Wish>(noWish);
  const [shown, setShown] = useState({ replacement: false, paths: false });
  const { answer: whole, error, busy } = useSearch(desk, wish);
  const answer = useMemo(() => whole && only(whole, wish), [whole, wish.include, wish.exclude]);
  const put = (name: 'text' | 'include' | 'exclude') => (event: { currentTarget: HTMLInputElement }) =>
    setWish({ ...wish, [name]: event.currentTarget.value });
  const plain = { autocomplete: 'off', spellcheck: false, maxLength: 400 } as const;
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
          {...plain}
          onInput={put('text')}
        />
        <div class="search__ways">
          <Way pressed={!wish.anyCase} onPress={() => setWish({ ...wish, anyCase: !wish.anyCase })}>
            {t.code.matchCase}
          </Way>
          <Way pressed={wish.regex} onPress={() => setWish({ ...wish, regex: !wish.regex })}>
            {t.code.regex}
          </Way>
          <Way pressed={shown.paths} onPress={() => setShown({ ...shown, paths: !shown.paths })}>
            {t.code.searchPaths}
          </Way>
          {desk.store.canEdit.value && (
            <Way pressed={shown.replacement} onPress={() => setShown({ ...shown, replacement: !shown.replacement })}>
              {t.code.replace}
            </Way>
          )}
        </div>
        {(shown.paths || wish.include || wish.exclude) && (
          <>
            <TextField
              label={t.code.searchIn}
              placeholder="src, *.tsx"
              value={wish.include}
              {...plain}
              onInput={put('include')}
            />
            <TextField
              label={t.code.searchNotIn}
              placeholder="*.test.ts, docs"
              value={wish.exclude}
              {...plain}
              onInput={put('exclude')}
            />
          </>
        )}
        {shown.replacement && <Replacing desk={desk} wish={wish} answer={answer} />}
      </div>
      <div class="search__found" aria-live="polite">
        {busy && !answer && <Loading />}
        {answer && (
          <p class="search__note">
            {answer.matches.length === 0
              ? t.code.nothingFound
              : t.code.found(answer.matches.length, pathsOf(answer).length)}
            {(answer.truncated || answer.matches.length > mostShown) && ` ${t.code.moreFound}`}
          </p>
        )}
        {!wish.text && <p class="search__note">{t.code.searchTeach}</p>}
        {answer &&
          grouped(answer.matches.slice(0, mostShown)).map(([path, matches]) => (
            <Group key={path} desk={desk} path={path} matches={matches} pattern={patternOf(wish)} />
          ))}
      </div>
    </div>
  );
}

function Way({ pressed, onPress, children }: { pressed: boolean; onPress: () => void; children: string }) {
  return (
    <button type="button" class="search__way" aria-pressed={pressed} onClick={onPress}>
      {children}
    </button>
  );
}

// Replacing has the field of the replacement, and opens the preview of what it changes.
function Replacing({ desk, wish, answer }: { desk: Desk; wish: Wish; answer: Answer | undefined }) {
  const [replacement, setReplacement] = useState('');
  const [open, setOpen] = useState(false);
  const paths = answer ? pathsOf(answer) : [];
  return (
    <>
      <TextField
        label={t.code.replaceWith}
        hint={wish.regex ? t.code.replaceGroups : undefined}
        value={replacement}
        autocomplete="off"
        spellcheck={false}
        maxLength={2000}
        onInput={(event) => setReplacement(event.currentTarget.value)}
      />
      {answer?.truncated && <p class="search__note">{t.code.replaceTooMany}</p>}
      <Button
        small
        icon="edit"
        disabled={paths.length === 0 || !answer || answer.truncated || paths.length > mostFiles}
        onClick={() => setOpen(true)}
      >
        {t.code.replaceShow}
      </Button>
      {open && (
        <Preview desk={desk} wish={wish} replacement={replacement} paths={paths} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

// The service takes as many operations in one request.
const mostFiles = 500;

function Preview(props: { desk: Desk; wish: Wish; replacement: string; paths: string[]; onClose: () => void }) {
  const { data } = useLoad('replace', () => import('./replace'));
  return data ? <data.ReplaceDialog {...props} /> : null;
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

function only(answer: Answer, wish: Wish): Answer {
  const isIn = within(wish);
  return { ...answer, matches: answer.matches.filter(({ path }) => isIn(path)) };
}

function pathsOf({ matches }: Answer): string[] {
  return [...new Set(matches.map(({ path }) => path))];
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

// Line shows the part of a line around its match.
function Line({ match, pattern }: { match: SearchMatch; pattern: RegExp | null }) {
  const [before, found, after] = partsOf(match, pattern);
  return (
    <code class="search__text">
      {before}
      {found && <mark>{found}</mark>}
      {after}
    </code>
  );
}
