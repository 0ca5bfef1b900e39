// Which members may manage which others. The service decides; this hides what it would refuse.

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

// isDispensable reports whether a member may leave: a workspace keeps an owner, and a personal
// workspace its person.
function isDispensable(space: Workspace, member: Member, members: Member[]): boolean {
  if (member.role !== 'owner') return true;
  if (space.personal && member.joinedAt === space.createdAt) return false;
  return members.filter(({ role }) => role === 'owner').length > 1;
}
