import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Member, Workspace } from '~/api/types';
import { me, reloadWorkspaces } from '~/app/session';
import { t } from '~/text';
import { ask, Button, complain, say } from '~/ui';
import { mayLeave } from './roles';

/** Leave lets the user leave a workspace, or explains why they cannot. */
export function Leave({ space, members }: { space: Workspace; members: Member[] }) {
  const { route } = useLocation();
  const self = members.find(({ userId }) => userId === me.value?.user.id);
  const text = t.workspace.members;
  if (!self) return null;
  if (!mayLeave(space, self, members))
    return members.length > 1 ? (
      <p class="faint small">{space.personal ? text.personalStays : text.lastOwner}</p>
    ) : null;
  const leave = async () => {
    if (
      !(await ask({
        title: text.leaveTitle(space.name),
        text: text.leaveText,
        confirm: text.leaveConfirm,
        danger: true,
      }))
    )
      return;
    try {
      await api.delete(`/workspaces/${space.id}/members/${self.userId}`);
      route('/dashboard');
      say(text.left(space.name));
      await reloadWorkspaces();
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div>
      <Button kind="danger" icon="back" onClick={leave}>
        {text.leave}
      </Button>
    </div>
  );
}
