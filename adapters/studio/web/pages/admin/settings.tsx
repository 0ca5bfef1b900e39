import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { InstanceSettings, Quotas, SignupPolicy } from '~/api/types';
import { setAnnouncement } from '~/app/session';
import { t } from '~/text';
import { Button, Checkbox, Failure, Select, Skeleton, say, TextArea, TextField, useTask } from '~/ui';
import { changedQuotas, QuotaFields, type TypedQuotas, typedQuotas } from './quota-fields';

const policies: SignupPolicy[] = ['open', 'domains', 'invite', 'closed'];

/** Settings edits the settings of the installation. */
export function Settings() {
  const { data, error, loading, reload } = useLoad('instance settings', (signal) =>
    api.get<InstanceSettings>('/admin/settings', { signal }),
  );
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!data && loading && <Skeleton height={240} />}
      {data && <SettingsForm key={JSON.stringify(data)} settings={data} onSaved={reload} />}
    </>
  );
}

function SettingsForm({ settings, onSaved }: { settings: InstanceSettings; onSaved: () => Promise<void> }) {
  const [signup, setSignup] = useState(settings.signup);
  const [domains, setDomains] = useState(settings.signupDomains.join('\n'));
  const [limit, setLimit] = useState(settings.defaultCreditLimit === null ? '' : String(settings.defaultCreditLimit));
  const [unlimited, setUnlimited] = useState(settings.defaultCreditLimit === null);
  const [announcement, setNotice] = useState(settings.announcement);
  const [requireMfa, setRequireMfa] = useState(settings.requireMfa);
  const [requireVerifiedEmail, setRequireEmail] = useState(settings.requireVerifiedEmail);
  const [passwordSignIn, setPasswords] = useState(settings.passwordSignIn);
  const [quotas, setQuotas] = useState(typedQuotas(settings.quotas));
  const { busy, error, run } = useTask();
  const text = t.admin.settings;
  const { fixed } = settings;
  const hint = (field: keyof InstanceSettings, words: string) => (fixed[field] ? text.fixed(fixed[field]) : words);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const next = await api.patch<InstanceSettings>(
        '/admin/settings',
        changesOf(settings, {
          signup,
          signupDomains: domains.split(/[\s,]+/).filter(Boolean),
          defaultCreditLimit: unlimited ? null : Number(limit),
          announcement: announcement.trim(),
          requireMfa,
          requireVerifiedEmail,
          passwordSignIn,
          quotas,
        }),
      );
      setAnnouncement(next.announcement);
      say(t.shell.saved);
      await onSaved();
    });
  };
  return (
    <form class="form page__section" onSubmit={submit}>
      {error !== undefined && <Failure error={error} />}
      <Select
        label={text.signup}
        hint={hint('signup', text.policyHints[signup])}
        disabled={'signup' in fixed}
        value={signup}
        onChange={(event) => setSignup(event.currentTarget.value as SignupPolicy)}
      >
        {policies.map((policy) => (
          <option key={policy} value={policy}>
            {text.policies[policy]}
          </option>
        ))}
      </Select>
      {signup === 'domains' && (
        <TextArea
          label={text.domains}
          hint={hint('signupDomains', text.domainsHint)}
          rows={3}
          required
          spellcheck={false}
          readOnly={'signupDomains' in fixed}
          value={domains}
          onInput={(event) => setDomains(event.currentTarget.value)}
        />
      )}
      <div class="form__pair">
        <TextField
          label={text.credit}
          hint={hint('defaultCreditLimit', text.creditHint)}
          type="number"
          min={0}
          max={1e9}
          step="any"
          inputMode="decimal"
          required={!unlimited}
          disabled={unlimited}
          readOnly={'defaultCreditLimit' in fixed}
          value={unlimited ? '' : limit}
          onInput={(event) => setLimit(event.currentTarget.value)}
        />
        <Checkbox
          label={text.unlimited}
          checked={unlimited}
          disabled={'defaultCreditLimit' in fixed}
          onChange={(event) => setUnlimited(event.currentTarget.checked)}
        />
      </div>
      <QuotaFields
        typed={quotas}
        onChange={setQuotas}
        hint={(name) => t.admin.quotas.defaultHints[name]}
        fixed={fixed}
      />
      <Checkbox
        label={text.requireMfa}
        hint={text.requireMfaHint}
        checked={requireMfa}
        onChange={(event) => setRequireMfa(event.currentTarget.checked)}
      />
      <Checkbox
        label={text.requireEmail}
        hint={text.requireEmailHint}
        checked={requireVerifiedEmail}
        onChange={(event) => setRequireEmail(event.currentTarget.checked)}
      />
      <Checkbox
        label={text.passwords}
        hint={hint('passwordSignIn', text.passwordsHint)}
        checked={passwordSignIn}
        disabled={'passwordSignIn' in fixed}
        onChange={(event) => setPasswords(event.currentTarget.checked)}
      />
      <TextArea
        label={text.announcement}
        hint={text.announcementHint}
        rows={3}
        maxLength={500}
        value={announcement}
        onInput={(event) => setNotice(event.currentTarget.value)}
      />
      <div class="form__actions">
        <Button kind="primary" type="submit" busy={busy}>
          {t.shell.save}
        </Button>
      </div>
    </form>
  );
}

// changesOf returns the changed fields, because fixed ones may not be sent.
function changesOf(
  settings: InstanceSettings,
  next: Omit<InstanceSettings, 'fixed' | 'quotas'> & { quotas: TypedQuotas },
): Partial<Omit<InstanceSettings, 'quotas'>> & { quotas?: Partial<Quotas> } {
  const quotas = changedQuotas(settings.quotas, next.quotas);
  const domains = next.signupDomains.join(' ') !== settings.signupDomains.join(' ');
  return {
    ...(next.signup !== settings.signup ? { signup: next.signup } : {}),
    ...(domains ? { signupDomains: next.signupDomains } : {}),
    ...(next.defaultCreditLimit !== settings.defaultCreditLimit ? { defaultCreditLimit: next.defaultCreditLimit } : {}),
    ...(next.announcement !== settings.announcement ? { announcement: next.announcement } : {}),
    ...(next.requireMfa !== settings.requireMfa ? { requireMfa: next.requireMfa } : {}),
    ...(next.requireVerifiedEmail !== settings.requireVerifiedEmail
      ? { requireVerifiedEmail: next.requireVerifiedEmail }
      : {}),
    ...(next.passwordSignIn !== settings.passwordSignIn ? { passwordSignIn: next.passwordSignIn } : {}),
    ...(Object.keys(quotas).length > 0 ? { quotas } : {}),
  };
}
