import { config } from '~/app/config';
import { t } from '~/text';
import { LinkButton } from '~/ui';
import { next } from './entry';

/** OAuth lists the configured sign-in providers, those of companies first. */
export function OAuth() {
  if (config.oauth.length + config.companies.length === 0) return null;
  const names: Record<string, string> = { github: 'GitHub', google: 'Google' };
  return (
    <div class="auth__oauth">
      {config.companies.map(({ slug, name }) => (
        <LinkButton key={slug} href={`/auth/oidc/${slug}?next=${encodeURIComponent(next())}`} wide>
          <bdi>{t.auth.goOnWith(name)}</bdi>
        </LinkButton>
      ))}
      {config.oauth.map((name) => (
        <LinkButton key={name} href={`/auth/${name}?next=${encodeURIComponent(next())}`} wide>
          {t.auth.goOnWith(names[name] ?? name)}
        </LinkButton>
      ))}
      {config.passwords && (
        <p class="auth__or">
          <span>{t.auth.or}</span>
        </p>
      )}
    </div>
  );
}
