package core

import "maps"

// Action is something that a caller may or may not do. Rules maps each action to its
// rule.
type Action string

// The actions of the public contract.
const (
	ActionAccount Action = "account"

	ActionWorkspaceList   Action = "workspace.list"
	ActionWorkspaceCreate Action = "workspace.create"
	ActionWorkspaceRead   Action = "workspace.read"
	ActionWorkspaceUpdate Action = "workspace.update"
	ActionWorkspaceDelete Action = "workspace.delete"
	ActionProviderRead    Action = "provider.read"
	ActionProviderWrite   Action = "provider.write"
	ActionUsageRead       Action = "usage.read"

	ActionMemberRead  Action = "member.read"
	ActionMemberWrite Action = "member.write"
	// ActionMemberRemove is for every member, who may always leave; removing somebody
	// else requires the same as ActionMemberWrite.
	ActionMemberRemove Action = "member.remove"
	ActionInvite       Action = "invite"
	// ActionInviteAccept makes the caller a member of a workspace that they do not
	// see yet.
	ActionInviteAccept      Action = "invite.accept"
	ActionWorkspaceTransfer Action = "workspace.transfer"
	ActionFolderRead        Action = "folder.read"
	ActionFolderWrite       Action = "folder.write"
	ActionModeRead          Action = "mode.read"
	ActionModeWrite         Action = "mode.write"
	ActionCommandRead       Action = "command.read"
	ActionCommandWrite      Action = "command.write"
	ActionAuditRead         Action = "audit.read"

	ActionTemplateList Action = "template.list"
	ActionProjectList  Action = "project.list"
	// ActionProjectListOf lists the projects of one workspace; callers who are not
	// members see the public ones.
	ActionProjectListOf Action = "workspace.projects"
	ActionProjectCreate Action = "project.create"
	ActionProjectRead   Action = "project.read"
	ActionProjectUpdate Action = "project.update"
	ActionProjectDelete Action = "project.delete"
	ActionProjectPurge  Action = "project.purge"
	// ActionProjectTransfer is required in both workspaces.
	ActionProjectTransfer Action = "project.transfer"
	// ActionProjectDuplicate reads a project to copy it; the workspace of the copy
	// requires ActionProjectCreate as well.
	ActionProjectDuplicate Action = "project.duplicate"
	ActionVersionRead      Action = "version.read"
	ActionVersionWrite     Action = "version.write"
	ActionPreviewRead      Action = "preview.read"
	ActionPreviewWatch     Action = "preview.watch"
	ActionPublish          Action = "publish"
	ActionPublishRead      Action = "publish.read"
	// ActionSiteEnter sees the published site of a project that only members see.
	ActionSiteEnter   Action = "site.enter"
	ActionEnvironment Action = "environment"
	ActionDomainRead  Action = "domain.read"
	ActionDomainWrite Action = "domain.write"

	ActionFileRead  Action = "file.read"
	ActionFileWrite Action = "file.write"
	// ActionTypeCheck reads files and changes nothing. It is for members only, because it
	// is expensive.
	ActionTypeCheck Action = "typecheck"

	// ActionCheckRead reads the checks of a project and their results, ActionCheckRun plays them.
	ActionCheckRead Action = "check.read"
	ActionCheckRun  Action = "check.run"

	// ActionBackendRead reads the data of a project's backend as its owner sees it.
	ActionBackendRead Action = "backend.read"
	// ActionBackendTest changes test data, ActionBackendLive live data.
	ActionBackendTest Action = "backend.test"
	ActionBackendLive Action = "backend.live"
	// ActionBackendLiveCopies reads copies of live data as a whole: snapshots and exports.
	ActionBackendLiveCopies Action = "backend.live_copies"

	ActionChat Action = "chat"

	// ActionTask begins, lists and discards tasks on copies of a project, ActionTaskMerge merges them.
	ActionTask      Action = "task"
	ActionTaskMerge Action = "task.merge"

	// The actions of admins of the installation. None of them reads a project.
	ActionInstanceSettings Action = "instance.settings"
	ActionInstancePeople   Action = "instance.people"
	ActionInstanceInvite   Action = "instance.invite"
	ActionInstanceAudit    Action = "instance.audit"
)

// Rule says what an action requires.
type Rule struct {
	// Role is the least role in the workspace; RoleNone means any signed-in caller.
	Role Role
	// Public opens the action to every signed-in caller if the project is public; such
	// callers see the public items of a list.
	Public bool
	// Hidden hides even the existence of the action's object from readers who are not
	// members: chats, deployments, the preview's console (contract, section 6).
	Hidden bool
	// OwnProject refuses the action for working copies, which are published, moved and deleted
	// only with their project.
	OwnProject bool
	// Instance is the role in the installation that the action needs, whatever the caller's
	// roles in workspaces. Such an action has no Role.
	Instance InstanceRole
	// Scope is the scope that an API token needs; ScopeNone refuses every token.
	Scope Scope
}

// rules is the one table of authorisation.
var rules = map[Action]Rule{
	ActionAccount: {Scope: ScopeNone},

	ActionWorkspaceList:   {Scope: ScopeWorkspacesRead},
	ActionWorkspaceCreate: {Scope: ScopeWorkspacesWrite},
	ActionWorkspaceRead:   {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionWorkspaceUpdate: {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionWorkspaceDelete: {Role: RoleOwner, Scope: ScopeWorkspacesWrite},
	ActionProviderRead:    {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionProviderWrite:   {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionUsageRead:       {Role: RoleMember, Scope: ScopeWorkspacesRead},

	ActionMemberRead:        {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionMemberWrite:       {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionMemberRemove:      {Role: RoleMember, Scope: ScopeWorkspacesWrite},
	ActionInvite:            {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionInviteAccept:      {Scope: ScopeWorkspacesWrite},
	ActionWorkspaceTransfer: {Role: RoleOwner, Scope: ScopeWorkspacesWrite},
	ActionFolderRead:        {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionFolderWrite:       {Role: RoleMember, Scope: ScopeWorkspacesWrite},
	ActionModeRead:          {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionModeWrite:         {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionCommandRead:       {Role: RoleMember, Scope: ScopeWorkspacesRead},
	ActionCommandWrite:      {Role: RoleAdmin, Scope: ScopeWorkspacesWrite},
	ActionAuditRead:         {Role: RoleAdmin, Scope: ScopeWorkspacesRead},

	ActionTemplateList:     {Scope: ScopeProjectsRead},
	ActionProjectList:      {Scope: ScopeProjectsRead},
	ActionProjectListOf:    {Role: RoleMember, Public: true, Scope: ScopeProjectsRead},
	ActionProjectCreate:    {Role: RoleMember, Scope: ScopeProjectsWrite},
	ActionProjectRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead},
	ActionProjectUpdate:    {Role: RoleMember, Scope: ScopeProjectsWrite},
	ActionProjectDelete:    {Role: RoleMember, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionProjectPurge:     {Role: RoleOwner, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionProjectTransfer:  {Role: RoleOwner, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionProjectDuplicate: {Role: RoleMember, Public: true, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionVersionRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead},
	ActionVersionWrite:     {Role: RoleMember, Scope: ScopeProjectsWrite},
	ActionPreviewRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead},
	ActionPreviewWatch:     {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead},
	ActionPublish:          {Role: RoleMember, OwnProject: true, Scope: ScopePublish},
	ActionPublishRead:      {Role: RoleMember, Hidden: true, Scope: ScopePublish},
	ActionEnvironment:      {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionSiteEnter:        {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead},
	ActionDomainRead:       {Role: RoleMember, Hidden: true, Scope: ScopePublish},
	ActionDomainWrite:      {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopePublish},

	ActionFileRead:  {Role: RoleMember, Public: true, Scope: ScopeFilesRead},
	ActionFileWrite: {Role: RoleMember, Scope: ScopeFilesWrite},
	ActionTypeCheck: {Role: RoleMember, Scope: ScopeFilesRead},

	ActionCheckRead: {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead},
	ActionCheckRun:  {Role: RoleMember, Hidden: true, Scope: ScopeProjectsWrite},

	ActionBackendRead:       {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead},
	ActionBackendTest:       {Role: RoleMember, Hidden: true, Scope: ScopeProjectsWrite},
	ActionBackendLive:       {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite},
	ActionBackendLiveCopies: {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead},

	ActionChat: {Role: RoleMember, Hidden: true, Scope: ScopeChat},

	ActionTask:      {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeChat},
	ActionTaskMerge: {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite},

	ActionInstanceSettings: {Instance: InstanceAdmin, Scope: ScopeNone},
	ActionInstancePeople:   {Instance: InstanceAdmin, Scope: ScopeNone},
	ActionInstanceInvite:   {Instance: InstanceAdmin, Scope: ScopeNone},
	ActionInstanceAudit:    {Instance: InstanceAdmin, Scope: ScopeNone},
}

// RuleOf returns the rule of action. It panics for an action that is not in the table,
// which is a bug in the program.
func RuleOf(action Action) Rule {
	rule, known := rules[action]
	if !known {
		panic("core: no rule for action " + string(action))
	}
	return rule
}

// Rules returns a copy of the table, for tests and documentation.
func Rules() map[Action]Rule { return maps.Clone(rules) }

// Authorize decides whether actor, who has role in the workspace, may do what rule
// guards. It returns nil, CodeInsufficientScope, CodeForbidden, or, for a caller who may
// not know that the workspace exists, CodeNotFound.
func (rule Rule) Authorize(actor Actor, role Role) error {
	if rule.Instance != InstanceNone {
		return Errorf(CodeForbidden, "only admins of this installation may do this")
	}
	if rule.Role != RoleNone && role == RoleNone {
		return NotFound("workspace")
	}
	if err := rule.CheckScope(actor); err != nil {
		return err
	}
	if !role.AtLeast(rule.Role) {
		return Errorf(CodeForbidden, "this requires the role %s in the workspace", rule.Role)
	}
	return nil
}

// AuthorizeInstance is Authorize for an action on the installation, for an actor who has role in
// it. It returns nil, CodeInsufficientScope or CodeForbidden.
func (rule Rule) AuthorizeInstance(actor Actor, role InstanceRole) error {
	if err := rule.CheckScope(actor); err != nil {
		return err
	}
	if role != rule.Instance {
		return Errorf(CodeForbidden, "only admins of this installation may do this")
	}
	return nil
}

// CheckScope checks the scopes of an API token. It returns nil or CodeInsufficientScope.
func (rule Rule) CheckScope(actor Actor) error {
	switch {
	case actor.Permits(rule.Scope):
		return nil
	case rule.Scope == ScopeNone:
		return Errorf(CodeInsufficientScope, "this requires a signed-in user: API tokens are not accepted")
	}
	return Errorf(CodeInsufficientScope, "this API token lacks the scope %q", rule.Scope)
}

// ProjectAccess is the part of a project that access depends on, together with the
// caller's role.
type ProjectAccess struct {
	CreatedBy  ID
	Visibility Visibility
	// Deleted is set while the project is soft-deleted, Purging once it is being removed
	// permanently.
	Deleted, Purging bool
	// Copy says that the project is a working copy of another.
	Copy bool
}

// Access returns the part of the project that AuthorizeProject needs.
func (p Project) Access() ProjectAccess {
	return ProjectAccess{p.CreatedBy, p.Visibility, p.DeletedAt != nil, p.Purging, p.CopyOf != nil}
}

// AuthorizeProject is Authorize for an action on a project. A private project is hidden
// from members who neither created it nor administer the workspace; everybody may read a
// public one, if the rule allows it.
func (rule Rule) AuthorizeProject(actor Actor, role Role, project ProjectAccess) error {
	if !seesAsMember(actor, role, project) {
		if !rule.Public || project.Visibility != VisibilityPublic || project.Deleted {
			return rule.hide(project)
		}
		rule.Role = RoleNone
	}
	if err := rule.Authorize(actor, role); err != nil || !rule.OwnProject || !project.Copy {
		return err
	}
	code := CodeForbidden
	if rule.Hidden {
		code = CodeNotFound
	}
	return Errorf(code, "this is the working copy of a task: do that in its project")
}

func seesAsMember(actor Actor, role Role, project ProjectAccess) bool {
	if project.Visibility == VisibilityPrivate && project.CreatedBy != actor.UserID {
		return role.AtLeast(RoleAdmin)
	}
	return role.AtLeast(RoleMember)
}

// hide returns the error for a caller who is not a member. A caller who may read the
// project knows that it exists, so a change is forbidden instead of not found. What only
// members may see stays hidden whatever the visibility.
func (rule Rule) hide(project ProjectAccess) error {
	readable := project.Visibility == VisibilityPublic && !project.Deleted
	if !readable || rule.Hidden {
		return NotFound("project")
	}
	return Errorf(CodeForbidden, "only members of the workspace may do this")
}
