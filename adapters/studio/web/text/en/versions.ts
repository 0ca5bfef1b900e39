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
  noneHint: 'A version is created each time the agent changes something, and whenever you save one.',
  choose: 'Every state of your project is kept',
  chooseHint: 'Choose a version to see what it changed, to restore it, or to undo what the agent did.',
  now: 'Now',
  unsaved: (count: number) =>
    `Unsaved changes in ${plural(count, { one: '# file', other: '# files' })}. They become a version one minute after the last change.`,
  current: 'Current',
  star: 'Star',
  rename: 'Name this version',
  name: 'Name',
  nameHint: 'Leave empty to remove the name.',
  starred: 'Starred',
  live: 'Live',
  onlyMarked: 'Starred and named only',
  noneMarked: 'No starred or named versions',
  noneMarkedHint: 'Choose a version to star or name it.',
  compare: 'Compare with',
  before: 'Previous version',
  look: 'View this version',
  lookHint: 'The pages as they were, read-only.',
  ownTab: 'Open in a new tab',
  pageOf: (name: string) => `The page at version ${name}`,
  byHand: 'Edited by hand',
  undid: (name: string) => `Undid “${name}”`,
  wentBack: (name: string) => `Went back to “${name}”`,
  startedFrom: (name: string) => `Started from ${name}`,
  today: 'Today',
  yesterday: 'Yesterday',
  agent: 'Agent',
  noMessage: 'No message',
  files: (count: number) => plural(count, { one: '# file', other: '# files' }),
  back: 'Back to the list',
  asked: 'The agent was asked:',
  export: 'Download zip',

  savePoint: 'Save version',
  savePointHint: 'Name this version…',
  savedPoint: 'Version saved',
  nothingToSave: 'Nothing has changed since the last version, so there is nothing to save.',

  restore: 'Restore',
  restoreTitle: 'Restore this version?',
  restoreText: 'The files become what they were then. The current state is kept as a version, so nothing is lost.',
  restored: 'Restored',
  restoreTestData: 'Also restore test data',
  restoreTestDataHint:
    'From the first snapshot since this version that has its collections and fields. The current test data is kept as a snapshot. If no snapshot fits, only the files are restored.',
  restoredTestData: 'Restored, test data included',
  noTestData: 'The files are restored. No snapshot of the test data fits this version, so no test data was restored.',
  undo: 'Undo this run',
  undoTitle: 'Undo what the agent did here?',
  undoText: 'Only this run’s changes are undone. Later changes stay if they don’t touch the same lines.',
  undone: 'Undone',
  notDone: 'That didn’t work.',
  busy: 'The agent is working on this project. Wait until it’s done, or stop it.',
  inTheWay: (places: string) =>
    `Later changes touch the same lines: ${places}. Edit these by hand, or restore an earlier version.`,

  brought: ({ created, modified, deleted, additions, deletions }: Summary, compared: boolean) => {
    const subject = compared ? 'Compared to that version, this one' : 'This version';
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
  truncated: 'This version is large, so not all of its changes are shown. The zip and git have all of them.',
  leftOut: 'These changes are too large to show.',
  noText: 'This isn’t a text file, so its changes aren’t shown.',
  noLines: 'No lines changed.',
  openFile: (path: string) => `Open ${path}`,
  changesIn: (path: string) => `Changes in ${path}`,

  git: 'Clone with Git',
  gitText: 'This project is a git repository. Clone it, work with your own tools, and push: the files here follow.',
  cloneCommand: 'Command to clone the project',
  gitToken: 'Create a token that can read and write files and projects.',
  makeToken: 'Create a token',
  gitAsk: 'When git asks, enter any user name, and the token as the password.',
  gitPush: '“git push” turns your commits into versions of the project. Pull first if it has changed in the meantime.',
};
