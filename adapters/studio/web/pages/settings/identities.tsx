import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { LinkedIdentity } from '~/api/types';
import { config } from '~/app/config';
import { day, t } from '~/text';
import { ask, Button, complain, Failure, say } from '~/ui';

// Names of providers; others are called as the service calls them.
const names: Record<string, string> = { github: 'GitHub', google: 'Google' };

// companyOf returns the name of a company's provider.
function companyOf(provider: string): string | undefined {
  return config.companies.find(({ slug }) => provider === `oidc:${slug}`)?.name;
}

/** Identities lists the providers with which the user signs in, and unlinks them. */
export function Identities() {
  const { data, error, reload, set } = useLoad('identities', (signal) =>
    api.get<{ items: LinkedIdentity[] }>('/auth/identities', { signal }),
  );
  const unlink = async (provider: string, name: string) => {
    const sure = await ask({
      title: t.settings.unlinkTitle(name),
      text: t.settings.unlinkText,
      confirm: t.settings.unlink,
      danger: true,
    });
    if (!sure) return;
    try {
      await api.delete(`/auth/identities/${encodeURIComponent(provider)}`);
      set(({ items }) => ({ items: items.filter((other) => other.provider !== provider) }));
      say(t.settings.unlinked(name));
    } catch (failure) {
      complain(failure);
      void reload();
    }
  };
  if (error) return <Failure error={error} retry={reload} />;
  if (!data?.items.length) return null;
  return (
    <section class="settings__section" aria-labelledby="identities">
      <h2 id="identities">{t.settings.identitiesTitle}</h2>
      <p class="soft">{t.settings.identitiesHint}</p>
      <ul class="rows">
        {data.items.map(({ provider, createdAt }) => {
          const name = names[provider] ?? companyOf(provider) ?? provider;
          return (
            <li key={provider} class="row">
              <div class="row__main">
                {name}
                <p class="row__note">{t.settings.linkedOn(day(createdAt))}</p>
              </div>
              <Button aria-label={t.settings.unlinkOf(name)} onClick={() => void unlink(provider, name)}>
                {t.settings.unlink}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
