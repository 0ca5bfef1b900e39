import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { GroupMapping, IdentityProvider } from '~/api/types';
import { t } from '~/text';
import { Button, Checkbox, Dialog, Failure, IconButton, Select, TextArea, TextField, useTask } from '~/ui';

interface ProviderFormProps {
  /** provider is the one to edit; without it, the form adds one. */
  provider?: IdentityProvider;
  onClose: () => void;
  onSaved: (name: string) => void;
}

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** ProviderForm adds or changes an identity provider. */
export function ProviderForm({ provider, onClose, onSaved }: ProviderFormProps) {
  const [texts, setTexts] = useState({
    slug: provider?.slug ?? '',
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    domains: provider?.domains.join('\n') ?? '',
    scopes: provider?.scopes.join(' ') ?? '',
    groupsClaim: provider?.groupsClaim ?? 'groups',
  });
  const [mappings, setMappings] = useState(provider?.mappings ?? []);
  const [only, setOnly] = useState(provider?.only ?? false);
  const { busy, error, run } = useTask({ leaves: true });
  const text = t.admin.providers;
  const field = (name: keyof typeof texts) => ({
    label: text[name],
    value: texts[name],
    onInput: (event: { currentTarget: { value: string } }) => setTexts({ ...texts, [name]: event.currentTarget.value }),
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const { slug, clientSecret, domains, scopes, ...rest } = texts;
    const body = {
      ...rest,
      ...(provider ? {} : { slug }),
      ...(clientSecret ? { clientSecret } : {}),
      domains: words(domains),
      scopes: words(scopes),
      mappings,
      only,
    };
    void run(async () => {
      if (provider) await api.patch(`/admin/identity-providers/${provider.id}`, body);
      else await api.post('/admin/identity-providers', body);
      onSaved(texts.name);
    });
  };
  return (
    <Dialog title={provider ? text.editTitle : text.add} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField {...field('name')} hint={text.nameHint} required autofocus maxLength={100} dir="auto" />
        {!provider && (
          <TextField
            {...field('slug')}
            hint={text.slugHint}
            required
            maxLength={40}
            pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          />
        )}
        <TextField
          {...field('issuer')}
          hint={text.issuerHint}
          type="url"
          required
          autocomplete="off"
          maxLength={1024}
        />
        <TextField {...field('clientId')} required autocomplete="off" maxLength={500} />
        <TextField
          {...field('clientSecret')}
          hint={provider ? text.secretKept : undefined}
          type="password"
          required={!provider}
          autocomplete="new-password"
        />
        <TextArea {...field('domains')} hint={text.domainsHint} rows={2} required={only} />
        <TextField {...field('scopes')} hint={text.scopesHint} autocomplete="off" />
        <TextField {...field('groupsClaim')} hint={text.groupsClaimHint} required autocomplete="off" maxLength={200} />
        <Mappings mappings={mappings} onChange={setMappings} />
        <Checkbox
          label={text.only}
          hint={text.onlyHint}
          checked={only}
          onChange={({ currentTarget }) => setOnly(currentTarget.checked)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {provider ? t.shell.save : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface MappingsProps {
  mappings: GroupMapping[];
  onChange: (mappings: GroupMapping[]) => void;
}

function Mappings({ mappings, onChange }: MappingsProps) {
  const text = t.admin.providers;
  const change = (at: number, part: Partial<GroupMapping>) =>
    onChange(mappings.map((mapping, i) => (i === at ? { ...mapping, ...part } : mapping)));
  return (
    <fieldset class="hook__events">
      <legend class="field__label">{text.mappings}</legend>
      <p class="faint small">{text.mappingsHint}</p>
      {mappings.map((mapping, i) => (
        <div class="row" key={i}>
          <TextField
            label={text.group}
            required
            maxLength={256}
            dir="auto"
            value={mapping.group}
            onInput={(event) => change(i, { group: event.currentTarget.value })}
          />
          <TextField
            label={text.workspace}
            required
            autocomplete="off"
            value={mapping.workspaceId}
            onInput={(event) => change(i, { workspaceId: event.currentTarget.value.trim() })}
          />
          <Select
            label={text.role}
            value={mapping.role}
            onChange={(event) => change(i, { role: event.currentTarget.value as GroupMapping['role'] })}
          >
            {(['member', 'admin', 'owner'] as const).map((role) => (
              <option key={role} value={role}>
                {t.shell.roles[role]}
              </option>
            ))}
          </Select>
          <IconButton
            icon="trash"
            label={`${text.removeMapping}: ${mapping.group}`}
            onClick={() => onChange(mappings.filter((_, other) => other !== i))}
          />
        </div>
      ))}
      <Button icon="add" onClick={() => onChange([...mappings, { group: '', workspaceId: '', role: 'member' }])}>
        {text.addMapping}
      </Button>
    </fieldset>
  );
}
