import type { Folder, Project, Workspace } from '~/api/types';
import type { Folders } from './folders';
import type { Place } from './place';
import type { Projects } from './projects';

/** Doing identifies the open dialog of the dashboard. */
export type Doing =
  | { kind: 'newFolder' }
  | { kind: 'create'; template?: string }
  | { kind: 'import'; file?: File }
  | { kind: 'rename' | 'describe' | 'move' | 'visibility' | 'duplicate' | 'transfer'; project: Project }
  | { kind: 'renameFolder' | 'moveFolder'; folder: Folder };

/** Desk is the shared state of the dashboard. */
export interface Desk {
  workspace: Workspace;
  place: Place;
  go: (change: Partial<Place>, replace?: boolean) => void;
  projects: Projects;
  folders: Folders;
  /** begin opens a dialog; null closes it. */
  begin: (doing: Doing | null) => void;
}
