import { t } from '~/text';
import { Password } from './password';
import { Sessions } from './sessions';

/** Security shows the password form and the user's sessions. */
export function Security() {
  return (
    <>
      <section class="card settings__card" aria-labelledby="password">
        <h2 id="password">{t.settings.passwordTitle}</h2>
        <Password />
      </section>
      <section class="settings__section" aria-labelledby="sessions">
        <h2 id="sessions">{t.settings.sessionsTitle}</h2>
        <Sessions />
      </section>
    </>
  );
}
