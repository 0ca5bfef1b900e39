import { t } from '~/text';

/** firstLine represents a message in a list. */
export function firstLine(message: string): string {
  // The service names what it made of edits by hand in English.
  if (message === 'Edited by hand') return t.versions.byHand;
  return message.split('\n', 1)[0] || t.versions.noMessage;
}
