import type { ListedVersion } from '~/api/types';
import { t } from '~/text';

/** titleOf is what a version is called: by people, else by what they asked the agent for, else by its message. */
export function titleOf(version: ListedVersion): string {
  return version.name || version.wish || firstLine(version.message);
}

/** firstLine returns the title of a message. What the service writes itself is English, and translated here. */
export function firstLine(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  if (message === 'Edited by hand') return t.versions.byHand;
  for (const [beginning, titled] of [
    ['Undo: ', t.versions.undid],
    ['Restore: ', t.versions.wentBack],
    ['Create the project from the template ', t.versions.startedFrom],
  ] as const) {
    if (line.startsWith(beginning)) return titled(firstLine(line.slice(beginning.length)));
  }
  return line || t.versions.noMessage;
}
