import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { type Loaded, useLoad } from '~/api/load';
import type { Passkey, SecondFactor } from '~/api/types';
import { obstacle } from '~/app/passkeys';
import { factorIsOn, me } from '~/app/session';
import { isolate, t } from '~/text';
import { Banner, Button, complain, Failure, IconButton, Loading, say, When } from '~/ui';
import { NewPasskey } from './new-passkey';
import { PasswordDialog, type Proof } from './password-dialog';

/** maxPasskeys is how many a person can have. */
const maxPasskeys = 20;

/** Passkeys lists the user's passkeys, adds some and deletes them. */
export function Passkeys({ factor }: { factor: Loaded<SecondFactor> }) {
  const { data, error, reload } = useLoad('passkeys', (signal) =>
    api.get<{ items: Passkey[] }>('/auth/passkeys', { signal }),
  );
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<Passkey>();
  if (error) return <Failure error={error} retry={reload} />;
  if (!data || !factor.data) return <Loading />;
  const { items } = data;
  const changed = async () => {
    await Promise.all([reload(), factor.reload()]);
  };
  const close = (made: boolean) => {
    setAdding(false);
    if (made) void factorIsOn().catch(complain);
  };
  return (
    <>
      <p class="soft">{t.passkeys.hint}</p>
      <p class="soft">{t.passkeys.secondHint}</p>
      {items.length > 0 && (
        <ul class="rows">
          {items.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} remove={() => setGoing(passkey)} />
          ))}
        </ul>
      )}
      <Add full={items.length >= maxPasskeys} first={items.length === 0} onAdd={() => setAdding(true)} />
      {adding && <NewPasskey factor={factor.data} others={items} onClose={close} onMade={changed} />}
      {going && (
        <Removal
          passkey={going}
          last={items.length === 1 && !factor.data.totp}
          onClose={() => setGoing(undefined)}
          onDone={changed}
        />
      )}
    </>
  );
}

// Add is the button, or why there is none.
function Add({ full, first, onAdd }: { full: boolean; first: boolean; onAdd: () => void }) {
  const hurdle = obstacle();
  if (hurdle) return <Banner kind="warning">{t.passkeys.obstacles[hurdle]}</Banner>;
  if (!me.value!.user.emailVerified) return <Banner kind="warning">{t.settings.twoStep.verifyFirst}</Banner>;
  if (full) return <Banner>{t.passkeys.full(maxPasskeys)}</Banner>;
  return (
    <div class="form__actions">
      <Button kind={first ? 'primary' : undefined} icon="key" onClick={onAdd}>
        {t.passkeys.add}
      </Button>
    </div>
  );
}

function Row({ passkey, remove }: { passkey: Passkey; remove: () => void }) {
  return (
    <li class="row">
      <div class="row__main">
        <bdi>{passkey.name}</bdi>
        <p class="row__note">
          {passkey.lastUsedAt ? (
            <>
              {t.settings.usedAt} <When at={passkey.lastUsedAt} />
            </>
          ) : (
            t.settings.neverUsed
          )}
          {' · '}
          {t.passkeys.addedAt} <When at={passkey.createdAt} />
        </p>
      </div>
      <IconButton icon="trash" label={t.passkeys.remove(isolate(passkey.name))} onClick={remove} />
    </li>
  );
}

interface RemovalProps {
  passkey: Passkey;
  /** last says that the second factor goes with it. */
  last: boolean;
  onClose: () => void;
  onDone: () => Promise<void>;
}

function Removal({ passkey, last, onClose, onDone }: RemovalProps) {
  const send = async (proof: Proof) => {
    try {
      await api.delete(`/auth/passkeys/${passkey.id}`, undefined, proof);
    } catch (failure) {
      // Another device was faster.
      if (!(failure instanceof ApiError && failure.code === 'not_found')) throw failure;
    }
    say(t.passkeys.removed(isolate(passkey.name)));
    await onDone();
    onClose();
  };
  return (
    <PasswordDialog
      title={t.passkeys.removeTitle(isolate(passkey.name))}
      hint={last ? `${t.passkeys.removeHint} ${t.passkeys.lastHint}` : t.passkeys.removeHint}
      confirm={t.passkeys.removeIt}
      danger
      onClose={onClose}
      send={send}
    />
  );
}
