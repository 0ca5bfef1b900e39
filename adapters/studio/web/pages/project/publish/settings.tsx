import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SiteSettings as Settings } from '~/api/types';
import { t } from '~/text';
import {
  Button,
  Checkbox,
  Failure,
  Form,
  inWords,
  PasswordField,
  Select,
  Skeleton,
  say,
  TextArea,
  TextField,
  useTask,
} from '~/ui';
import type { ProjectStore } from '../store';

type Text = 'title' | 'description' | 'image' | 'favicon' | 'language' | 'notFound';

const texts: { name: Text; max: number; placeholder: string }[] = [
  { name: 'title', max: 200, placeholder: '' },
  { name: 'description', max: 500, placeholder: '' },
  { name: 'image', max: 2000, placeholder: '/picture.png' },
  { name: 'favicon', max: 2000, placeholder: '/favicon.svg' },
  { name: 'language', max: 35, placeholder: 'en' },
  { name: 'notFound', max: 2000, placeholder: '/404.html' },
];

/** SiteSettings changes what the site says about itself, and who sees it. */
export function SiteSettings({ store }: { store: ProjectStore }) {
  const { data, error, reload } = useLoad(`site of ${store.id}`, (signal) =>
    api.get<Settings>(`/projects/${store.id}/site`, { signal }),
  );
  return (
    <section class="page__section" aria-labelledby="site-settings">
      <h2 id="site-settings">{t.site.title}</h2>
      <p class="soft">{t.site.hint}</p>
      {error ? (
        <Failure error={error} retry={reload} />
      ) : data ? (
        <Fields key={data.updatedAt} store={store} settings={data} onSaved={reload} />
      ) : (
        <Skeleton height={320} />
      )}
    </section>
  );
}

// isRefused reports whether the service refuses the value of a field, which it names first.
function isRefused(error: unknown, name: string): boolean {
  return error instanceof ApiError && error.code === 'validation_failed' && error.message.startsWith(`${name} `);
}

function Fields({
  store,
  settings,
  onSaved,
}: {
  store: ProjectStore;
  settings: Settings;
  onSaved: () => Promise<unknown>;
}) {
  const [wish, setWish] = useState(settings);
  const [password, setPassword] = useState('');
  const { busy, error, run } = useTask();
  const isChanged =
    password !== '' || wish.robots !== settings.robots || wish.access !== settings.access || texts.some(differs);
  function differs({ name }: { name: Text }): boolean {
    return wish[name] !== settings[name];
  }
  const refused = texts.find(({ name }) => isRefused(error, name))?.name;
  const save = () =>
    run(async () => {
      const changed = Object.fromEntries(texts.filter(differs).map(({ name }) => [name, wish[name]]));
      await api.patch(`/projects/${store.id}/site`, {
        ...changed,
        robots: wish.robots,
        access: wish.access,
        ...(password && { password }),
      });
      say(t.site.saved);
      await onSaved();
    });
  return (
    <Form onSubmit={() => void save()}>
      {texts.map(({ name, max, placeholder }) => {
        const shared = {
          label: t.site.fields[name],
          error: refused === name ? t.site.wrong[name] : undefined,
          hint: t.site.hints[name],
          value: wish[name],
          placeholder,
          maxLength: max,
          autocomplete: 'off',
        };
        return name === 'description' ? (
          <TextArea
            key={name}
            {...shared}
            rows={2}
            onInput={(event) => setWish({ ...wish, [name]: event.currentTarget.value.replace(/\s*\n\s*/g, ' ') })}
          />
        ) : (
          <TextField
            key={name}
            {...shared}
            onInput={(event) => setWish({ ...wish, [name]: event.currentTarget.value })}
          />
        );
      })}
      <Checkbox
        label={t.site.index}
        hint={t.site.indexHint}
        checked={wish.robots === 'index'}
        onChange={(event) => setWish({ ...wish, robots: event.currentTarget.checked ? 'index' : 'noindex' })}
      />
      <Select
        label={t.site.access}
        hint={t.site.accessHints[wish.access]}
        value={wish.access}
        onChange={(event) => setWish({ ...wish, access: event.currentTarget.value as Settings['access'] })}
      >
        {(['public', 'password', 'workspace'] as const).map((access) => (
          <option key={access} value={access}>
            {t.site.accesses[access]}
          </option>
        ))}
      </Select>
      {wish.access === 'password' && (
        <PasswordField
          label={t.site.password}
          hint={settings.hasPassword ? t.site.passwordKept : t.site.passwordHint}
          value={password}
          required={!settings.hasPassword}
          minLength={8}
          autocomplete="new-password"
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {error !== undefined && !refused && (
        <p class="field__error" role="alert">
          {inWords(error)}
        </p>
      )}
      <div class="form__actions">
        <Button type="submit" busy={busy} disabled={!isChanged}>
          {t.site.save}
        </Button>
      </div>
    </Form>
  );
}
