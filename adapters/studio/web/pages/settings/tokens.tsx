import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { APIToken } from '~/api/types';
import { day, isolate, t } from '~/text';
import { ask, Button, complain, Empty, Failure, IconButton, Loading, say, When } from '~/ui';
import { Connect } from './connect';
import { NewToken } from './new-token';
import { Programs } from './programs';

/** Tokens lists the user's API tokens. */
export function Tokens() {
  const { data, error, reload, set } = useLoad('tokens', (signal) =>
    api.get<{ items: APIToken[] }>('/auth/api-tokens', { signal }),
  );
  const [making, setMaking] = useState(false);
  const remove = async (token: APIToken) => {
    if (
      !(await ask({
        title: t.settings.deleteTokenTitle(isolate(token.name)),
        text: t.settings.deleteTokenText,
        confirm: t.shell.delete,
        danger: true,
      }))
    )
      return;
    try {
      await api.delete(`/auth/api-tokens/${token.id}`);
      set(({ items }) => ({ items: items.filter(({ id }) => id !== token.id) }));
      say(t.settings.tokenDeleted);
    } catch (failure) {
      complain(failure);
    }
  };
  const make = (
    <Button kind="primary" icon="add" onClick={() => setMaking(true)}>
      {t.settings.newToken}
    </Button>
  );
  return (
    <>
      <p class="soft settings__lead">
        {t.settings.tokensHint}{' '}
        <a href="/docs" target="_blank" rel="noopener">
          {t.settings.documentation}
        </a>
      </p>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && data.items.length === 0 && (
        <Empty icon="key" title={t.settings.noTokens} actions={make}>
          {t.settings.noTokensHint}
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <>
          <div class="form__actions">{make}</div>
          <ul class="rows">
            {data.items.map((token) => (
              <Row key={token.id} token={token} remove={() => void remove(token)} />
            ))}
          </ul>
        </>
      )}
      <Programs />
      {data && <Connect token={`<${t.settings.token}>`} />}
      {making && <NewToken onClose={() => setMaking(false)} onMade={() => void reload()} />}
    </>
  );
}

function Row({ token, remove }: { token: APIToken; remove: () => void }) {
  const ended = token.expiresAt !== null && new Date(token.expiresAt) <= new Date();
  return (
    <li class="row token">
      <div class="row__main">
        <bdi class="token__name">{token.name}</bdi> <code class="faint">{token.prefix}…</code>
        <p class="row__note">{token.scopes.map((scope) => t.settings.scopeNames[scope][0]).join(' · ')}</p>
        <p class="row__note">
          {token.lastUsedAt ? (
            <>
              {t.settings.usedAt} <When at={token.lastUsedAt} />
            </>
          ) : (
            t.settings.neverUsed
          )}
          {' · '}
          {t.settings.madeAt} <When at={token.createdAt} />
          {' · '}
          {ended ? (
            <span class="badge badge--warning">{t.settings.ended}</span>
          ) : token.expiresAt ? (
            t.settings.endsOn(day(token.expiresAt))
          ) : (
            t.settings.neverEnds
          )}
        </p>
      </div>
      <IconButton icon="trash" label={t.settings.deleteToken(isolate(token.name))} onClick={remove} />
    </li>
  );
}
