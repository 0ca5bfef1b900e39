// The connection of a project with a branch of a repository on another host.

import { useEffect, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { ProjectRemote } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Copyable, Dialog, Failure, Skeleton } from '~/ui';
import type { ProjectStore } from '../store';
import { ConnectForm } from './form';
import { Connection } from './state';

interface RemoteProps {
  store: ProjectStore;
  /** onTasks opens the project's tasks, of which one may settle conflicts. */
  onTasks: () => void;
  onClose: () => void;
}

type Hook = NonNullable<ProjectRemote['hook']>;

/** every is how often the state is asked for, in milliseconds. The service does not announce it. */
const every = 2000;

/** RemoteDialog connects a project, shows how both sides stand, and settles conflicts. */
export default function RemoteDialog({ store, onTasks, onClose }: RemoteProps) {
  const path = `/projects/${store.id}/remote`;
  const { data, error, reload } = useLoad(path, (signal) => find(path, signal));
  const [changing, change] = useState(false);
  const [hook, setHook] = useState<Hook | null>(null);
  const remote = data?.remote;
  useEffect(() => {
    if (!remote) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    // The next question waits for the answer to the last one, which it would cut off.
    const wait = () => {
      timer = setTimeout(() => void reload().then(() => gone || wait()), every);
    };
    wait();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [!remote]);
  const connected = async (made: ProjectRemote) => {
    change(false);
    setHook(made.hook ?? null);
    await reload();
  };
  return (
    <Dialog title={t.remote.title} wide onClose={onClose}>
      <div class="remote">
        {error && !data && <Failure error={error} retry={() => void reload()} />}
        {!data && !error && <Skeleton height={180} />}
        {hook && <Webhook hook={hook} onDone={() => setHook(null)} />}
        {data && (!remote || changing) && (
          <ConnectForm
            path={path}
            remote={remote ?? null}
            onConnected={connected}
            onCancel={remote ? () => change(false) : onClose}
          />
        )}
        {remote && !changing && (
          <Connection
            path={path}
            remote={remote}
            onReload={reload}
            onChange={() => change(true)}
            onTasks={onTasks}
            isHookShown={hook !== null}
          />
        )}
      </div>
    </Dialog>
  );
}

// find returns the connection, or none.
async function find(path: string, signal: AbortSignal): Promise<{ remote: ProjectRemote | null }> {
  try {
    return { remote: await api.get<ProjectRemote>(path, { signal }) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { remote: null };
    throw error;
  }
}

// Webhook shows what a host needs to call the webhook. The service shows it only once.
function Webhook({ hook, onDone }: { hook: Hook; onDone: () => void }) {
  return (
    <section class="remote__hook" aria-label={t.remote.hookTitle}>
      <Banner kind="good">{t.remote.connected}</Banner>
      <h3>{t.remote.hookTitle}</h3>
      <p class="soft small">{t.remote.hookHint}</p>
      <Labelled label={t.remote.hookUrl} value={hook.url} />
      <Labelled label={t.remote.hookSecret} value={hook.secret} />
      <div>
        <Button small onClick={onDone}>
          {t.remote.done}
        </Button>
      </div>
    </section>
  );
}

function Labelled({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <p class="small soft">{label}</p>
      <Copyable label={label} value={value} />
    </div>
  );
}
