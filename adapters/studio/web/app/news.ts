// Whether somebody has read what is new, in this browser.

import { signal } from '@preact/signals';

import { browserStorage } from '~/storage';

/** latestNews is the id of the newest entry of the page of news. */
export const latestNews = '2026-11';

const memory = 'atelier.news';

const read = signal<string | null>(browserStorage.text(memory));

/** hasNews reports whether there is something new. A browser that comes for the first time has read all. */
export function hasNews(): boolean {
  return read.value !== null && read.value !== latestNews;
}

/** meetNews makes a browser's first visit count as having read the news. */
export function meetNews(): void {
  if (read.peek() === null) markNewsRead();
}

export function markNewsRead(): void {
  browserStorage.setText(memory, latestNews);
  read.value = latestNews;
}
