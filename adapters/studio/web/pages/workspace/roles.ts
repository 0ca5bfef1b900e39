// Who may decide about whom. The service decides in the end; this keeps what it would
// refuse from being offered.

import type { Member, Role, Workspace } from '~/api/types';
import { atLeast } from '~/app/session';

/** roles are all roles, the least first. */
export const roles: Role[] = ['member', 'admin', 'owner'];

/** rolesToGive are the roles that somebody of a role may give. */
export function rolesToGive(own: Role): Role[] {
  return roles.filter((role) => atLeast(own, role));
}

/** mayChange reports whether the reader may change somebody's role and remove them. */
export function mayChange(space: Workspace, member: Member, members: Member[]): boolean {
  return atLeast(space.role, 'admin') && atLeast(space.role, member.role) && isDispensable(space, member, members);
}

/** mayLeave reports whether the reader, who is self, may leave. */
export function mayLeave(space: Workspace, self: Member, members: Member[]): boolean {
  return isDispensable(space, self, members);
}

// isDispensable says that a workspace can do without somebody: it keeps an owner, and
// a personal one its person, who is in it since it was made.
function isDispensable(space: Workspace, member: Member, members: Member[]): boolean {
  if (member.role !== 'owner') return true;
  if (space.personal && member.joinedAt === space.createdAt) return false;
  return members.filter(({ role }) => role === 'owner').length > 1;
}
