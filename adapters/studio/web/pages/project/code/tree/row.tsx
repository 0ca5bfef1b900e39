import { useState } from 'preact/hooks';

import { filePath } from '~/api/client';
import { t } from '~/text';
import { Icon, type IconName, Menu, type MenuItem } from '~/ui';
import type { Desk } from '../desk';
import { remove } from './actions';
import { folderOf, type Row } from './model';
import type { Wish } from './pathdialog';

interface TreeRowProps {
  id: string;
  row: Row;
  top: number;
  height: number;
  active: boolean;
  shown: boolean;
  over: boolean;
  desk: Desk;
  onChoose: () => void;
  onWish: (wish: Wish) => void;
  onDrag: (event: DragEvent) => void;
}

/** TreeRow shows a file or folder in the tree. */
export function TreeRow({ id, row, top, height, active, shown, over, desk, onChoose, onWish, onDrag }: TreeRowProps) {
  const look = ['tree__row', active && 'tree__row--active', shown && 'tree__row--shown', over && 'tree__row--over']
    .filter(Boolean)
    .join(' ');
  const wrong = desk.problems.value.some(
    ({ path }) => path === row.path || (!row.entry && !row.open && path.startsWith(`${row.path}/`)),
  );
  const canEdit = desk.store.canEdit.value;
  // Only the active row has a menu, so the tree has just two tab stops.
  const [near, setNear] = useState(false);
  return (
    <div
      id={id}
      class={look}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={row.of}
      aria-posinset={row.at}
      aria-selected={shown}
      aria-expanded={row.entry ? undefined : row.open}
      aria-label={wrong ? `${row.name}, ${t.code.hasProblems}` : row.name}
      data-path={row.path}
      title={row.path}
      style={{ top: `${top}px`, height: `${height}px`, paddingInlineStart: `${6 + row.depth * 14}px` }}
      draggable={canEdit}
      onDragStart={onDrag}
      onClick={onChoose}
      onPointerEnter={() => setNear(true)}
      onPointerLeave={(event) => setNear(event.currentTarget.querySelector('[role=menu]') !== null)}
    >
      <span class={row.open ? 'tree__twist tree__twist--open' : 'tree__twist'}>
        {!row.entry && <Icon name="next" size={12} />}
      </span>
      <Icon name={row.entry ? iconOf(row.path) : 'folder'} />
      <bdi class={wrong ? 'tree__name tree__name--wrong' : 'tree__name'}>{row.name}</bdi>
      <span class="tree__menu" role="presentation" onClick={(event) => event.stopPropagation()}>
        {(active || near) && (
          <Menu small label={t.code.menuOf(row.name)} items={itemsFor(desk, row, onWish, onChoose, canEdit)} />
        )}
      </span>
    </div>
  );
}

function itemsFor(
  desk: Desk,
  row: Row,
  onWish: (wish: Wish) => void,
  onChoose: () => void,
  canEdit: boolean,
): MenuItem[] {
  const folder = row.entry ? folderOf(row.path) : row.path;
  const items: MenuItem[] = row.entry
    ? [
        { label: t.code.open, icon: 'file', onSelect: onChoose },
        { label: t.code.download, icon: 'download', href: filePath(desk.store.id, row.path), download: true },
      ]
    : [];
  items.push({
    label: t.code.copyPath,
    icon: 'copy',
    onSelect: () => void navigator.clipboard.writeText(row.path).catch(() => {}),
  });
  if (!canEdit) return items;
  return [
    ...items,
    null,
    { label: t.code.newFile, icon: 'add', onSelect: () => onWish({ kind: 'file', in: folder }) },
    { label: t.code.newFolder, icon: 'folder', onSelect: () => onWish({ kind: 'folder', in: folder }) },
    null,
    { label: t.code.renameMove, icon: 'edit', hint: 'F2', onSelect: () => onWish({ kind: 'rename', path: row.path }) },
    {
      label: t.code.delete,
      icon: 'trash',
      hint: t.code.deleteKey,
      danger: true,
      onSelect: () => void remove(desk, row.path, !row.entry),
    },
  ];
}

function iconOf(path: string): IconName {
  if (/\.(?:png|jpe?g|gif|webp|avif|ico|svg|bmp)$/i.test(path)) return 'image';
  if (/\.(?:[cm]?[jt]sx?|css|scss|html?|vue|svelte|astro)$/i.test(path)) return 'code';
  if (/(?:^|\/)(?:\.[^/]*|[^/]*\.config\.[^/]+|[^/]*\.(?:json|ya?ml|toml))$/i.test(path)) return 'settings';
  return 'file';
}
