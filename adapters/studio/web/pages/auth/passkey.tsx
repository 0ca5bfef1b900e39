import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { askToUse } from '~/api/passkeys';
import { Cancelled, obstacle, usePasskey } from '~/app/passkeys';
import { t } from '~/text';
import { Banner, Button, inWords, useTask } from '~/ui';
import { proceed } from './entry';

/** PasskeySignIn is the button that signs in with a passkey alone, where the browser has them. */
export function PasskeySignIn() {
  const { route } = useLocation();
  const { busy, error, run } = useTask({ leaves: true });
  if (obstacle()) return null;
  const signIn = () =>
    void run(async () => {
      const credential = await usePasskey(await askToUse());
      await api.post('/auth/passkeys/login/finish', { credential });
      await proceed(route);
    });
  return (
    <>
      <Button wide icon="key" busy={busy} onClick={signIn}>
        {t.passkeys.signIn}
      </Button>
      {error !== undefined && !(error instanceof Cancelled) && <Banner kind="error">{wordsOf(error)}</Banner>}
    </>
  );
}

function wordsOf(error: unknown): string {
  switch (error instanceof ApiError ? error.code : '') {
    case 'invalid_credentials':
      return t.passkeys.unknown;
    case 'invalid_token':
      return t.passkeys.over;
    case 'account_disabled':
      return t.auth.disabled;
    default:
      return inWords(error);
  }
}
