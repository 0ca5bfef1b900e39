import type { SignInSettings } from '~/api/types';
import { t } from '~/text';
import { Copyable } from '~/ui';

/** Redirects are the addresses to register at a provider. */
export function Redirects({ redirects }: { redirects: SignInSettings['redirects'] }) {
  const text = t.data.signIns;
  const [first, ...others] = redirects;
  if (!first) return <p class="soft">{text.noRedirect}</p>;
  return (
    <>
      <Copyable value={first.url} label={text.redirect} />
      {others.length > 0 && <p class="soft">{text.redirectAlso}</p>}
      {others.map(({ url }) => (
        <Copyable key={url} value={url} label={`${text.redirect} (${new URL(url).host})`} />
      ))}
    </>
  );
}
