// The files that were opened last, kept per project in this browser.

import { browserStorage, isText } from '~/storage';

const most = 30;

const memoryOf = (projectId: string) => `atelier.recent.${projectId}`;

/** recentFiles returns the paths that were opened last, newest first. Some may be gone. */
export function recentFiles(projectId: string): string[] {
  return browserStorage.list(memoryOf(projectId), isText);
}

/** visit makes a file the one that was opened last. */
export function visit(projectId: string, path: string): void {
  const before = recentFiles(projectId);
  if (before[0] === path) return;
  browserStorage.write(memoryOf(projectId), [path, ...before.filter((other) => other !== path)].slice(0, most));
}

/**
 * favourites orders the files for somebody who wants another one: those opened last, then the
 * other open ones, then the one that is shown.
 */
export function favourites(recent: string[], open: string[], current: string | undefined): string[] {
  const others = [...new Set([...recent, ...open])].filter((path) => path !== current);
  return current === undefined ? others : [...others, current];
}
