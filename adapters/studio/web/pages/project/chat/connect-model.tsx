import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member } from '~/api/types';
import { atLeast, workspaces } from '~/app/session';
import { t } from '~/text';
import { LinkButton } from '~/ui';

/** most is how many admins are named. */
const most = 3;

/** ConnectModel leads admins to the AI providers, and tells others who can connect one. */
export function ConnectModel({ wid }: { wid: string }) {
  const role = workspaces.value.find(({ id }) => id === wid)?.role;
  return (
    <div class="banner__body">
      <p class="soft small">{t.chat.demoOnly}</p>
      {atLeast(role, 'admin') ? (
        <div class="banner__actions">
          <LinkButton small kind="primary" icon="bolt" href={`/workspaces/${wid}/providers`}>
            {t.chat.connectModel}
          </LinkButton>
        </div>
      ) : (
        <Admins wid={wid} />
      )}
    </div>
  );
}

function Admins({ wid }: { wid: string }) {
  const { data } = useLoad(
    `admins of ${wid}`,
    async (signal) => (await api.get<{ items: Member[] }>(`/workspaces/${wid}/members`, { signal })).items,
  );
  const names = (data ?? [])
    .filter(({ role }) => role !== 'member')
    .slice(0, most)
    .map(({ displayName, email }) => displayName || email);
  return <p class="small">{data && t.chat.askAdmins(names.join(', '))}</p>;
}
