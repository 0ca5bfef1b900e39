import { useState } from 'preact/hooks';

import { ApiError } from '~/api/client';
import { askToUse } from '~/api/passkeys';
import { Cancelled, usePasskey } from '~/app/passkeys';
import { t } from '~/text';
import { Banner, Button, Dialog, Form, inWords, TextField, useTask } from '~/ui';
import { needsSignIn, OwnerField, SignInAgain, useHasPassword } from './owner';

/** Proof shows that the user owns the account. */
export interface Proof {
  password: string;
  code?: string;
  /** credential is the answer of a passkey, in place of a code. */
  credential?: unknown;
}

interface PasswordDialogProps {
  title: string;
  /** hint says what the change does. */
  hint?: string;
  confirm: string;
  danger?: boolean;
  /** also is what else is asked for: a code, or a passkey, which a code can replace. */
  also?: 'code' | 'passkey';
  onClose: () => void;
  send: (proof: Proof) => Promise<void>;
}

/** PasswordDialog asks for a proof that the account is the user's before a change: the password, if there is one. */
export function PasswordDialog(props: PasswordDialogProps) {
  const { title, hint, confirm, danger, also, onClose, send } = props;
  const [password, setPassword] = useState('');
  const hasPassword = useHasPassword();
  const [code, setCode] = useState('');
  const [way, setWay] = useState(also);
  const { busy, error, run, clear } = useTask();
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const prove = async (): Promise<Proof> => {
    if (way === 'code') return { password, code };
    return way === 'passkey' ? { password, credential: await usePasskey(await askToUse()) } : { password };
  };
  const turn = () => {
    clear();
    setWay(way === 'code' ? 'passkey' : 'code');
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => void run(async () => send(await prove()))}>
        <Trouble error={error} way={way} />
        {hint ? <p>{hint}</p> : hasPassword && <p>{t.settings.twoStep.passwordHint}</p>}
        <OwnerField
          hasPassword={hasPassword}
          password={password}
          wrong={wrong && !way}
          autofocus
          onPassword={setPassword}
        />
        {way === 'code' && (
          <TextField
            label={t.passkeys.code}
            hint={t.passkeys.codeHint}
            autocomplete="one-time-code"
            spellcheck={false}
            required
            maxLength={64}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {also === 'passkey' && (
          <div>
            <Button kind="quiet" onClick={turn}>
              {way === 'code' ? t.passkeys.use : t.passkeys.useCode}
            </Button>
          </div>
        )}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" busy={busy} disabled={hasPassword === undefined}>
            {way === 'passkey' ? t.passkeys.prove : confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface TroubleProps {
  error: unknown;
  way: PasswordDialogProps['also'];
}

// Trouble says why a proof was refused, unless the field of the password does.
function Trouble({ error, way }: TroubleProps) {
  if (error === undefined || error instanceof Cancelled) return null;
  if (needsSignIn(error)) return <SignInAgain />;
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'invalid_credentials' && !way) return null;
  const wrong = way === 'passkey' ? t.passkeys.wrongEither : t.settings.twoStep.wrongEither;
  return <Banner kind="error">{code === 'invalid_credentials' ? wrong : inWords(error)}</Banner>;
}
