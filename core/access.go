package core

import "maps"

// Action is something that a caller may or may not do. Rules maps each action to its
// rule.
type Action string

// The actions of the public interface.
const (
	ActionAccount Action = "account"
	// ActionTools reaches the tools for other programs (MCP). Each tool requires the action of
	// its route as well.
	ActionTools Action = "tools"

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
	ActionWebhookRead       Action = "webhook.read"
	ActionWebhookWrite      Action = "webhook.write"
	ActionConnectorRead     Action = "connector.read"
	ActionConnectorWrite    Action = "connector.write"

	ActionTemplateList Action = "template.list"
	// ActionSharedTemplateRead reads the templates of a workspace; ActionSharedTemplateAdd adds one.
	// ActionSharedTemplateChange changes and deletes one's own; admins do so with those of others, too.
	ActionSharedTemplateRead   Action = "shared_template.read"
	ActionSharedTemplateAdd    Action = "shared_template.add"
	ActionSharedTemplateChange Action = "shared_template.change"

	ActionProjectList Action = "project.list"
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
	// ActionCodeIntelligence reads files, and asks the project's language server about them.
	ActionCodeIntelligence Action = "code.intelligence"

	// ActionCheckRead reads the checks of a project and their results, ActionCheckRun plays them.
	ActionCheckRead Action = "check.read"
	ActionCheckRun  Action = "check.run"

	// ActionRemoteRead reads how a project and its branch on another host stand; ActionRemoteWrite
	// connects and disconnects them; ActionRemoteMerge exchanges versions and settles conflicts.
	ActionRemoteRead  Action = "remote.read"
	ActionRemoteWrite Action = "remote.write"
	ActionRemoteMerge Action = "remote.merge"

	// ActionCommentRead reads the comments on a project's pages. ActionCommentAdd adds one;
	// ActionCommentChange changes and deletes one's own, and resolves threads. Admins delete those of
	// others, too.
	ActionCommentRead   Action = "comment.read"
	ActionCommentAdd    Action = "comment.add"
	ActionCommentChange Action = "comment.change"

	// ActionBackendRead reads the data of a project's backend as its owner sees it.
	ActionBackendRead Action = "backend.read"
	// ActionBackendTest changes test data, ActionBackendLive live data.
	ActionBackendTest Action = "backend.test"
	ActionBackendLive Action = "backend.live"
	// ActionBackendLiveCopies reads copies of live data as a whole: snapshots and exports.
	ActionBackendLiveCopies Action = "backend.live_copies"

	ActionChat Action = "chat"
	// ActionApprove allows a call that the agent may not make without a person's yes.
	ActionApprove Action = "chat.approve"

	// ActionTask begins, lists and discards tasks on copies of a project, ActionTaskMerge merges them.
	ActionTask      Action = "task"
	ActionTaskMerge Action = "task.merge"

	// The actions of admins of the installation. None of them reads a project.
	ActionInstanceSettings Action = "instance.settings"
	ActionInstancePeople   Action = "instance.people"
	ActionInstanceInvite   Action = "instance.invite"
	ActionInstanceAudit    Action = "instance.audit"
	// ActionInstanceHealth reads what works; ActionInstanceBackups lists and makes backups.
	ActionInstanceHealth  Action = "instance.health"
	ActionInstanceBackups Action = "instance.backups"
	// ActionInstanceWorkspaces reads how much workspaces use, and ActionInstanceQuotas gives them
	// quotas and credit; ActionInstanceSites takes sites down.
	ActionInstanceWorkspaces Action = "instance.workspaces"
	ActionInstanceQuotas     Action = "instance.quotas"
	ActionInstanceSites      Action = "instance.sites"
	ActionInstanceSignIns    Action = "instance.sign_ins"
	// ActionInstanceProviders reads and changes the platform's AI providers.
	ActionInstanceProviders Action = "instance.ai_providers"
)

// Rule says what an action requires.
type Rule struct {
	// Role is the least role in the workspace; RoleNone means any signed-in caller.
	Role Role
	// Public opens the action to every signed-in caller if the project is public; such
	// callers see the public items of a list.
	Public bool
	// Hidden hides even the existence of the action's object from readers who are not
	// members: chats, deployments, the preview's console.
	Hidden bool
	// OwnProject refuses the action for working copies, which are published, moved and deleted
	// only with their project.
	OwnProject bool
	// Instance is the role in the installation that the action needs, whatever the caller's
	// roles in workspaces. Such an action has no Role.
	Instance InstanceRole
	// Scope is the scope that an API token needs; ScopeNone refuses every token.
	Scope Scope
	// AnyScope admits every API token, whatever its scopes. Such an action has no Scope.
	AnyScope bool
	// Effect is the strongest of what the action does.
	Effect Effect
}

// Effect says what an action does to what people have. Programs that act for people are told,
// so that they can ask first.
type Effect string

// The effects of actions.
const (
	// EffectRead changes nothing that people keep.
	EffectRead Effect = "read"
	// EffectAdd adds something, and leaves what was there.
	EffectAdd Effect = "add"
	// EffectReplace changes, replaces or removes what was there.
	EffectReplace Effect = "replace"
)

// rules is the one table of authorisation.
var rules = map[Action]Rule{
	ActionAccount: {Scope: ScopeNone, Effect: EffectReplace},
	// The tools that a call names have rules of their own.
	ActionTools: {AnyScope: true, Effect: EffectReplace},

	ActionWorkspaceList:   {Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionWorkspaceCreate: {Scope: ScopeWorkspacesWrite, Effect: EffectAdd},
	ActionWorkspaceRead:   {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionWorkspaceUpdate: {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionWorkspaceDelete: {Role: RoleOwner, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionProviderRead:    {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionProviderWrite:   {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionUsageRead:       {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},

	ActionMemberRead:        {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionMemberWrite:       {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionMemberRemove:      {Role: RoleMember, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionInvite:            {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionInviteAccept:      {Scope: ScopeWorkspacesWrite, Effect: EffectAdd},
	ActionWorkspaceTransfer: {Role: RoleOwner, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionFolderRead:        {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionFolderWrite:       {Role: RoleMember, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionModeRead:          {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionModeWrite:         {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionCommandRead:       {Role: RoleMember, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionCommandWrite:      {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionAuditRead:         {Role: RoleAdmin, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionWebhookRead:       {Role: RoleAdmin, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionWebhookWrite:      {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},
	ActionConnectorRead:     {Role: RoleAdmin, Scope: ScopeWorkspacesRead, Effect: EffectRead},
	ActionConnectorWrite:    {Role: RoleAdmin, Scope: ScopeWorkspacesWrite, Effect: EffectReplace},

	ActionSharedTemplateRead:   {Role: RoleMember, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionSharedTemplateAdd:    {Role: RoleMember, Scope: ScopeProjectsWrite, Effect: EffectAdd},
	ActionSharedTemplateChange: {Role: RoleMember, Scope: ScopeProjectsWrite, Effect: EffectReplace},

	ActionTemplateList:     {Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionProjectList:      {Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionProjectListOf:    {Role: RoleMember, Public: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionProjectCreate:    {Role: RoleMember, Scope: ScopeProjectsWrite, Effect: EffectAdd},
	ActionProjectRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionProjectUpdate:    {Role: RoleMember, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionProjectDelete:    {Role: RoleMember, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionProjectPurge:     {Role: RoleOwner, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionProjectTransfer:  {Role: RoleOwner, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionProjectDuplicate: {Role: RoleMember, Public: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectAdd},
	ActionVersionRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionVersionWrite:     {Role: RoleMember, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionPreviewRead:      {Role: RoleMember, Public: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionPreviewWatch:     {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionPublish:          {Role: RoleMember, OwnProject: true, Scope: ScopePublish, Effect: EffectReplace},
	ActionPublishRead:      {Role: RoleMember, Hidden: true, Scope: ScopePublish, Effect: EffectRead},
	ActionEnvironment:      {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionSiteEnter:        {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionDomainRead:       {Role: RoleMember, Hidden: true, Scope: ScopePublish, Effect: EffectRead},
	ActionDomainWrite:      {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopePublish, Effect: EffectReplace},

	ActionFileRead:  {Role: RoleMember, Public: true, Scope: ScopeFilesRead, Effect: EffectRead},
	ActionFileWrite: {Role: RoleMember, Scope: ScopeFilesWrite, Effect: EffectReplace},
	ActionTypeCheck: {Role: RoleMember, Scope: ScopeFilesRead, Effect: EffectRead},

	ActionCodeIntelligence: {Role: RoleMember, Public: true, Scope: ScopeFilesRead, Effect: EffectRead},

	ActionCheckRead: {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionCheckRun:  {Role: RoleMember, Hidden: true, Scope: ScopeProjectsWrite, Effect: EffectAdd},

	ActionRemoteRead:  {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionRemoteWrite: {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionRemoteMerge: {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeFilesWrite, Effect: EffectReplace},

	ActionCommentRead:   {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionCommentAdd:    {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectAdd},
	ActionCommentChange: {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},

	ActionBackendRead:       {Role: RoleMember, Hidden: true, Scope: ScopeProjectsRead, Effect: EffectRead},
	ActionBackendTest:       {Role: RoleMember, Hidden: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionBackendLive:       {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},
	ActionBackendLiveCopies: {Role: RoleAdmin, Hidden: true, OwnProject: true, Scope: ScopeProjectsRead, Effect: EffectRead},

	ActionChat:    {Role: RoleMember, Hidden: true, Scope: ScopeChat, Effect: EffectReplace},
	ActionApprove: {Role: RoleMember, Hidden: true, Scope: ScopeNone, Effect: EffectReplace},

	ActionTask:      {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeChat, Effect: EffectReplace},
	ActionTaskMerge: {Role: RoleMember, Hidden: true, OwnProject: true, Scope: ScopeProjectsWrite, Effect: EffectReplace},

	ActionInstanceSettings: {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstancePeople:   {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstanceInvite:   {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstanceAudit:    {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectRead},
	ActionInstanceHealth:   {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectRead},
	ActionInstanceBackups:  {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},

	ActionInstanceWorkspaces: {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectRead},
	ActionInstanceQuotas:     {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstanceSites:      {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstanceSignIns:    {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
	ActionInstanceProviders:  {Instance: InstanceAdmin, Scope: ScopeNone, Effect: EffectReplace},
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

// Authorize decides whether actor, who has a standing in the workspace, may do what rule
// guards. It returns nil, CodeMFASetupRequired, CodeInsufficientScope, CodeForbidden, or, for a
// caller who may not know that the workspace exists, CodeNotFound.
func (rule Rule) Authorize(actor Actor, standing Standing) error {
	if rule.Instance != InstanceNone {
		return Errorf(CodeForbidden, "only admins of this installation may do this")
	}
	if rule.Role != RoleNone && standing.Role == RoleNone {
		return NotFound("workspace")
	}
	if err := standing.CheckFactor(actor); err != nil {
		return err
	}
	if err := rule.CheckScope(actor); err != nil {
		return err
	}
	if !standing.Role.AtLeast(rule.Role) {
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
	case rule.AnyScope, actor.Permits(rule.Scope):
		return nil
	case rule.Scope == ScopeNone:
		return Errorf(CodeInsufficientScope, "this requires a signed-in user: API tokens are not accepted")
	}
	return Errorf(CodeInsufficientScope, "this API token lacks the scope %q", rule.Scope)
}

// ProjectAccess is the part of a project that access depends on, together with the
// caller's standing.
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
func (rule Rule) AuthorizeProject(actor Actor, standing Standing, project ProjectAccess) error {
	if !seesAsMember(actor, standing.Role, project) {
		if !rule.Public || project.Visibility != VisibilityPublic || project.Deleted {
			return rule.hide(project)
		}
		rule.Role = RoleNone
	}
	if err := rule.Authorize(actor, standing); err != nil || !rule.OwnProject || !project.Copy {
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
