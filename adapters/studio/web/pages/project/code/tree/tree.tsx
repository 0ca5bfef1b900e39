import { useComputed } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';

import { t } from '~/text';
import { complain } from '~/ui';
import { useVisibleRows } from '~/ui/rows';
import type { Desk } from '../desk';
import { move, remove } from './actions';
import { folderOf, nameOf, type Row, rowsOf, treeOf } from './model';
import type { Wish } from './pathdialog';
import { TreeRow } from './row';
import { dropped, upload } from './upload';

const rowHeight = matchMedia('(pointer: coarse)').matches ? 40 : 28;

// dragKind is the type of data that is dragged within the tree.
const dragKind = 'application/x-atelier-path';

/** Tree shows the project's files and folders. */
export function Tree({ desk, onWish }: { desk: Desk; onWish: (wish: Wish) => void }) {
  const tree = useComputed(() => treeOf(desk.store.files.value));
  const rows = useComputed(() => rowsOf(tree.value, desk.folders.value)).value;
  const [active, setActive] = useState<string | null>(null);
  const { box, from, to, bring } = useVisibleRows(rows.length, rowHeight);
  const { over, hands } = useDrop(desk, rows);
  const shown = desk.current.value?.path.value;
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === active),
  );
  useLayoutEffect(() => {
    if (shown) setActive(shown);
  }, [shown]);
  useLayoutEffect(() => {
    bring(rows.findIndex(({ path }) => path === active));
  }, [active, rows.length === 0]);

  const toggle = (row: Row, open = !row.open) => {
    const next = new Set(desk.folders.peek());
    if (open) next.add(row.path);
    else next.delete(row.path);
    desk.folders.value = next;
  };
  const choose = (row: Row) => {
    setActive(row.path);
    if (row.entry) desk.show({ path: row.path });
    else toggle(row);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    const row = rows[at];
    if (
      row &&
      onTreeKey(
        event,
        rows,
        at,
        { go: setActive, toggle, choose, wish: onWish, remove: (gone) => void remove(desk, gone.path, !gone.entry) },
        desk.store.canEdit.peek(),
      )
    )
      event.preventDefault();
  };
  // The menu key targets the tree, the mouse targets the row.
  const onMenu = (event: MouseEvent) => {
    const row = (event.target as Element).closest('[data-path]') ?? box.current!.querySelector('.tree__row--active');
    const button = row?.querySelector<HTMLElement>('.tree__menu > .menu > button');
    if (!button) return;
    event.preventDefault();
    button.click();
  };
  return (
    <div
      ref={box}
      class={`tree ${over === '' ? 'tree--over' : ''}`}
      role="tree"
      tabIndex={0}
      aria-label={t.code.files}
      aria-activedescendant={at >= from && at < to && rows[at] ? idOf(rows[at].path) : undefined}
      onKeyDown={onKey}
      onContextMenu={onMenu}
      {...hands}
    >
      <div class="tree__all" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(from, to).map((row, index) => (
          <TreeRow
            key={row.path}
            id={idOf(row.path)}
            row={row}
            top={(from + index) * rowHeight}
            height={rowHeight}
            active={row.path === rows[at]?.path}
            shown={row.path === shown}
            over={over !== null && over !== '' && row.path === over}
            desk={desk}
            onChoose={() => choose(row)}
            onWish={onWish}
            onDrag={(event) => event.dataTransfer?.setData(dragKind, row.path)}
          />
        ))}
      </div>
    </div>
  );
}

const idOf = (path: string) => `tree-${encodeURIComponent(path)}`;

// useDrop accepts files dropped from the tree or from outside. over is the folder under the
// pointer.
function useDrop(desk: Desk, rows: Row[]) {
  const [over, setOver] = useState<string | null>(null);
  const canEdit = desk.store.canEdit.value;
  const target = (event: DragEvent): string => {
    const path = (event.target as Element).closest<HTMLElement>('[data-path]')?.dataset.path;
    const row = rows.find((each) => each.path === path);
    return row ? (row.entry ? folderOf(row.path) : row.path) : '';
  };
  const onDragOver = (event: DragEvent) => {
    if (!canEdit) return;
    event.preventDefault();
    setOver(target(event));
  };
  const onDrop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(null);
    if (!canEdit) return;
    const folder = target(event);
    const moving = event.dataTransfer?.getData(dragKind);
    try {
      if (moving) await moveInto(desk, moving, folder);
      else if (event.dataTransfer) await upload(desk, folder, await dropped(event.dataTransfer));
    } catch (error) {
      complain(error);
    }
  };
  return { over, hands: { onDragOver, onDrop, onDragLeave: () => setOver(null) } };
}

// moveInto moves a file or folder into a folder outside it.
async function moveInto(desk: Desk, path: string, folder: string): Promise<void> {
  if (folder === folderOf(path) || folder === path || folder.startsWith(`${path}/`)) return;
  await move(desk, path, folder ? `${folder}/${nameOf(path)}` : nameOf(path));
}

interface Hands {
  go: (path: string) => void;
  toggle: (row: Row, open?: boolean) => void;
  choose: (row: Row) => void;
  wish: (wish: Wish) => void;
  remove: (row: Row) => void;
}

// onTreeKey performs the command of a key. It reports whether the key has one.
function onTreeKey(event: KeyboardEvent, rows: Row[], at: number, hands: Hands, canEdit: boolean): boolean {
  const row = rows[at]!;
  const go = (index: number) => hands.go(rows[Math.min(rows.length - 1, Math.max(0, index))]!.path);
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (event.key) {
    case 'ArrowDown':
      go(at + 1);
      break;
    case 'ArrowUp':
      go(at - 1);
      break;
    case 'Home':
      go(0);
      break;
    case 'End':
      go(rows.length - 1);
      break;
    case 'ArrowRight':
      if (!row.entry && !row.open) hands.toggle(row, true);
      else if (!row.entry) go(at + 1);
      break;
    case 'ArrowLeft':
      if (row.open) hands.toggle(row, false);
      else if (row.depth > 0) hands.go(folderOf(row.path));
      break;
    case 'Enter':
    case ' ':
      hands.choose(row);
      break;
    case 'F2':
      if (canEdit) hands.wish({ kind: 'rename', path: row.path });
      break;
    case 'Delete':
      if (canEdit) hands.remove(row);
      break;
    default: {
      if (event.key.length !== 1) return false;
      const key = event.key.toLowerCase();
      const next = [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(({ name }) =>
        name.toLowerCase().startsWith(key),
      );
      if (!next) return false;
      hands.go(next.path);
    }
  }
  return true;
}
