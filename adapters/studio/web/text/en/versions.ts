import { list, plural } from './words';

interface Summary {
  created: number;
  modified: number;
  deleted: number;
  additions: number;
  deletions: number;
}

export const versions = {
  title: 'Versions',
  none: 'No versions yet',
  noneHint: 'A version is created each time the agent changes something, and whenever you create a save point.',
  choose: 'Every state of your project is kept',
  chooseHint: 'Choose a version to see what it changed, to restore it, or to undo what the agent did.',
  now: 'Now',
  unsaved: (count: number) =>
    `Unsaved changes in ${plural(count, { one: '# file', other: '# files' })}. They become a version a minute after the last change.`,
  current: 'Current',
  star: 'Star',
  rename: 'Name this version',
  name: 'Name',
  nameHint: 'An empty name takes the name back.',
  starred: 'Starred',
  live: 'Live',
  onlyMarked: 'Only starred and named',
  noneMarked: 'No version has a star or a name',
  noneMarkedHint: 'Choose a version to star or name it.',
  compare: 'Compare with',
  before: 'The version before',
  look: 'Look at this version',
  lookHint: 'The pages as they were, for reading.',
  ownTab: 'Open in a tab',
  pageOf: (name: string) => `The page at the version ${name}`,
  byHand: 'Edited by hand',
  today: 'Today',
  yesterday: 'Yesterday',
  agent: 'Agent',
  noMessage: 'Without a message',
  files: (count: number) => plural(count, { one: '# file', other: '# files' }),
  back: 'Back to the list',
  asked: 'The agent was asked:',
  export: 'Zip',

  savePoint: 'Save point',
  savePointHint: 'Name the current state…',
  savedPoint: 'Save point created',
  nothingToSave: 'Nothing has changed since the last version, so there is nothing to save.',

  restore: 'Restore',
  restoreTitle: 'Restore this version?',
  restoreText: 'The files become what they were then. The current state is kept as a version, so nothing is lost.',
  restored: 'Restored',
  restoreTestData: 'Also bring test data back',
  restoreTestDataHint:
    'From the first snapshot since this version that has its collections and fields. The present test data is kept as a snapshot. If no snapshot fits, only the files go back.',
  restoredTestData: 'Restored, test data included',
  noTestData:
    'The files are restored. No snapshot of the test data fits this version, so no test data was brought back.',
  undo: 'Undo this run',
  undoTitle: 'Undo what the agent did here?',
  undoText: 'Only the changes of this run are undone; later changes stay if they do not touch the same lines.',
  undone: 'Undone',
  notDone: 'This did not work.',
  busy: 'The agent is working in this project. Wait until it is done, or stop it.',
  inTheWay: (places: string) =>
    `Later changes touch the same lines: ${places}. Change these by hand, or restore an earlier version.`,

  brought: ({ created, modified, deleted, additions, deletions }: Summary, compared: boolean) => {
    const subject = compared ? 'Compared with that one, this version' : 'This version';
    const files = (count: number) => plural(count, { one: '# file', other: '# files' });
    const parts = [
      modified && `changed ${files(modified)}`,
      created && `added ${files(created)}`,
      deleted && `deleted ${files(deleted)}`,
    ].filter((part) => part !== 0);
    if (parts.length === 0) return compared ? 'Both versions have the same files.' : 'This version changed no files.';
    const brought = list(parts);
    if (additions + deletions === 0) return `${subject} ${brought}.`;
    const lines = `${plural(additions, { one: '# new line', other: '# new lines' })}, ${plural(deletions, { one: '# removed', other: '# removed' })}`;
    return `${subject} ${brought}: ${lines}.`;
  },
  actions: { created: 'new', modified: 'changed', deleted: 'deleted' },
  truncated: 'This version is large: not all of its changes are shown. The zip and git have all of them.',
  leftOut: 'These changes are too large to be shown.',
  noText: 'This is not a text file; its changes are not shown.',
  noLines: 'No line changed.',
  openFile: (path: string) => `Open ${path}`,
  changesIn: (path: string) => `Changes in ${path}`,

  git: 'Work with git',
  gitText: 'This project is a git repository. Clone it, work with your own tools, and push: the files here follow.',
  cloneCommand: 'Command that clones the project',
  gitToken: 'Create a token that may read and write files and projects.',
  makeToken: 'Create a token',
  gitAsk: 'When git asks, give any user name, and the token as the password.',
  gitPush: '“git push” makes your commits versions of the project. Pull first if it has changed in the meantime.',
};
