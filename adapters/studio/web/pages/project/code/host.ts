// The services that an open file depends on.

import type { Extension, Text } from '@codemirror/state';

import type { FileEntry } from '~/api/types';
import type { Room } from './room/room';

/** Account is where a file is saved, and whether it may be. */
export interface Account {
  projectId: string;
  canEdit: boolean;
}

/** Host is the interface of the code pane that open files use. */
export interface Host<File> extends Account {
  room: Room;
  /** languageOf loads the editor's support for a file's language. */
  languageOf: (path: string) => Promise<Extension>;
  /** extensions are those of the editor for a file, named those that come with its path. */
  extensions: (file: File, text: Text) => Extension;
  named: (path: string, text: Text, language: Extension) => Extension;
  entryOf: (path: string) => FileEntry | undefined;
  /** typed is called when the reader changed a text. */
  typed: () => void;
  /** written is called for a file that was saved, gone for one that was deleted. */
  written: (entry: FileEntry) => void;
  gone: (file: File) => void;
  /** still waits while the reader renames a file. */
  still: (file: File) => Promise<void>;
}
