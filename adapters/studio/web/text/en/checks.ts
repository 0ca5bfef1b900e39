import { plural } from './words';

export const checks = {
  title: 'Checks',
  hint: 'What must work on the pages. The agent keeps checks when it has tried something; they are played in a browser after every run and before publishing, on fresh test data.',
  none: 'No checks yet',
  noneHint: 'Ask the agent to try something on the page and to keep it as a check.',
  play: 'Play',
  playOne: (title: string) => `Play “${title}”`,
  playAll: 'Play all',
  playing: 'The checks are being played.',
  played: (passed: number, all: number) =>
    passed === all
      ? plural(all, { one: 'The check passed.', other: 'All # checks passed.' })
      : `${passed} of ${all} checks passed.`,
  results: { passed: 'Passed', failed: 'Failed', never: 'Never played' },
  wrong: 'Cannot be read',
  step: (step: number) => `Step ${step}`,
  line: (line: number) => `Line ${line}`,
  picture: 'Picture of the failure',
  pictureOf: (title: string) => `The page where “${title}” failed last`,
  edit: 'Edit',
  editOne: (title: string) => `Edit “${title}”`,
  deleteOne: (title: string) => `Delete “${title}”`,
  deleteTitle: 'Delete the check?',
  deleteText: (title: string) => `“${title}” is no longer played. Its file stays in older versions.`,
  deleted: 'The check was deleted.',
  unavailable: 'There is no browser here, so checks neither pass nor fail, and none holds up a publish.',
  failed: 'Checks failed, so nothing was published. The site is unchanged.',
  ignore: 'Publish nevertheless',
  fix: 'Fix with the agent',
  fixText: (list: string) => `These checks of the project fail. Please find out why, and correct it:\n${list}`,
  inChat: { passed: 'Check passed:', failed: 'Check failed:' },
};
