// The signed-in user and their workspaces, as signals.

import { computed, signal } from '@preact/signals';

import { ApiError, api, whenRefused, whenSignedOut } from '~/api/client';
import type { Me, Role, User, Workspace } from '~/api/types';
import { browserStorage, type Check, isNumber, isText, orNull, recordOf, tabStorage } from '~/storage';
import { choose, type Language } from '~/text';
import { inside, outside } from './base';
import { config } from './config';

export const me = signal<Me | null>(null);
export const workspaces = signal<Workspace[]>([]);

/** needsFactor says that the user can only use the account until a second factor is set up. */
export const needsFactor = signal(false);

/** needsEmail says that the user can only use the account until the address is verified. */
export const needsEmail = signal(false);

whenRefused((code) => {
  if (code === 'mfa_setup_required') needsFactor.value = true;
  if (code === 'email_unverified') needsEmail.value = true;
});

const chosen = signal(browserStorage.text('atelier.workspace'));

/** workspace is the current workspace: the last one chosen. */
export const workspace = computed<Workspace | null>(
  () =>
    workspaces.value.find(({ id }) => id === chosen.value) ??
    workspaces.value.find(({ personal }) => personal) ??
    workspaces.value[0] ??
    null,
);

export function chooseWorkspace(id: string): void {
  browserStorage.setText('atelier.workspace', id);
  chosen.value = id;
}

/** speak changes the language of the studio, and of mails to the user. */
export async function speak(language: Language): Promise<void> {
  if (me.value) await api.patch('/auth/me', { language });
  choose(language);
}

/** atLeast compares roles. */
export function atLeast(role: Role | undefined, least: Role): boolean {
  const order: Role[] = ['member', 'admin', 'owner'];
  return role !== undefined && order.indexOf(role) >= order.indexOf(least);
}

// barring are the errors of users who can only use the account.
const barring = ['mfa_setup_required', 'email_unverified'];

/** enter loads the signed-in user and reports whether there is one. */
export async function enter(): Promise<boolean> {
  if (me.value) return true;
  if (!mayHaveSession()) return false;
  try {
    const [own, { items }] = await Promise.all([
      kept() ?? api.get<Me>('/auth/me'),
      api.get<{ items: Workspace[] }>('/workspaces').catch((error) => {
        if (error instanceof ApiError && barring.includes(error.code)) return { items: [] };
        throw error;
      }),
    ]);
    know(own);
    workspaces.value = items;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

// expected remembers that a user signed in with this browser, in case the page was
// requested without the session cookie.
const expected = 'atelier.session';

/** expectSession is called after every sign-in, possibly of another user. */
export function expectSession(): void {
  tabStorage.remove(known);
  browserStorage.setText(expected, 'yes');
}

/** hadSession reports whether a user signed in with this browser and has not signed out. */
export function hadSession(): boolean {
  return browserStorage.text(expected) !== null;
}

/** mayHaveSession reports whether asking the service for a session is worth a request. */
export function mayHaveSession(): boolean {
  return config.session || hadSession();
}

function endSession(): void {
  tabStorage.remove(known);
  browserStorage.remove(expected);
  me.value = null;
  needsFactor.value = false;
  needsEmail.value = false;
}

// known caches the user for some minutes, so that most pages begin without a request.
const known = 'atelier.me';
const knownFor = 5 * 60_000;

// Pages require these fields.
const isUser = recordOf<Pick<User, 'id' | 'email' | 'displayName'>>({
  id: isText,
  email: isText,
  displayName: orNull(isText),
});
const isEnough = recordOf<{ user: unknown; workspace: unknown; features: unknown; instance: unknown }>({
  user: isUser,
  workspace: recordOf<{ id: string }>({ id: isText }),
  features: recordOf<Record<string, never>>({}),
  instance: recordOf<{ announcement: string }>({ announcement: isText }),
});
const isMe: Check<Me> = (value): value is Me => isEnough(value);
const isKnown = recordOf<{ own: Me; at: number }>({ own: isMe, at: isNumber });

function know(own: Me): void {
  me.value = own;
  browserStorage.setText(expected, 'yes');
  tabStorage.write(known, { own, at: Date.now() });
}

function kept(): Me | undefined {
  const found = tabStorage.read(known, isKnown);
  return found && Date.now() - found.at < knownFor ? found.own : undefined;
}

/** factorIsOn opens the studio to a user who has set up the second factor. */
export async function factorIsOn(): Promise<void> {
  if (!needsFactor.peek()) return;
  await reloadWorkspaces();
  needsFactor.value = false;
}

/** emailIsVerified opens the studio to a user who has verified the address. */
export async function emailIsVerified(): Promise<void> {
  if (!needsEmail.peek()) return;
  needsEmail.value = false;
  await reloadWorkspaces();
}

export async function reloadWorkspaces(): Promise<void> {
  workspaces.value = (await api.get<{ items: Workspace[] }>('/workspaces')).items;
}

export function setUser(user: User): void {
  if (me.value) know({ ...me.value, user });
}

/** setAnnouncement shows a changed notice at once to the admin who changed it. */
export function setAnnouncement(announcement: string): void {
  if (me.value) know({ ...me.value, instance: { ...me.value.instance, announcement } });
}

const personal = 'atelier.personal.';

/** memoryOf returns the name under which this tab keeps something until its user signs out. */
export function memoryOf(what: string): string {
  return `${personal}${me.peek()?.user.id ?? ''}.${what}`;
}

/** leave ends this session, or all sessions, and opens the sign-in page. */
export async function leave(everywhere = false, to = '/login'): Promise<void> {
  if (everywhere) await api.post('/auth/logout-all');
  // Somebody who signed in with their company can end the session there as well.
  const there = await api.post<{ signOutUrl: string } | undefined>('/auth/logout');
  depart(to, there?.signOutUrl);
}

/** depart forgets the user and their tab's memory, and leaves the page. */
export function depart(to: string, there?: string): void {
  endSession();
  for (const name of tabStorage.names(personal)) tabStorage.remove(name);
  location.assign(there ?? outside(to));
}

/**
 * signInFor returns the address of the sign-in page that returns to a page. ended says that
 * a session has expired.
 */
export function signInFor(page: string, ended: boolean): string {
  return `/login?next=${encodeURIComponent(page)}${ended ? '&ended=1' : ''}`;
}

const held = new Set<Promise<unknown>>();

/** longestHold limits, in milliseconds, how long pending requests delay leaving the page. */
const longestHold = 10_000;

/**
 * holdPage delays the redirect to the sign-in page until work is done: an aborted request
 * leaves open whether it succeeded.
 */
export function holdPage(work: Promise<unknown>): void {
  held.add(work);
  const release = () => held.delete(work);
  work.then(release, release);
}

function letGo(): Promise<unknown> {
  return Promise.race([Promise.allSettled(held), new Promise((resolve) => setTimeout(resolve, longestHold))]);
}

whenSignedOut(() => {
  const was = me.value;
  const page = signInFor(inside() + location.search, true);
  endSession();
  if (was) void letGo().then(() => location.assign(outside(page)));
});
