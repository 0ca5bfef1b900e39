import { leave } from '~/app/session';
import { t } from '~/text';
import { ask, Button, complain, useTask } from '~/ui';
import { Password } from './password';

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

function Sessions() {
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const end = async (everywhere: boolean) => {
    if (
      everywhere &&
      !(await ask({
        title: t.settings.everywhereTitle,
        text: t.settings.everywhereText,
        confirm: t.settings.signOutEverywhere,
        danger: true,
      }))
    )
      return;
    await run(() => leave(everywhere));
  };
  return (
    <ul class="rows">
      <li class="row">
        <div class="row__main">
          {t.settings.here}
          <p class="row__note">{t.settings.hereHint}</p>
        </div>
        <Button disabled={busy} onClick={() => void end(false)}>
          {t.settings.signOut}
        </Button>
      </li>
      <li class="row">
        <div class="row__main">
          {t.settings.everywhere}
          <p class="row__note">{t.settings.everywhereHint}</p>
        </div>
        <Button kind="danger" disabled={busy} onClick={() => void end(true)}>
          {t.settings.signOutEverywhere}
        </Button>
      </li>
    </ul>
  );
}
