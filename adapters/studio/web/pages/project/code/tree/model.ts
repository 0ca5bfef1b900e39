import type { FileEntry } from '~/api/types';

/** Row is a line of the tree. */
export interface Row {
  path: string;
  name: string;
  /** depth is 0 at the root. The row is number at (from 1) of its siblings. */
  depth: number;
  at: number;
  of: number;
  /** entry is null for a folder. */
  entry: FileEntry | null;
  open: boolean;
}

/** Folder is a folder with its entries, folders first, each by name. */
export interface Folder {
  path: string;
  folders: Map<string, Folder>;
  files: FileEntry[];
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;

/** treeOf arranges a list of files in folders. */
export function treeOf(entries: readonly FileEntry[]): Folder {
  const root: Folder = { path: '', folders: new Map(), files: [] };
  for (const entry of entries) {
    let folder = root;
    for (let slash = entry.path.indexOf('/'); slash >= 0; slash = entry.path.indexOf('/', slash + 1)) {
      const path = entry.path.slice(0, slash);
      const below = folder.folders.get(path) ?? { path, folders: new Map(), files: [] };
      folder.folders.set(path, below);
      folder = below;
    }
    folder.files.push(entry);
  }
  return root;
}

/** nameOf returns the last part of a path; folderOf returns the rest, '' at the root. */
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** rowsOf returns the visible rows of a tree, given its expanded folders. */
export function rowsOf(folder: Folder, open: ReadonlySet<string>, depth = 0, rows: Row[] = []): Row[] {
  const folders = [...folder.folders.values()].sort((a, b) => byName(a.path, b.path));
  const files = folder.files.toSorted((a, b) => byName(a.path, b.path));
  const of = folders.length + files.length;
  folders.forEach((below, index) => {
    const isOpen = open.has(below.path);
    rows.push({ path: below.path, name: nameOf(below.path), depth, at: index + 1, of, entry: null, open: isOpen });
    if (isOpen) rowsOf(below, open, depth + 1, rows);
  });
  files.forEach((entry, index) => {
    rows.push({
      path: entry.path,
      name: nameOf(entry.path),
      depth,
      at: folders.length + index + 1,
      of,
      entry,
      open: false,
    });
  });
  return rows;
}
