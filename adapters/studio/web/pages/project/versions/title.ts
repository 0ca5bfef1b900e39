import { t } from '~/text';

/** firstLine returns the title of a message. */
export function firstLine(message: string): string {
  // The service's default message for manual edits is English.
  if (message === 'Edited by hand') return t.versions.byHand;
  return message.split('\n', 1)[0] || t.versions.noMessage;
}
