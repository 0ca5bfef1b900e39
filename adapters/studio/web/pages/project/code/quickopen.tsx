import { useMemo, useState } from 'preact/hooks';

import { t } from '~/text';
import { Finder, Icon } from '~/ui';
import type { Desk } from './desk';
import { folderOf, nameOf } from './tree/model';

const most = 50;

/** QuickOpen opens a file by part of its path. */
export function QuickOpen({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const files = desk.store.files.value;
  const found = useMemo(
    () =>
      ranked(
        files.map(({ path }) => path),
        query,
      ),
    [files, query],
  );
  return (
    <Finder
      label={t.code.quickOpen}
      hint={t.code.quickOpenHint}
      query={query}
      onQuery={setQuery}
      found={found}
      none={t.code.noSuchFile}
      row={(path) => (
        <>
          <Icon name="file" />
          <bdi>{nameOf(path)}</bdi>
          <bdi class="faint small">{folderOf(path)}</bdi>
        </>
      )}
      onPick={(path) => desk.show({ path })}
      onClose={onClose}
    />
  );
}

/** ranked returns the paths that contain the letters of a query in order, best match first. */
function ranked(paths: string[], query: string): string[] {
  const wanted = query.trim().toLowerCase().replace(/\s+/g, '');
  if (!wanted) return paths.slice(0, most);
  return paths
    .map((path) => ({ path, score: scoreOf(path.toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
    .slice(0, most)
    .map(({ path }) => path);
}

// scoreOf is 0 without a match. Consecutive letters in the name score more than in the
// path, and both score more than scattered letters.
function scoreOf(path: string, wanted: string): number {
  const name = nameOf(path);
  if (name.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let from = 0;
  for (const letter of wanted) {
    from = path.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}
