import { useSignalEffect } from '@preact/signals';
import Format from 'lucide/dist/esm/icons/list-indent-increase.mjs';
import TextWrap from 'lucide/dist/esm/icons/text-wrap.mjs';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';

import { useCommands } from '~/app/commands';
import { useShortcuts } from '~/app/keys';
import { keysOf } from '~/app/shortcuts';
import { t } from '~/text';
import { Empty, IconButton, LinkButton, Split } from '~/ui';
import type { ProjectStore } from '../store';
import { Desk } from './desk';
import { formats, size, toggleFormat, toggleWrap, zoom } from './editor/preferences';
import { Problems } from './problems';
import { QuickOpen } from './quickopen';
import { Sheet } from './sheet';
import { Side, type View } from './side';
import { Status } from './status';
import { FileTabs } from './tabs';
import { PathDialog, type Wish } from './tree/pathdialog';

/** CodePane shows a project's files. Members can edit them. */
export default function CodePane({ store }: { store: ProjectStore }) {
  const desk = useMemo(() => new Desk(store), []);
  const [view, setView] = useState<View>('files');
  const [searches, setSearches] = useState(0);
  const [wish, setWish] = useState<Wish | null>(null);
  const [quick, setQuick] = useState(false);
  const [listed, setListed] = useState(false);
  const [drawer, setDrawer] = useState(false);
  useEffect(() => desk.start(), []);
  const file = desk.current.value;
  useLayoutEffect(() => setDrawer(!file), [file]);
  useSignalEffect(() => {
    if (desk.shows.value > 0) setDrawer(false);
  });

  const search = () => {
    store.show('code');
    setView('search');
    setSearches((count) => count + 1);
    setDrawer(true);
  };
  const turn = (next: View, pressed: boolean) => {
    setView(next);
    setSearches((count) => (pressed ? count + 1 : 0));
  };
  const check = () => {
    store.show('code');
    setListed(true);
    setDrawer(false);
    void desk.checkTypes();
  };
  useCommands('code', [
    { name: t.code.quickOpen, icon: 'file', shortcut: 'quickOpen', run: () => setQuick(true) },
    { name: t.code.search, icon: 'search', shortcut: 'search', run: search },
    { name: t.code.checkTypes, icon: 'check', run: check },
    { name: t.code.wrap, icon: TextWrap, run: toggleWrap },
    ...(desk.assist.value?.available.value
      ? [
          { name: t.code.format, icon: Format, shortcut: 'format' as const, run: () => void desk.format() },
          { name: formats.value ? t.code.formatOff : t.code.formatOn, icon: Format, run: toggleFormat },
        ]
      : []),
    { name: t.code.larger, icon: 'add', run: () => zoom(1) },
    { name: t.code.smaller, icon: 'minus', run: () => zoom(-1) },
    ...(store.canEdit.value
      ? [{ name: t.code.newFile, icon: 'add' as const, run: () => setWish({ kind: 'file', in: '' }) }]
      : []),
    ...(file
      ? [
          {
            name: t.code.closeCurrent,
            icon: 'close' as const,
            shortcut: 'closeFile' as const,
            run: () => void desk.close(file),
          },
        ]
      : []),
  ]);
  useShortcuts(
    store.pane.value === 'code'
      ? {
          quickOpen: () => setQuick(true),
          search,
          save: () => void desk.saveByHand(),
          closeFile: file && (() => void desk.close(file)),
        }
      : {},
  );

  return (
    // Without this, the browser would open files that are dropped outside the tree.
    <div
      class={drawer ? 'code code--drawer' : 'code'}
      style={{ '--code-size': `${size.value}px` }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => event.preventDefault()}
    >
      <Split
        name="files"
        label={t.code.files}
        initial={24}
        min={12}
        max={60}
        first={<Side desk={desk} view={view} onView={turn} searches={searches} onWish={setWish} />}
        second={
          <div class="code__main">
            <div class="code__tabs">
              <span class="code__back">
                <IconButton
                  icon="list"
                  label={t.code.files}
                  aria-expanded={drawer}
                  onClick={() => setDrawer(!drawer)}
                />
              </span>
              <FileTabs desk={desk} />
            </div>
            <div
              class="code__panel"
              id="code-panel"
              role="tabpanel"
              aria-label={file ? file.path.value : t.code.openFiles}
            >
              {file ? (
                <Sheet desk={desk} file={file} />
              ) : (
                <Empty
                  icon="code"
                  title={t.code.nothingOpen}
                  actions={
                    <LinkButton icon="info" href="/help/code">
                      {t.help.title}
                    </LinkButton>
                  }
                >
                  {t.code.nothingOpenHint(keysOf('quickOpen'))}
                </Empty>
              )}
            </div>
            {listed && <Problems desk={desk} onClose={() => setListed(false)} />}
            {file && <Status desk={desk} file={file} onProblems={() => setListed(!listed)} />}
          </div>
        }
      />
      {wish && <PathDialog desk={desk} wish={wish} onClose={() => setWish(null)} />}
      {quick && <QuickOpen desk={desk} onClose={() => setQuick(false)} />}
    </div>
  );
}
