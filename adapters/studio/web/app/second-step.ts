// The second step of a sign-in. It is in an error of the API, or, after a sign-in at a provider, in
// the fragment of the page's address.

import { ApiError } from '~/api/client';

/** Method is a way to give a second factor. */
export type Method = 'passkey' | 'app' | 'recovery';

const methods: readonly string[] = ['passkey', 'app', 'recovery'] satisfies Method[];

/** Step is what finishes a sign-in. */
export interface Step {
  token: string;
  /** methods are the ways that the person has, the easiest first. */
  methods: Method[];
}

/** stepOf returns the step of a failed sign-in, null if the failure is another. */
export function stepOf(failure: unknown): Step | null {
  if (!(failure instanceof ApiError && failure.code === 'mfa_required')) return null;
  const { mfaToken, mfaMethods } = failure.body;
  return { token: String(mfaToken ?? ''), methods: known(Array.isArray(mfaMethods) ? mfaMethods : []) };
}

/** fragmentOf is a step in the fragment of the address of the sign-in page. */
export function fragmentOf(step: Step): string {
  return new URLSearchParams([
    ['mfaToken', step.token],
    ...step.methods.map((method) => ['mfaMethods', method]),
  ]).toString();
}

/** takeStep returns the step in the address, null if there is none, and takes it out of the history. */
export function takeStep(): Step | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('mfaToken');
  if (!token) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { token, methods: known(fragment.getAll('mfaMethods')) };
}

function known(named: unknown[]): Method[] {
  return named.filter((name): name is Method => methods.includes(String(name)));
}
