import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SecondFactor } from '~/api/types';
import { config } from '~/app/config';
import { t } from '~/text';
import { DeleteAccount } from './delete-account';
import { Identities } from './identities';
import { Passkeys } from './passkeys';
import { Password } from './password';
import { Sessions } from './sessions';
import { TwoStep } from './two-step';

/** Security shows how the user signs in, their sessions, and the end of the account. */
export function Security() {
  const factor = useLoad('mfa', (signal) => api.get<SecondFactor>('/auth/mfa', { signal }));
  return (
    <>
      {config.passwords && (
        <section class="card settings__card" aria-labelledby="password">
          <h2 id="password">{t.settings.passwordTitle}</h2>
          <Password />
        </section>
      )}
      <section class="card settings__card" aria-labelledby="two-step">
        <h2 id="two-step">{t.settings.twoStep.title}</h2>
        <TwoStep factor={factor} />
      </section>
      <section class="card settings__card" aria-labelledby="passkeys">
        <h2 id="passkeys">{t.passkeys.title}</h2>
        <Passkeys factor={factor} />
      </section>
      <Identities />
      <section class="settings__section" aria-labelledby="sessions">
        <h2 id="sessions">{t.settings.sessionsTitle}</h2>
        <Sessions />
      </section>
      <section class="settings__section" aria-labelledby="account">
        <h2 id="account">{t.settings.accountTitle}</h2>
        <DeleteAccount />
      </section>
    </>
  );
}
