import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { DataEnv, SignInKind, SignInProvider, SignInSettings } from '~/api/types';
import { t } from '~/text';
import { ask, Banner, Button, Dialog, Icon, inWords, Select, say, TextArea, TextField, useTask } from '~/ui';
import { Redirects } from './signin-address';
import {
  addresses,
  bodyOf,
  consoleOf,
  draftOf,
  freeKinds,
  hasKey,
  isSame,
  keepsSecret,
  kindName,
  type Member,
  refusalOf,
  type SignInDraft,
  type Wrongs,
  wrongOf,
} from './signins';

interface SignInFormProps {
  env: DataEnv;
  /** path is the address of the environment's providers. */
  path: string;
  settings: SignInSettings;
  /** provider is null for a new one. */
  provider: SignInProvider | null;
  onClose: () => void;
  onSaved: () => void;
}

/** SignInForm adds a provider, or changes one. */
export function SignInForm({ env, path, settings, provider, onClose, onSaved }: SignInFormProps) {
  const text = t.data.signIns;
  const kinds = provider ? settings.kinds.filter(({ name }) => name === provider.name) : freeOf(settings);
  const [kind, setKind] = useState<SignInKind>(kinds[0]!);
  const before = useMemo(() => draftOf(provider), []);
  const [draft, setDraft] = useState<SignInDraft>(before);
  const [wrong, setWrong] = useState<Wrongs>({});
  const saving = useTask();
  const [refusals, setRefusals] = useState(0);
  const form = useFirstWrong(refusals);
  const refuse = (next: Wrongs) => {
    setWrong(next);
    setRefusals((count) => count + 1);
  };
  const save = async () => {
    const found = wrongOf(provider, draft, kind);
    if (Object.keys(found).length > 0) return refuse(found);
    setWrong({});
    if (!(await isSure(env))) return;
    await saving.run(async () => {
      try {
        await api.put<SignInProvider>(`${path}/${kind.name}`, bodyOf(draft, kind));
      } catch (error) {
        const refused = error instanceof ApiError ? refusalOf(error.code, error.message) : null;
        if (!refused) throw error;
        refuse(refused);
        return;
      }
      say(text.saved);
      onSaved();
    });
  };
  const close = async () => {
    const leaves =
      isSame(draft, before) ||
      (await ask({ title: t.data.discardTitle, text: t.data.discardText, confirm: t.data.discard, danger: true }));
    if (leaves) onClose();
  };
  const choose = (name: string) => {
    setKind(kinds.find((one) => one.name === name)!);
    // An address belongs to one kind of provider only.
    setDraft((was) => ({ ...was, authURL: '', tokenURL: '', userInfoURL: '', pkce: '' }));
    setWrong({});
  };
  const set = (change: Partial<SignInDraft>) => {
    setDraft((was) => ({ ...was, ...change }));
    setWrong((was) => Object.fromEntries(Object.entries(was).filter(([name]) => !(name in change))));
  };
  const fields: FieldsProps = { kind, provider, draft, wrong, set };
  return (
    <Dialog title={provider ? text.changeTitle(kindName(kind)) : text.add} onClose={() => void close()}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {env === 'live' && <Banner kind="warning">{t.data.liveHint}</Banner>}
        {!provider && (
          <Select
            label={text.provider}
            value={kind.name}
            autofocus
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {kinds.map((one) => (
              <option key={one.name} value={one.name}>
                {kindName(one)}
              </option>
            ))}
          </Select>
        )}
        <Guide kind={kind} />
        <div class="signin__redirects">
          <Redirects redirects={settings.redirects} />
        </div>
        <Access {...fields} />
        {kind.addressed && <Addresses {...fields} />}
        <More {...fields} />
        {saving.error !== undefined && <Banner kind="error">{inWords(saving.error)}</Banner>}
        <div class="dialog__actions">
          <Button onClick={() => void close()}>{t.shell.cancel}</Button>
          <Button type="submit" kind="primary" busy={saving.busy}>
            {t.shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const freeOf = ({ kinds, items }: SignInSettings) => freeKinds(kinds, items);

// isSure asks before a change that visitors of the published site see.
function isSure(env: DataEnv): Promise<boolean> {
  const { saveLiveTitle, saveLiveText, saveLive } = t.data.signIns;
  if (env === 'test') return Promise.resolve(true);
  return ask({ title: saveLiveTitle, text: saveLiveText, confirm: saveLive });
}

// useFirstWrong brings the focus to the first field with an error, after each refusal.
function useFirstWrong(refusals: number) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [refusals]);
  return form;
}

// Guide says where an ID and a secret come from.
function Guide({ kind }: { kind: SignInKind }) {
  const text = t.data.signIns;
  const name = kindName(kind);
  const page = consoleOf(kind.name);
  return (
    <div class="signin__guide">
      <h3>{text.where}</h3>
      <p class="soft">{text.guides[kind.name.replace(/\d+$/, '')] ?? text.guide(name)}</p>
      {page && (
        <a href={page} target="_blank" rel="noopener noreferrer">
          {text.open(name)} <Icon name="external" />
        </a>
      )}
    </div>
  );
}

interface FieldsProps {
  kind: SignInKind;
  provider: SignInProvider | null;
  draft: SignInDraft;
  wrong: Wrongs;
  set: (change: Partial<SignInDraft>) => void;
}

// memberOf is what all fields have in common.
function memberOf(name: Member, { draft, wrong, set }: FieldsProps) {
  const problem = wrong[name];
  return {
    value: draft[name],
    autocomplete: 'off' as const,
    spellcheck: false,
    error: problem && t.data.signIns.wrong[problem],
    onInput: (event: Event) => set({ [name]: (event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value }),
  };
}

function Access(props: FieldsProps) {
  const text = t.data.signIns;
  const { kind, provider } = props;
  return (
    <>
      <TextField label={text.clientId} required autofocus={provider !== null} {...memberOf('clientId', props)} />
      {hasKey(kind) ? <Key {...props} /> : <Secret {...props} />}
      <TextField
        label={text.displayName}
        hint={text.displayNameHint(kindName(kind))}
        {...memberOf('displayName', props)}
      />
    </>
  );
}

// secretHint explains whether a secret is needed, unless the error does.
function secretHint({ provider, draft }: FieldsProps, error?: string): string | undefined {
  const text = t.data.signIns;
  const hint = keepsSecret(provider, draft) ? text.secretKeptHint : provider ? text.secretAgain : text.secretHint;
  return error === hint ? undefined : hint;
}

function Secret(props: FieldsProps) {
  const keeps = keepsSecret(props.provider, props.draft);
  const secret = memberOf('clientSecret', props);
  return (
    <TextField
      label={t.data.signIns.clientSecret}
      type="password"
      required={!keeps}
      placeholder={keeps ? '••••••••' : undefined}
      {...secret}
      hint={secretHint(props, secret.error)}
    />
  );
}

// Key holds the fields of a key from Apple.
function Key(props: FieldsProps) {
  const text = t.data.signIns;
  const required = !keepsSecret(props.provider, props.draft);
  const key = memberOf('privateKey', props);
  return (
    <>
      <TextField label={text.teamId} required={required} {...memberOf('teamId', props)} />
      <TextField label={text.keyId} required={required} {...memberOf('keyId', props)} />
      <TextArea
        label={text.privateKey}
        rows={4}
        required={required}
        placeholder="-----BEGIN PRIVATE KEY-----"
        {...key}
        hint={secretHint(props, key.error)}
      />
    </>
  );
}

function Addresses(props: FieldsProps) {
  return (
    <>
      {addresses.map((name) => (
        <TextField
          key={name}
          label={t.data.signIns[name]}
          type="url"
          required={props.kind.addressed}
          {...memberOf(name, props)}
        />
      ))}
    </>
  );
}

// More holds the fields that are rarely needed. It opens when one of them has an error.
function More(props: FieldsProps) {
  const text = t.data.signIns;
  const { kind, draft, wrong, set } = props;
  const has = draft.pkce !== '' || (!kind.addressed && addresses.some((name) => draft[name] !== ''));
  const [isOpen, setOpen] = useState(has);
  const isWrong = !kind.addressed && addresses.some((name) => wrong[name]);
  return (
    <details
      class="signin__more"
      open={isOpen || isWrong}
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>{text.more}</summary>
      <div class="form">
        {!kind.addressed && (
          <>
            <p class="soft">{text.ownAddresses}</p>
            <Addresses {...props} />
          </>
        )}
        <Select
          label={text.pkce}
          hint={text.pkceHint}
          value={draft.pkce}
          onChange={(event) => set({ pkce: event.currentTarget.value as SignInDraft['pkce'] })}
        >
          {(['', 'on', 'off'] as const).map((choice) => (
            <option key={choice} value={choice}>
              {text.pkceChoices[choice]}
            </option>
          ))}
        </Select>
      </div>
    </details>
  );
}
