// The service's options for the browser's questions about passkeys.

import type { CreationOptions, RequestOptions } from '~/app/passkeys';
import { api } from './client';

/** askToUse asks for any passkey that the browser finds, or for one of the person of a second step. */
export async function askToUse(mfaToken?: string, signal?: AbortSignal): Promise<RequestOptions> {
  const body = mfaToken ? { mfaToken } : {};
  return (await api.post<{ publicKey: RequestOptions }>('/auth/passkeys/login/begin', body, { signal })).publicKey;
}

/** askToMake asks for a new passkey, for somebody who proves to own the account. */
export async function askToMake(proof: object): Promise<CreationOptions> {
  return (await api.post<{ publicKey: CreationOptions }>('/auth/passkeys/register/begin', proof)).publicKey;
}
