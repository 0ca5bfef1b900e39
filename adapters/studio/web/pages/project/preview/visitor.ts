// The end user who is signed in on the preview's page.

import { isText, recordOf, tabStorage } from '~/storage';

const isKept = recordOf<{ origin: string; text: string }>({ origin: isText, text: isText });

/**
 * Visitor carries the session of an end user from one address of a project's preview to the
 * next. Its text comes from the project's pages and is handed to pages of the same project
 * alone; the studio never reads it.
 */
export class Visitor {
  private offered = '';

  /** memory is where the tab keeps the session of this project's user. */
  constructor(private readonly memory: string) {}

  /**
   * take takes what a page says of its user, null for nobody. It returns the session that the
   * page shall have instead, or null.
   */
  take(origin: string, text: string | null): string | null {
    const kept = tabStorage.read(this.memory, isKept);
    // Once for each address: a page that still has no user signed the user out.
    if (text === null && kept && kept.origin !== origin && this.offered !== origin) {
      this.offered = origin;
      return kept.text;
    }
    if (text === null) tabStorage.remove(this.memory);
    else tabStorage.write(this.memory, { origin, text });
    return null;
  }
}
