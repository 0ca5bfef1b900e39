// The first prompt of a project: what somebody typed on the front page or the dashboard. It
// is kept until a project was made of it, through sign-up, sign-in and reloads.

import { tabStorage } from '~/storage';

const draft = 'atelier.prompt';
const asked = 'atelier.prompt.asked';

/** longestWish is the most characters that the service takes. */
export const longestWish = 100_000;

export function keptWish(): string {
  return tabStorage.text(draft) ?? '';
}

export function keepWish(text: string): void {
  tabStorage.setText(draft, text);
}

export function forgetWish(): void {
  tabStorage.remove(draft);
  tabStorage.remove(asked);
}

/** askForWish remembers that a visitor wants the wish built as soon as they are signed in. */
export function askForWish(text: string): void {
  keepWish(text);
  tabStorage.setText(asked, 'yes');
}

/** isWishAsked reports whether a visitor has asked for the kept wish. */
export function isWishAsked(): boolean {
  return tabStorage.text(asked) !== null && keptWish().trim() !== '';
}

/** takeAsked is isWishAsked, once: what fails is tried again by the user, not by itself. */
export function takeAsked(): boolean {
  const is = isWishAsked();
  tabStorage.remove(asked);
  return is;
}

// The project that this tab has made of a wish, until its first run has ended.
const built = 'atelier.prompt.built';

export function expectBuild(projectId: string): void {
  tabStorage.setText(built, projectId);
}

export function isBuildExpected(projectId: string): boolean {
  return tabStorage.text(built) === projectId;
}

export function endBuild(): void {
  tabStorage.remove(built);
}
