import { enter, expectSession } from '~/app/session';

/** next returns the path to open after sign-in, on this origin. */
export function next(): string {
  const wanted = new URLSearchParams(location.search).get('next');
  if (!wanted) return '/dashboard';
  const target = new URL(wanted, location.origin);
  return target.origin === location.origin && wanted.startsWith('/') ? target.pathname + target.search : '/dashboard';
}

/** withNext adds the path to open after sign-in to a link to another form. */
export function withNext(path: string): string {
  const target = next();
  return target === '/dashboard' ? path : `${path}?next=${encodeURIComponent(target)}`;
}

/** proceed opens the next page after a sign-in. */
export async function proceed(route: (path: string, replace?: boolean) => void): Promise<void> {
  expectSession();
  await enter();
  route(next(), true);
}
