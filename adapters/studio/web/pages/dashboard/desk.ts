import type { Loaded } from '~/api/load';
import type { Folder, Project, SharedTemplate, Workspace } from '~/api/types';
import type { Folders } from './folders';
import type { Place } from './place';
import type { Projects } from './projects';

/** Doing identifies the open dialog of the dashboard. */
export type Doing =
  | { kind: 'newFolder' }
  | { kind: 'create'; template?: string }
  | { kind: 'import'; file?: File }
  | { kind: 'rename' | 'describe' | 'move' | 'visibility' | 'duplicate' | 'share' | 'transfer'; project: Project }
  | { kind: 'editTemplate'; template: SharedTemplate }
  | { kind: 'renameFolder' | 'moveFolder'; folder: Folder };

/** Desk is the shared state of the dashboard. */
export interface Desk {
  workspace: Workspace;
  place: Place;
  go: (change: Partial<Place>, replace?: boolean) => void;
  projects: Projects;
  folders: Folders;
  /** shared are the templates of the workspace. */
  shared: Loaded<SharedTemplate[]>;
  /** begin opens a dialog; null closes it. */
  begin: (doing: Doing | null) => void;
}
