import { plural } from './words';

export const checks = {
  title: 'Checks',
  hint: 'What has to work on your pages. The agent saves a check when it has tried something. Checks run in a browser after every run and before publishing, on fresh test data.',
  none: 'No checks yet',
  noneHint: 'Ask the agent to try something on the page and save it as a check.',
  play: 'Run',
  playOne: (title: string) => `Run “${title}”`,
  playAll: 'Run all',
  playing: 'Running the checks…',
  played: (passed: number, all: number) =>
    passed === all
      ? plural(all, { one: 'The check passed.', other: 'All # checks passed.' })
      : `${passed} of ${all} checks passed.`,
  results: { passed: 'Passed', failed: 'Failed', never: 'Never run' },
  wrong: 'Unreadable',
  step: (step: number) => `Step ${step}`,
  line: (line: number) => `Line ${line}`,
  picture: 'Picture of the failure',
  pictureOf: (title: string) => `The page where “${title}” last failed`,
  edit: 'Edit',
  editOne: (title: string) => `Edit “${title}”`,
  deleteOne: (title: string) => `Delete “${title}”`,
  deleteTitle: 'Delete this check?',
  deleteText: (title: string) => `“${title}” will no longer run. Its file is kept in older versions.`,
  deleted: 'Check deleted',
  unavailable: 'No browser is available here, so checks can’t run, and none holds up publishing.',
  failed: 'Some checks failed, so nothing was published. The site is unchanged.',
  ignore: 'Publish anyway',
  fix: 'Fix with AI',
  fixText: (list: string) => `These checks fail. Please find out why and fix it:\n${list}`,
  inChat: { passed: 'Check passed:', failed: 'Check failed:' },
};
