import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { APIToken, Scope } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Checkbox, Copyable, Dialog, Failure, Select, TextField, useTask } from '~/ui';

const dayMillis = 86_400_000;

/** NewToken creates an API token and shows it once. */
export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<string>();
  if (made === undefined)
    return (
      <TokenForm
        onClose={onClose}
        onMade={(token) => {
          setMade(token);
          onMade();
        }}
      />
    );
  return (
    <Dialog title={t.settings.tokenMade} onClose={onClose}>
      <div class="form">
        <Banner kind="warning">{t.settings.tokenOnce}</Banner>
        <Copyable value={made} label={t.settings.token} />
      </div>
      <div class="dialog__actions">
        <Button kind="primary" onClick={onClose}>
          {t.settings.done}
        </Button>
      </div>
    </Dialog>
  );
}

function TokenForm({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [days, setDays] = useState(90);
  const { busy, error, run, fail } = useTask({ leaves: true });
  const submit = (event: Event) => {
    event.preventDefault();
    if (scopes.length === 0) return fail(new Error(t.settings.needsScope));
    void run(async () => {
      const expiresAt = days === 0 ? null : new Date(Date.now() + days * dayMillis).toISOString();
      onMade((await api.post<APIToken & { token: string }>('/auth/api-tokens', { name, scopes, expiresAt })).token);
    });
  };
  return (
    <Dialog title={t.settings.newToken} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={t.settings.tokenName}
          hint={t.settings.tokenNameHint}
          required
          maxLength={100}
          autofocus
          dir="auto"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Scopes chosen={scopes} choose={setScopes} />
        <Select label={t.settings.expiry} value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {([30, 90, 365, 0] as const).map((count) => (
            <option key={count} value={count}>
              {t.settings.expiries[count]}
            </option>
          ))}
        </Select>
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t.settings.createToken}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Scopes({ chosen, choose }: { chosen: Scope[]; choose: (scopes: Scope[]) => void }) {
  const all = Object.keys(t.settings.scopeNames) as Scope[];
  // Write access implies read access.
  const implied = (scope: Scope) =>
    scope.endsWith(':read') && chosen.includes(scope.replace(':read', ':write') as Scope);
  const toggle = (scope: Scope, on: boolean) =>
    choose(all.filter((other) => (other === scope ? on : chosen.includes(other))));
  return (
    <fieldset class="scopes">
      <legend class="field__label">{t.settings.scopes}</legend>
      {all.map((scope) => {
        const [label, hint] = t.settings.scopeNames[scope];
        return (
          <Checkbox
            key={scope}
            label={label}
            hint={hint}
            checked={chosen.includes(scope) || implied(scope)}
            disabled={implied(scope)}
            onChange={(event) => toggle(scope, event.currentTarget.checked)}
          />
        );
      })}
    </fieldset>
  );
}
