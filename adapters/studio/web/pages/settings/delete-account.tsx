import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { depart } from '~/app/session';
import { t } from '~/text';
import { Button, Dialog, Failure, LinkButton, useTask } from '~/ui';
import { needsSignIn, OwnerField, SignInAgain, useHasPassword } from './owner';

/** DeleteAccount offers to take along what the account holds, and to delete it. */
export function DeleteAccount() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ul class="rows">
        <li class="row">
          <div class="row__main">
            {t.settings.download}
            <p class="row__note">{t.settings.downloadHint}</p>
          </div>
          <Download />
        </li>
        <li class="row">
          <div class="row__main">
            {t.settings.dangerTitle}
            <p class="row__note">{t.settings.dangerHint}</p>
          </div>
          <Button kind="danger" onClick={() => setOpen(true)}>
            {t.settings.deleteAccount}
          </Button>
        </li>
      </ul>
      {open && <Confirm onClose={() => setOpen(false)} />}
    </>
  );
}

function Download() {
  return (
    <LinkButton icon="download" href="/auth/me/export" download>
      {t.settings.download}
    </LinkButton>
  );
}

function Confirm({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const hasPassword = useHasPassword();
  const { busy, error, run } = useTask({ leaves: true });
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.delete('/auth/me', undefined, { password });
      depart('/login');
    });
  };
  return (
    <Dialog title={t.settings.deleteTitle} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{t.settings.deleteGoes}</p>
        <ul class="dialog__list">
          {t.settings.deleteGoesItems.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
        <p>{t.settings.deleteStays}</p>
        <p class="soft small">{t.settings.downloadHint}</p>
        <div>
          <Download />
        </div>
        {needsSignIn(error) ? <SignInAgain /> : error !== undefined && !wrong && <Failure error={error} />}
        <OwnerField hasPassword={hasPassword} password={password} wrong={wrong} onPassword={setPassword} />
        <div class="dialog__actions">
          <Button type="button" onClick={onClose}>
            {t.shell.cancel}
          </Button>
          <Button kind="danger" type="submit" busy={busy} disabled={hasPassword === undefined}>
            {t.settings.deleteForGood}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
