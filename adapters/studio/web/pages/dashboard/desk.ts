import type { Folder, Project, Workspace } from '~/api/types';
import type { Folders } from './folders';
import type { Place } from './place';
import type { Projects } from './projects';

/** Doing is what a dialog of the dashboard is open for. */
export type Doing =
  | { kind: 'create' | 'newFolder' }
  | { kind: 'import'; file?: File }
  | { kind: 'rename' | 'describe' | 'move' | 'visibility' | 'duplicate' | 'transfer'; project: Project }
  | { kind: 'renameFolder' | 'moveFolder'; folder: Folder };

/** Desk is what the parts of the dashboard share. */
export interface Desk {
  workspace: Workspace;
  place: Place;
  go: (change: Partial<Place>, replace?: boolean) => void;
  projects: Projects;
  folders: Folders;
  /** begin opens a dialog, or closes it with null. */
  begin: (doing: Doing | null) => void;
}
