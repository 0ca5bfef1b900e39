// The interfaces that an open file depends on.

import type { Extension, Text } from '@codemirror/state';

import type { FileEntry } from '~/api/types';
import type { Room } from './room/room';

/** Account identifies the project in which a file is saved, and whether the user may save it. */
export interface Account {
  projectId: string;
  canEdit: boolean;
}

/** Host is the code pane as its open files see it. */
export interface Host<File> extends Account {
  room: Room;
  /** languageOf loads the language support for a path. */
  languageOf: (path: string) => Promise<Extension>;
  /**
   * extensions returns the editor extensions of a file; named returns those that depend on
   * its path.
   */
  extensions: (file: File, text: Text) => Extension;
  named: (path: string, text: Text, language: Extension) => Extension;
  entryOf: (path: string) => FileEntry | undefined;
  /** changed is called when anyone changes a text. */
  changed: (file: File) => void;
  /** typed is called when the user changes a text. */
  typed: () => void;
  /** written is called after a file is saved, gone after one is deleted. */
  written: (entry: FileEntry) => void;
  gone: (file: File) => void;
  /** still waits until the user's rename of a file is done. */
  still: (file: File) => Promise<void>;
}
