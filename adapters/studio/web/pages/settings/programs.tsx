import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { ConnectedProgram } from '~/api/types';
import { isolate, t } from '~/text';
import { ask, Button, complain, Failure, say, When } from '~/ui';

/** Programs lists the programs that the user has connected to the tools. */
export function Programs() {
  const { data, error, reload, set } = useLoad('programs', (signal) =>
    api.get<{ items: ConnectedProgram[] }>('/auth/programs', { signal }),
  );
  const words = t.settings.programs;
  const disconnect = async (program: ConnectedProgram) => {
    const name = isolate(program.name || words.nameless);
    if (
      !(await ask({
        title: t.settings.disconnectTitle(name),
        text: words.disconnectText,
        confirm: t.settings.disconnect,
        danger: true,
      }))
    )
      return;
    try {
      await api.delete(`/auth/programs/${program.id}`);
      set(({ items }) => ({ items: items.filter(({ id }) => id !== program.id) }));
      say(words.disconnected);
    } catch (failure) {
      complain(failure);
    }
  };
  if (error) return <Failure error={error} retry={reload} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section class="settings__section" aria-labelledby="programs">
      <h2 id="programs">{words.list}</h2>
      <ul class="rows">
        {data.items.map((program) => (
          <li class="row" key={program.id}>
            <div class="row__main">
              <bdi class="token__name">{program.name || words.nameless}</bdi>{' '}
              {program.host && <span class="faint">{program.host}</span>}
              <p class="row__note">{program.scopes.map((scope) => t.settings.scopeNames[scope][0]).join(' · ')}</p>
              <p class="row__note">
                {program.lastUsedAt ? (
                  <>
                    {t.settings.usedAt} <When at={program.lastUsedAt} />
                  </>
                ) : (
                  t.settings.neverUsed
                )}
                {' · '}
                {t.settings.madeAt} <When at={program.createdAt} />
              </p>
            </div>
            <Button onClick={() => void disconnect(program)}>{t.settings.disconnect}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
