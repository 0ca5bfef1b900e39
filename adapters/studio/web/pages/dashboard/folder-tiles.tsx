import type { Folder } from '~/api/types';
import { isolate, t } from '~/text';
import { Icon, Menu } from '~/ui';
import { removeFolder } from './actions';
import type { Desk } from './desk';
import { useDrop } from './drag';
import { childrenOf } from './folders';
import { addressOf, everything } from './place';

/** FolderTiles shows the subfolders of the open folder. */
export function FolderTiles({ desk }: { desk: Desk }) {
  const folders = childrenOf(desk.folders.items ?? [], desk.place.folder);
  if (folders.length === 0) return null;
  return (
    <ul class="folders" aria-label={t.dashboard.folders}>
      {folders.map((folder) => (
        <Tile key={folder.id} desk={desk} folder={folder} />
      ))}
    </ul>
  );
}

function Tile({ desk, folder }: { desk: Desk; folder: Folder }) {
  const drop = useDrop(desk, folder.id);
  return (
    <li class="folder" {...drop}>
      <a class="folder__name" href={addressOf({ ...everything, folder: folder.id })} draggable={false}>
        <Icon name="folder" />
        <bdi>{folder.name}</bdi>
      </a>
      <Menu
        small
        label={t.dashboard.menuOf(isolate(folder.name))}
        items={[
          { label: t.dashboard.rename, icon: 'edit', onSelect: () => desk.begin({ kind: 'renameFolder', folder }) },
          { label: t.dashboard.move, icon: 'folder', onSelect: () => desk.begin({ kind: 'moveFolder', folder }) },
          null,
          {
            label: t.dashboard.removeFolder,
            icon: 'trash',
            danger: true,
            onSelect: () => void removeFolder(desk, folder),
          },
        ]}
      />
    </li>
  );
}
