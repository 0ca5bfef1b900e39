import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { askToMake } from '~/api/passkeys';
import type { Passkey, SecondFactor } from '~/api/types';
import { Cancelled, type CreationOptions, deviceName, freeName, makePasskey } from '~/app/passkeys';
import { isolate, t } from '~/text';
import { Banner, Button, Dialog, Form, inWords, say, TextField, useTask } from '~/ui';
import { PasswordDialog, type Proof } from './password-dialog';
import { RecoveryCodes } from './recovery-codes';

interface NewPasskeyProps {
  factor: SecondFactor;
  others: Passkey[];
  /** onClose also says whether a passkey was made. */
  onClose: (made: boolean) => void;
  /** onMade follows when the passkey is there. */
  onMade: () => Promise<void>;
}

/**
 * NewPasskey leads from the password to a passkey, and to the recovery codes of the first one. Each
 * question of the browser follows a click of its own, which some browsers insist on.
 */
export function NewPasskey({ factor, others, onClose, onMade }: NewPasskeyProps) {
  const [options, setOptions] = useState<CreationOptions>();
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <RecoveryCodes codes={codes} onClose={() => onClose(true)} />;
  if (options)
    return (
      <Making
        options={options}
        taken={others.map(({ name }) => name)}
        onClose={() => onClose(false)}
        onOver={() => setOptions(undefined)}
        onMade={(recovery) => {
          if (recovery.length > 0) setCodes(recovery);
          else onClose(true);
          void onMade();
        }}
      />
    );
  const send = async (proof: Proof) => setOptions(await askToMake(proof));
  return (
    <PasswordDialog
      title={t.passkeys.add}
      also={factor.passkeys > 0 ? 'passkey' : factor.totp ? 'code' : undefined}
      confirm={t.settings.twoStep.next}
      onClose={() => onClose(false)}
      send={send}
    />
  );
}

interface MakingProps {
  options: CreationOptions;
  taken: string[];
  onClose: () => void;
  /** onOver asks for the password again, because the service waited too long. */
  onOver: () => void;
  onMade: (recoveryCodes: string[]) => void;
}

function Making({ options, taken, onClose, onOver, onMade }: MakingProps) {
  const [name, setName] = useState(() => freeName(deviceName(), taken));
  const { busy, error, run } = useTask({ leaves: true });
  const over = error instanceof ApiError && error.code === 'invalid_token';
  const submit = () =>
    void run(async () => {
      const credential = await makePasskey(options);
      const made = await api.post<{ passkey: Passkey; recoveryCodes: string[] }>('/auth/passkeys/register/finish', {
        name,
        credential,
      });
      say(t.passkeys.added(isolate(made.passkey.name)));
      onMade(made.recoveryCodes);
    });
  return (
    <Dialog title={t.passkeys.add} onClose={onClose}>
      <Form onSubmit={over ? onOver : submit}>
        {error !== undefined && !(error instanceof Cancelled) && (
          <Banner kind="error">{over ? t.passkeys.over : inWords(error)}</Banner>
        )}
        <p>{t.passkeys.makeHint}</p>
        <TextField
          label={t.passkeys.name}
          hint={t.passkeys.nameHint}
          autocomplete="off"
          autofocus
          required
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {over ? t.passkeys.again : t.passkeys.make}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
