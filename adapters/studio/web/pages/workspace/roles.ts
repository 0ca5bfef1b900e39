// Who may manage which members. The service enforces this; the studio hides what it would reject.

import type { Member, Role, Workspace } from '~/api/types';
import { atLeast } from '~/app/session';

/** roles are all roles, lowest first. */
export const roles: Role[] = ['member', 'admin', 'owner'];

/** rolesToGive returns the roles that a member with a role may grant. */
export function rolesToGive(own: Role): Role[] {
  return roles.filter((role) => atLeast(own, role));
}

/** mayChange reports whether the user may change a member's role or remove them. */
export function mayChange(space: Workspace, member: Member, members: Member[]): boolean {
  return atLeast(space.role, 'admin') && atLeast(space.role, member.role) && isDispensable(space, member, members);
}

/** mayLeave reports whether the user, who is self, may leave. */
export function mayLeave(space: Workspace, self: Member, members: Member[]): boolean {
  return isDispensable(space, self, members);
}

// isDispensable reports whether a member may leave: a workspace must keep an owner, and a
// personal workspace its user.
function isDispensable(space: Workspace, member: Member, members: Member[]): boolean {
  if (member.role !== 'owner') return true;
  if (space.personal && member.joinedAt === space.createdAt) return false;
  return members.filter(({ role }) => role === 'owner').length > 1;
}
