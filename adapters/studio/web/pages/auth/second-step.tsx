import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import { askToUse } from '~/api/passkeys';
import { Cancelled, obstacle, usePasskey } from '~/app/passkeys';
import type { Method, Step } from '~/app/second-step';
import { t } from '~/text';
import { Banner, Button, Failure, Form, inWords, Loading, TextField, useFocusOnMount, useTask } from '~/ui';
import { proceed } from './entry';

interface SecondStepProps {
  step: Step;
  /** onBack shows the first step again; lapsed says that the token is void. */
  onBack: (lapsed: boolean) => void;
}

/** SecondStep finishes a sign-in with a passkey, a code of the app, or a recovery code. */
export function SecondStep({ step, onBack }: SecondStepProps) {
  const ways = step.methods.filter((method) => method !== 'passkey' || !obstacle());
  const [chosen, choose] = useState<Method>();
  const way = chosen ?? ways[0] ?? 'recovery';
  return (
    <>
      {way === 'passkey' ? (
        <PasskeyStep token={step.token} onBack={onBack} />
      ) : (
        <CodeStep key={way} way={way} token={step.token} onBack={onBack} />
      )}
      <p class="auth__links">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} kind="quiet" onClick={() => choose(other)}>
              {turnTexts()[other]}
            </Button>
          ))}
        <Button kind="quiet" onClick={() => onBack(false)}>
          {t.auth.backToSignIn}
        </Button>
      </p>
    </>
  );
}

function turnTexts(): Record<Method, string> {
  const { useRecovery, useApp } = t.auth.second;
  return { passkey: t.passkeys.use, app: useApp, recovery: useRecovery };
}

// finish ends a sign-in, or goes back when it took too long.
async function finish(token: string, proof: object, onBack: (lapsed: boolean) => void): Promise<boolean> {
  try {
    await api.post('/auth/mfa', { mfaToken: token, ...proof });
    return true;
  } catch (failure) {
    if (!(failure instanceof ApiError && failure.code === 'invalid_token')) throw failure;
    onBack(true);
    return false;
  }
}

interface MethodProps {
  token: string;
  onBack: (lapsed: boolean) => void;
}

function PasskeyStep({ token, onBack }: MethodProps) {
  const { route } = useLocation();
  const { busy, error, run } = useTask({ leaves: true });
  const box = useRef<HTMLDivElement>(null);
  // The options are there before the click: some browsers ask for a passkey only at once after it.
  const { data, error: unasked, reload } = useLoad(`passkey ${token}`, (signal) => askToUse(token, signal));
  useLayoutEffect(() => box.current?.querySelector('button')?.focus(), [data !== undefined]);
  if (unasked) return <Failure error={unasked} retry={() => void reload()} />;
  if (!data) return <Loading />;
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const confirm = () =>
    void run(async () => {
      const credential = await usePasskey(data);
      try {
        if (await finish(token, { credential }, onBack)) await proceed(route);
      } catch (failure) {
        // Options work once.
        await reload();
        throw failure;
      }
    });
  return (
    <>
      {error !== undefined && !(error instanceof Cancelled) && (
        <Banner kind="error">{wrong ? t.passkeys.notAccepted : inWords(error)}</Banner>
      )}
      <p class="soft">{t.passkeys.stepHint}</p>
      <div class="form" ref={box}>
        <Button kind="primary" icon="key" wide busy={busy} onClick={confirm}>
          {t.passkeys.use}
        </Button>
      </div>
    </>
  );
}

function CodeStep({ way, token, onBack }: MethodProps & { way: 'app' | 'recovery' }) {
  const { route } = useLocation();
  const [code, setCode] = useState('');
  const field = useFocusOnMount<HTMLInputElement>();
  const { busy, error, run } = useTask({ leaves: true });
  const wrong = error instanceof ApiError && error.code === 'invalid_credentials';
  const text = t.auth.second;
  const app = way === 'app';
  const submit = () =>
    void run(async () => {
      if (await finish(token, { code }, onBack)) await proceed(route);
    });
  return (
    <>
      {error !== undefined && !wrong && <Banner kind="error">{inWords(error)}</Banner>}
      <p class="soft">{app ? text.hint : text.recoveryHint}</p>
      <Form onSubmit={submit}>
        <TextField
          field={field}
          label={app ? text.code : text.recoveryCode}
          error={wrong ? text.wrong : undefined}
          autocomplete={app ? 'one-time-code' : 'off'}
          inputMode={app ? 'numeric' : 'text'}
          autocapitalize="off"
          spellcheck={false}
          required
          maxLength={64}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" wide busy={busy}>
          {t.auth.signIn}
        </Button>
      </Form>
    </>
  );
}
