import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SecondFactor } from '~/api/types';
import { leave, signInFor } from '~/app/session';
import { t } from '~/text';
import { Banner, Button, complain, Loading, TextField, useTask } from '~/ui';
import { Username } from './username';

/** useHasPassword says whether the user has a password; it is undefined until the service answers. */
export function useHasPassword(): boolean | undefined {
  const { data, error } = useLoad('mfa', (signal) => api.get<SecondFactor>('/auth/mfa', { signal }));
  return error ? true : data?.hasPassword;
}

interface OwnerFieldProps {
  hasPassword: boolean | undefined;
  password: string;
  wrong: boolean;
  autofocus?: boolean;
  onPassword: (password: string) => void;
}

/** OwnerField asks for the password. Those who have none read what proves in its place who they are. */
export function OwnerField({ hasPassword, password, wrong, autofocus, onPassword }: OwnerFieldProps) {
  if (hasPassword === undefined) return <Loading />;
  if (!hasPassword) return <p class="soft small">{t.settings.ownerHint}</p>;
  return (
    <>
      <Username />
      <TextField
        label={t.settings.currentPassword}
        error={wrong ? t.settings.wrongPassword : undefined}
        type="password"
        autocomplete="current-password"
        autofocus={autofocus}
        required
        value={password}
        onInput={(event) => onPassword(event.currentTarget.value)}
      />
    </>
  );
}

/** needsSignIn says whether an error asks for a recent sign-in. */
export function needsSignIn(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'sign_in_again';
}

/** SignInAgain leads through the sign-in page and back. */
export function SignInAgain() {
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const again = () => run(() => leave(false, signInFor(location.pathname, false)));
  return (
    <Banner
      kind="warning"
      actions={
        <Button busy={busy} onClick={() => void again()}>
          {t.settings.signInAgain}
        </Button>
      }
    >
      {t.settings.signInAgainHint}
    </Banner>
  );
}
