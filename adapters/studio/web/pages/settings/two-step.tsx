import { useEffect, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { Loaded } from '~/api/load';
import type { AppSetup, SecondFactor } from '~/api/types';
import { factorIsOn, me, needsFactor } from '~/app/session';
import { t } from '~/text';
import { Banner, Button, Copyable, complain, Dialog, Failure, Form, Loading, say, TextField, useTask } from '~/ui';
import { QR } from '~/ui/qr';
import { PasswordDialog, type Proof } from './password-dialog';
import { RecoveryCodes } from './recovery-codes';

type Change = 'app' | 'codes' | 'off';

/** TwoStep shows whether signing in takes a second factor, and changes that. */
export function TwoStep({ factor }: { factor: Loaded<SecondFactor> }) {
  const { data, error, reload } = factor;
  const [change, setChange] = useState<Change>();
  const requirement = useRequirement();
  const text = t.settings.twoStep;
  const close = () => {
    setChange(undefined);
    if (data?.totp) void factorIsOn().catch(complain);
  };
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  const on = data.totp || data.passkeys > 0;
  return (
    <>
      {requirement && !on && <Banner kind="warning">{text.required[requirement]}</Banner>}
      <p class="soft">{on && !data.totp ? t.passkeys.areSecond : text.hint}</p>
      {on ? (
        <On factor={data} onChange={setChange} />
      ) : me.value!.user.emailVerified ? (
        <div class="form__actions">
          <Button kind="primary" onClick={() => setChange('app')}>
            {text.turnOn}
          </Button>
        </div>
      ) : (
        <Banner kind="warning">{text.verifyFirst}</Banner>
      )}
      {change === 'app' && <Setup factor={data} onClose={close} onDone={reload} />}
      {change === 'codes' && <Renewal onClose={close} onDone={reload} />}
      {change === 'off' && <TurnOff factor={data} onClose={close} onDone={reload} />}
    </>
  );
}

// useRequirement says what requires a second factor of the user. A user of whom only a workspace
// does may go on elsewhere.
function useRequirement(): 'service' | 'workspace' | undefined {
  const [requirement, setRequirement] = useState<'service' | 'workspace'>();
  const needed = needsFactor.value;
  useEffect(() => {
    if (!needed) return;
    setRequirement('service');
    factorIsOn().then(
      () => setRequirement('workspace'),
      () => {},
    );
  }, [needed]);
  return requirement;
}

// On shows a second factor, which is an app, passkeys or both.
function On({ factor, onChange }: { factor: SecondFactor; onChange: (change: Change) => void }) {
  const text = t.settings.twoStep;
  return (
    <>
      <p class="two-step__state">
        <span class="badge badge--good">{text.on}</span> {text.left(factor.recoveryCodesLeft)}
      </p>
      {factor.recoveryCodesLeft <= 3 && <Banner kind="warning">{text.few}</Banner>}
      <div class="form__actions">
        <Button onClick={() => onChange('codes')}>{text.newCodes}</Button>
        <Button onClick={() => onChange('app')}>{factor.totp ? text.otherApp : text.addApp}</Button>
        {factor.totp && (
          <Button kind="danger" onClick={() => onChange('off')}>
            {text.turnOff}
          </Button>
        )}
      </div>
    </>
  );
}

interface StepsProps {
  onClose: () => void;
  /** onDone follows a change. */
  onDone: () => Promise<void>;
}

// Setup leads from the password to the codes of an app and to the recovery codes.
function Setup({ factor, onClose, onDone }: StepsProps & { factor: SecondFactor }) {
  const [setup, setSetup] = useState<AppSetup>();
  const [codes, setCodes] = useState<string[]>();
  const text = t.settings.twoStep;
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  if (setup)
    return (
      <Confirmation
        setup={setup}
        onClose={onClose}
        onConfirmed={(made) => {
          setCodes(made);
          void onDone();
        }}
      />
    );
  return (
    <PasswordDialog
      title={factor.totp ? text.otherApp : factor.passkeys > 0 ? text.addApp : text.turnOn}
      also={factor.totp || factor.passkeys > 0 ? 'code' : undefined}
      confirm={text.next}
      onClose={onClose}
      send={async (proof) => setSetup(await api.post<AppSetup>('/auth/mfa/totp', proof))}
    />
  );
}

interface ConfirmationProps {
  setup: AppSetup;
  onClose: () => void;
  onConfirmed: (codes: string[]) => void;
}

function Confirmation({ setup, onClose, onConfirmed }: ConfirmationProps) {
  const [code, setCode] = useState('');
  const { busy, error, run } = useTask({ leaves: true });
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const text = t.settings.twoStep;
  const submit = () =>
    void run(async () => {
      const made = await api.post<{ recoveryCodes: string[] }>('/auth/mfa/totp/confirm', { code });
      onConfirmed(made.recoveryCodes);
    });
  return (
    <Dialog title={text.scanTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        {error !== undefined && !wrong && <Failure error={error} />}
        <p>{text.scan}</p>
        <QR value={setup.uri} label={text.qr} />
        <p class="small soft">{text.type}</p>
        <Copyable value={setup.secret} label={text.key} />
        <TextField
          label={text.code}
          hint={text.codeHint}
          error={wrong ? text.wrongCode : undefined}
          autocomplete="one-time-code"
          inputMode="numeric"
          spellcheck={false}
          required
          maxLength={16}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {text.confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Renewal({ onClose, onDone }: StepsProps) {
  const [codes, setCodes] = useState<string[]>();
  const text = t.settings.twoStep;
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  const send = async (proof: Proof) => {
    setCodes((await api.post<{ recoveryCodes: string[] }>('/auth/mfa/recovery-codes', proof)).recoveryCodes);
    void onDone();
  };
  return (
    <PasswordDialog
      title={text.newCodes}
      hint={text.newCodesHint}
      confirm={text.create}
      onClose={onClose}
      send={send}
    />
  );
}

function TurnOff({ factor, onClose, onDone }: StepsProps & { factor: SecondFactor }) {
  const text = t.settings.twoStep;
  const left = factor.passkeys > 0;
  const send = async (proof: Proof) => {
    await api.delete('/auth/mfa/totp', undefined, proof);
    say(left ? text.appRemoved : text.turnedOff);
    await onDone();
    onClose();
  };
  return (
    <PasswordDialog
      title={left ? text.removeTitle : text.offTitle}
      hint={left ? text.removeHint : text.offHint}
      confirm={text.turnOff}
      danger
      onClose={onClose}
      send={send}
    />
  );
}
