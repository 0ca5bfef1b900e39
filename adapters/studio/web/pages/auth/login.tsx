import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { config } from '~/app/config';
import { type Step, stepOf, takeStep } from '~/app/second-step';
import { enter } from '~/app/session';
import { t } from '~/text';
import { Banner, Button, Form, inWords, PasswordField, TextField, useTask } from '~/ui';
import { next, proceed, withNext } from './entry';
import { OAuth } from './oauth';
import { PasskeySignIn } from './passkey';
import { SecondStep } from './second-step';

/** Login is the sign-in form, and its second step for people with a second factor. */
export function Login() {
  const [step, setStep] = useState(takeStep);
  const [lapsed, setLapsed] = useState(false);
  const back = (lapsed: boolean) => {
    setLapsed(lapsed);
    setStep(null);
  };
  if (step) return <SecondStep step={step} onBack={back} />;
  return <FirstStep lapsed={lapsed} onStep={setStep} />;
}

// FirstStep asks for the address and the password. It redirects visitors who have a session.
// lapsed says that a second step took too long.
function FirstStep({ lapsed, onStep }: { lapsed: boolean; onStep: (step: Step) => void }) {
  const { route } = useLocation();
  const [email, setEmail] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  const [password, setPassword] = useState('');
  const [refused, setRefused] = useState(() => (lapsed ? t.auth.second.lapsed : refusal()));
  const [ended] = useState(() => new URLSearchParams(location.search).has('ended'));
  const { busy, error, run } = useTask({ leaves: true });
  const failure =
    error === undefined
      ? refused
      : error instanceof ApiError && error.code === 'invalid_credentials'
        ? t.auth.wrong
        : error instanceof ApiError && error.code === 'account_disabled'
          ? t.auth.disabled
          : inWords(error);
  useEffect(() => {
    enter().then(
      (left) => {
        if (left) route(next(), true);
      },
      () => {},
    );
  }, []);

  const submit = () => {
    setRefused('');
    void run(async () => {
      try {
        await api.post('/auth/login', { email, password });
      } catch (failure) {
        const step = stepOf(failure);
        if (!step) throw failure;
        onStep(step);
        return;
      }
      await proceed(route);
    });
  };
  return (
    <>
      {failure ? <Banner kind="error">{failure}</Banner> : ended && <Banner>{t.auth.ended}</Banner>}
      <OAuth />
      {config.passwords && (
        <Form onSubmit={submit}>
          <TextField
            label={t.auth.email}
            type="email"
            autocomplete="username"
            required
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordField
            label={t.auth.password}
            autocomplete="current-password"
            required
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
          <Button kind="primary" type="submit" wide busy={busy}>
            {t.auth.signIn}
          </Button>
        </Form>
      )}
      <PasskeySignIn />
      <p class="auth__links">
        {config.passwords && <a href="/forgot-password">{t.auth.forgot}</a>}
        <span>
          {t.auth.noAccount} <a href={withNext('/signup')}>{t.auth.signUp}</a>
        </span>
      </p>
    </>
  );
}

// refusal returns the error of a failed sign-in with a provider.
function refusal(): string {
  const code = new URLSearchParams(location.search).get('error');
  if (!code) return '';
  return (t.auth.refusals as Record<string, string>)[code] ?? t.auth.refused;
}
