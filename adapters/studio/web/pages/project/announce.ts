// The end of a run, for somebody who looks at another tab: a mark in the title, and a
// notification for those who have asked for it.

import { browserStorage } from '~/storage';
import { t } from '~/text';

const memory = 'atelier.notify';
const mark = '● ';

/** announceEnd tells that a run has ended, if the page is hidden. */
export function announceEnd(project: string): void {
  if (!document.hidden) return;
  if (!document.title.startsWith(mark)) document.title = mark + document.title;
  document.addEventListener('visibilitychange', unmark, { once: true });
  if (isNotified()) {
    const note = new Notification(t.project.runEnded(project), { icon: '/favicon.svg', tag: 'atelier-run' });
    note.onclick = () => {
      window.focus();
      note.close();
    };
  }
}

function unmark(): void {
  if (document.title.startsWith(mark)) document.title = document.title.slice(mark.length);
}

/** canNotify reports whether the browser has notifications and has not refused them. */
export function canNotify(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied';
}

export function isNotified(): boolean {
  return canNotify() && Notification.permission === 'granted' && browserStorage.text(memory) !== null;
}

/** setNotified turns notifications on or off. The browser asks the user for its permission. */
export async function setNotified(on: boolean): Promise<void> {
  if (!on) browserStorage.remove(memory);
  else if ((await Notification.requestPermission()) === 'granted') browserStorage.setText(memory, 'yes');
}
