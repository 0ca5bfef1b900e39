import { useMemo, useState } from 'preact/hooks';

import { t } from '~/text';
import { Finder, Icon } from '~/ui';
import { ranked } from '../rank';
import { favourites, recentFiles } from '../recent';
import type { Desk } from './desk';
import { folderOf, nameOf } from './tree/model';

/** QuickOpen opens a file by part of its path. */
export function QuickOpen({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const files = desk.store.files.value;
  const favoured = useMemo(() => {
    const paths = desk.open.peek().map((file) => file.path.peek());
    return favourites(recentFiles(desk.store.id), paths, desk.current.peek()?.path.peek());
  }, []);
  const found = useMemo(
    () =>
      ranked(
        files.map(({ path }) => path),
        query,
        favoured,
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
