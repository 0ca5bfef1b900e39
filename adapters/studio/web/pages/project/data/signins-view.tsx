import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SignInProvider, SignInSettings } from '~/api/types';
import { list, t } from '~/text';
import { ask, Banner, Button, complain, Empty, Failure, Icon, IconButton, Loading, say, useTask, When } from '~/ui';
import type { DataDesk } from './desk';
import { Head } from './head';
import { Redirects } from './signin-address';
import { SignInForm } from './signin-form';
import { freeKinds, kindName } from './signins';

/** SignIns lists the providers with which end users sign in. Those of live data are for admins. */
export function SignIns({ desk }: { desk: DataDesk }) {
  return (
    <section class="tool" aria-labelledby="signins">
      {desk.canChange.value ? (
        <Providers desk={desk} />
      ) : (
        <>
          <Head desk={desk} id="signins" title={t.data.signIns.title} />
          <Empty icon="lock" title={t.data.signIns.locked}>
            {t.data.signIns.lockedHint}
          </Empty>
        </>
      )}
    </section>
  );
}

function Providers({ desk }: { desk: DataDesk }) {
  const text = t.data.signIns;
  const env = desk.env.value;
  const path = desk.path(`/${env}/providers`);
  const { data, error, reload } = useLoad(env, (signal) => api.get<SignInSettings>(path, { signal }));
  // What is being entered: a provider to change, or a new one.
  const [entered, setEntered] = useState<SignInProvider | 'new' | null>(null);
  const removing = useTask({ onError: complain });
  useSignalEffect(() => {
    if (desk.changes.value > 0) void reload();
  });
  const nameOf = (one: SignInProvider) =>
    one.displayName || kindName(data?.kinds.find(({ name }) => name === one.name) ?? { ...one, displayName: one.name });
  const remove = async (one: SignInProvider) => {
    const sure = await ask({
      title: text.removeTitle(nameOf(one)),
      text: text.removeText[env],
      confirm: text.remove,
      danger: true,
    });
    if (!sure) return;
    await removing.run(async () => {
      say(await drop(`${path}/${one.name}`));
      await reload();
    });
  };
  return (
    <>
      <Head
        desk={desk}
        id="signins"
        title={text.title}
        actions={
          <>
            <IconButton icon="reload" label={t.data.reload} onClick={() => void reload()} />
            <Button
              icon="add"
              disabled={!data || freeKinds(data.kinds, data.items).length === 0}
              onClick={() => setEntered('new')}
            >
              {text.add}
            </Button>
          </>
        }
      >
        {env === 'live' && <span class="badge badge--warning">{t.data.envs.live}</span>}
      </Head>
      <p class="soft tool__hint">{text.hint[env]}</p>
      {error && (
        <div class="tool__note">
          <Failure error={error} retry={() => void reload()} />
        </div>
      )}
      {!data && !error && <Loading />}
      {data && (
        <>
          <Users desk={desk} />
          {data.items.length === 0 ? (
            <Empty icon="key" title={text.none}>
              {text.noneHint[env]}
            </Empty>
          ) : (
            <ul class="rows tool__rows">
              {data.items.map((one) => (
                <Row
                  key={one.name}
                  one={one}
                  name={nameOf(one)}
                  disabled={removing.busy}
                  onChange={() => setEntered(one)}
                  onRemove={() => void remove(one)}
                />
              ))}
            </ul>
          )}
          <Foot desk={desk} settings={data} names={data.items.map(nameOf)} />
        </>
      )}
      {data && entered && (
        <SignInForm
          env={env}
          path={path}
          settings={data}
          provider={entered === 'new' ? null : entered}
          onClose={() => setEntered(null)}
          onSaved={() => {
            setEntered(null);
            void reload();
          }}
        />
      )}
    </>
  );
}

// drop removes a provider, and says what came of it: somebody else may have removed it.
async function drop(path: string): Promise<string> {
  try {
    await api.delete(path);
    return t.data.signIns.removed;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return t.data.signIns.gone;
    throw error;
  }
}

interface RowProps {
  one: SignInProvider;
  name: string;
  disabled: boolean;
  onChange: () => void;
  onRemove: () => void;
}

function Row({ one, name, disabled, onChange, onRemove }: RowProps) {
  const text = t.data.signIns;
  return (
    <li class="row signin">
      <Icon name="key" />
      <div class="row__main">
        <div>
          <bdi>{name}</bdi>
        </div>
        <div class="row__note">
          {text.clientId} <bdi>{one.clientId}</bdi> · {text.secretKept} · <When at={one.updatedAt} />
        </div>
      </div>
      <div class="signin__actions">
        <Button small icon="edit" disabled={disabled} aria-label={`${text.change}: ${name}`} onClick={onChange}>
          {text.change}
        </Button>
        <IconButton
          small
          kind="danger"
          icon="trash"
          label={`${text.remove}: ${name}`}
          disabled={disabled}
          onClick={onRemove}
        />
      </div>
    </li>
  );
}

// Users warns when there is no collection of users.
function Users({ desk }: { desk: DataDesk }) {
  if (desk.collections.value.some(({ type }) => type === 'auth')) return null;
  return (
    <div class="tool__note">
      <Banner
        actions={
          <Button small icon="chat" onClick={() => desk.store.compose(t.data.signIns.usersWish)}>
            {t.data.askAgent}
          </Button>
        }
      >
        {t.data.signIns.noUsers}
      </Banner>
    </div>
  );
}

// Foot shows the redirect address, and offers to ask the agent for the buttons.
function Foot({ desk, settings, names }: { desk: DataDesk; settings: SignInSettings; names: string[] }) {
  const text = t.data.signIns;
  return (
    <div class="signin-foot">
      <h3>{text.redirect}</h3>
      <p class="soft">{text.redirectHint}</p>
      <Redirects redirects={settings.redirects} />
      <div class="signin__actions">
        {settings.redirects.length === 0 && (
          <Button icon="publish" onClick={() => desk.store.show('publish')}>
            {text.publish}
          </Button>
        )}
        {names.length > 0 && (
          <Button icon="chat" onClick={() => desk.store.compose(text.buttonsWish(list(names)))}>
            {text.askButtons}
          </Button>
        )}
      </div>
    </div>
  );
}
