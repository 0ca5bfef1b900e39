import type { ListedVersion } from '~/api/types';
import { t } from '~/text';

/** titleOf is what a version is called: by people, else by what they asked the agent for, else by its message. */
export function titleOf(version: ListedVersion): string {
  return version.name || version.wish || firstLine(version.message);
}

/** firstLine returns the title of a message. */
export function firstLine(message: string): string {
  // The service's default message for manual edits is English.
  if (message === 'Edited by hand') return t.versions.byHand;
  return message.split('\n', 1)[0] || t.versions.noMessage;
}
