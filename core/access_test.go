package core_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// roles are all roles, the least first.
var roles = [...]core.Role{core.RoleNone, core.RoleMember, core.RoleAdmin, core.RoleOwner}

// projectActions has, for each action on a project, the least role, the code for a
// stranger on a public project, and the scope of a token.
func projectActions() map[core.Action]struct {
	least    core.Role
	stranger core.Code
	scope    core.Scope
} {
	type row = struct {
		least    core.Role
		stranger core.Code
		scope    core.Scope
	}
	return map[core.Action]row{
		core.ActionProjectRead:      {core.RoleMember, "", core.ScopeProjectsRead},
		core.ActionTask:             {core.RoleMember, core.CodeNotFound, core.ScopeChat},
		core.ActionTaskMerge:        {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionVersionRead:      {core.RoleMember, "", core.ScopeProjectsRead},
		core.ActionPreviewRead:      {core.RoleMember, "", core.ScopeProjectsRead},
		core.ActionFileRead:         {core.RoleMember, "", core.ScopeFilesRead},
		core.ActionCodeIntelligence: {core.RoleMember, "", core.ScopeFilesRead},
		core.ActionFileWrite:        {core.RoleMember, core.CodeForbidden, core.ScopeFilesWrite},
		core.ActionRemoteRead:       {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionRemoteWrite:      {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionRemoteMerge:      {core.RoleMember, core.CodeNotFound, core.ScopeFilesWrite},
		core.ActionCommentRead:      {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionCommentAdd:       {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionCommentChange:    {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionCheckRead:        {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionCheckRun:         {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionTypeCheck:        {core.RoleMember, core.CodeForbidden, core.ScopeFilesRead},
		core.ActionProjectUpdate:    {core.RoleMember, core.CodeForbidden, core.ScopeProjectsWrite},
		core.ActionProjectDelete:    {core.RoleMember, core.CodeForbidden, core.ScopeProjectsWrite},
		core.ActionProjectPurge:     {core.RoleOwner, core.CodeForbidden, core.ScopeProjectsWrite},
		core.ActionProjectTransfer:  {core.RoleOwner, core.CodeForbidden, core.ScopeProjectsWrite},
		// The workspace of the copy requires ActionProjectCreate as well.
		core.ActionProjectDuplicate:  {core.RoleMember, "", core.ScopeProjectsWrite},
		core.ActionVersionWrite:      {core.RoleMember, core.CodeForbidden, core.ScopeProjectsWrite},
		core.ActionPublish:           {core.RoleMember, core.CodeForbidden, core.ScopePublish},
		core.ActionPublishRead:       {core.RoleMember, core.CodeNotFound, core.ScopePublish},
		core.ActionSiteEnter:         {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionDomainRead:        {core.RoleMember, core.CodeNotFound, core.ScopePublish},
		core.ActionDomainWrite:       {core.RoleAdmin, core.CodeNotFound, core.ScopePublish},
		core.ActionEnvironment:       {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionPreviewWatch:      {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionChat:              {core.RoleMember, core.CodeNotFound, core.ScopeChat},
		core.ActionApprove:           {core.RoleMember, core.CodeNotFound, core.ScopeNone},
		core.ActionBackendRead:       {core.RoleMember, core.CodeNotFound, core.ScopeProjectsRead},
		core.ActionBackendTest:       {core.RoleMember, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionBackendLive:       {core.RoleAdmin, core.CodeNotFound, core.ScopeProjectsWrite},
		core.ActionBackendLiveCopies: {core.RoleAdmin, core.CodeNotFound, core.ScopeProjectsRead},
	}
}

// otherActions has the same for actions on a workspace or on nothing.
func otherActions() map[core.Action]struct {
	least core.Role
	scope core.Scope
} {
	type row = struct {
		least core.Role
		scope core.Scope
	}
	return map[core.Action]row{
		core.ActionAccount:         {core.RoleNone, core.ScopeNone},
		core.ActionWorkspaceList:   {core.RoleNone, core.ScopeWorkspacesRead},
		core.ActionWorkspaceCreate: {core.RoleNone, core.ScopeWorkspacesWrite},
		core.ActionWorkspaceRead:   {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionWorkspaceUpdate: {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionWorkspaceDelete: {core.RoleOwner, core.ScopeWorkspacesWrite},
		core.ActionProviderRead:    {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionProviderWrite:   {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionUsageRead:       {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionMemberRead:      {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionMemberWrite:     {core.RoleAdmin, core.ScopeWorkspacesWrite},
		// A member may always leave.
		core.ActionMemberRemove:         {core.RoleMember, core.ScopeWorkspacesWrite},
		core.ActionInvite:               {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionInviteAccept:         {core.RoleNone, core.ScopeWorkspacesWrite},
		core.ActionWorkspaceTransfer:    {core.RoleOwner, core.ScopeWorkspacesWrite},
		core.ActionFolderRead:           {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionFolderWrite:          {core.RoleMember, core.ScopeWorkspacesWrite},
		core.ActionModeRead:             {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionModeWrite:            {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionCommandRead:          {core.RoleMember, core.ScopeWorkspacesRead},
		core.ActionCommandWrite:         {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionAuditRead:            {core.RoleAdmin, core.ScopeWorkspacesRead},
		core.ActionWebhookRead:          {core.RoleAdmin, core.ScopeWorkspacesRead},
		core.ActionWebhookWrite:         {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionConnectorRead:        {core.RoleAdmin, core.ScopeWorkspacesRead},
		core.ActionConnectorWrite:       {core.RoleAdmin, core.ScopeWorkspacesWrite},
		core.ActionSharedTemplateRead:   {core.RoleMember, core.ScopeProjectsRead},
		core.ActionSharedTemplateAdd:    {core.RoleMember, core.ScopeProjectsWrite},
		core.ActionSharedTemplateChange: {core.RoleMember, core.ScopeProjectsWrite},
		core.ActionTemplateList:         {core.RoleNone, core.ScopeProjectsRead},
		core.ActionProjectList:          {core.RoleNone, core.ScopeProjectsRead},
		core.ActionProjectListOf:        {core.RoleMember, core.ScopeProjectsRead},
		core.ActionProjectCreate:        {core.RoleMember, core.ScopeProjectsWrite},
	}
}

// instanceActions are the actions of admins of the installation.
func instanceActions() []core.Action {
	return []core.Action{
		core.ActionInstanceSettings, core.ActionInstancePeople, core.ActionInstanceInvite,
		core.ActionInstanceAudit, core.ActionInstanceSignIns, core.ActionInstanceHealth, core.ActionInstanceBackups,
		core.ActionInstanceWorkspaces, core.ActionInstanceQuotas, core.ActionInstanceSites, core.ActionInstanceProviders,
	}
}

// TestOnlyAdminsActOnTheInstallation plays every action of admins with every role in the
// installation, caller and role in a workspace.
func TestOnlyAdminsActOnTheInstallation(t *testing.T) {
	for _, action := range instanceActions() {
		for name, caller := range callers(core.ScopeNone) {
			for _, role := range []core.InstanceRole{core.InstanceNone, core.InstanceAdmin} {
				want := core.Code("")
				switch {
				case !caller.permitted:
					want = core.CodeInsufficientScope
				case role == core.InstanceNone:
					want = core.CodeForbidden
				}
				if got := core.CodeOf(core.RuleOf(action).AuthorizeInstance(caller.actor, role)); got != want {
					t.Errorf("%s by a %s with the role %q: got %q, want %q", action, name, role, got, want)
				}
			}
			for _, role := range roles {
				if core.RuleOf(action).Authorize(caller.actor, core.Standing{Role: role}) == nil {
					t.Errorf("%s by a %s who is a %q of a workspace: got nil, want a refusal", action, name, role)
				}
			}
		}
	}
	for action, rule := range core.Rules() {
		if ofInstance := slices.Contains(instanceActions(), action); ofInstance != (rule.Instance != core.InstanceNone) || ofInstance && (rule.Role != core.RoleNone || rule.Public) {
			t.Errorf("%s has the rule %+v, want a role in the installation or in a workspace", action, rule)
		}
	}
}

func TestWhoIsAnAdminOfTheInstallation(t *testing.T) {
	named := core.AdminEmails{"ada@example.com"}
	for name, c := range map[string]struct {
		user core.User
		want core.InstanceRole
	}{
		"nobody special":          {core.User{Email: "bob@example.com", EmailVerified: true}, core.InstanceNone},
		"made an admin":           {core.User{Email: "bob@example.com", Admin: true}, core.InstanceAdmin},
		"named and verified":      {core.User{Email: "ada@example.com", EmailVerified: true}, core.InstanceAdmin},
		"named, not verified":     {core.User{Email: "ada@example.com"}, core.InstanceNone},
		"made an admin, disabled": {core.User{Admin: true, DisabledAt: 1}, core.InstanceNone},
		"named, disabled":         {core.User{Email: "ada@example.com", EmailVerified: true, DisabledAt: 1}, core.InstanceNone},
	} {
		if got := c.user.InstanceRole(named); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestEveryActionHasARule(t *testing.T) {
	declared := constantsOf(t, "access.go", "Action")
	for _, action := range declared {
		if slices.Contains(instanceActions(), core.Action(action)) || core.Action(action) == core.ActionTools {
			continue
		}
		_, ofProject := projectActions()[core.Action(action)]
		_, other := otherActions()[core.Action(action)]
		if _, known := core.Rules()[core.Action(action)]; !known || ofProject == other {
			t.Errorf("%s: got a rule %v, tested with projects %v, without %v; want a rule and one test", action, known, ofProject, other)
		}
	}
	if got := len(core.Rules()); got != len(declared) {
		t.Errorf("got %d rules, want one for each of %d actions", got, len(declared))
	}
}

// callers are a session and tokens with and without a scope, by what the scope
// decides.
func callers(need core.Scope) map[string]struct {
	actor     core.Actor
	permitted bool
} {
	type row = struct {
		actor     core.Actor
		permitted bool
	}
	others := allScopesWithout(need)
	return map[string]row{
		"session":                  {core.Actor{UserID: "u"}, true},
		"token with the scope":     {core.Actor{UserID: "u", Token: true, Scopes: []core.Scope{need}}, need != core.ScopeNone},
		"token with other scopes":  {core.Actor{UserID: "u", Token: true, Scopes: others}, false},
		"token without scopes":     {core.Actor{UserID: "u", Token: true}, false},
		"token with unknown scope": {core.Actor{UserID: "u", Token: true, Scopes: []core.Scope{"*", "admin"}}, false},
	}
}

// includes maps each scope that includes another to that one.
func includes() map[core.Scope]core.Scope {
	return map[core.Scope]core.Scope{
		core.ScopeProjectsWrite: core.ScopeProjectsRead, core.ScopeFilesWrite: core.ScopeFilesRead, core.ScopeWorkspacesWrite: core.ScopeWorkspacesRead,
	}
}

func allScopes() []core.Scope {
	return []core.Scope{
		core.ScopeProjectsRead, core.ScopeProjectsWrite, core.ScopeFilesRead, core.ScopeFilesWrite,
		core.ScopeChat, core.ScopePublish, core.ScopeWorkspacesRead, core.ScopeWorkspacesWrite,
	}
}

func allScopesWithout(need core.Scope) []core.Scope {
	var others []core.Scope
	for _, scope := range allScopes() {
		if scope != need && includes()[scope] != need || need == core.ScopeNone {
			others = append(others, scope)
		}
	}
	return others
}

func TestScopesPermit(t *testing.T) {
	if declared := constantsOf(t, "actor.go", "Scope"); len(declared) != len(allScopes())+1 {
		t.Fatalf("got %d scopes declared, want those of this test and none", len(declared))
	}
	for _, have := range allScopes() {
		for _, need := range append(allScopes(), core.ScopeNone) {
			want := have == need || need != core.ScopeNone && includes()[have] == need
			if got := (core.Actor{Token: true, Scopes: []core.Scope{have}}).Permits(need); got != want {
				t.Errorf("a token with %q, need %q: got %v, want %v", have, need, got, want)
			}
			if !(core.Actor{Scopes: []core.Scope{have}}).Permits(need) {
				t.Errorf("a session, need %q: got false, want true", need)
			}
		}
	}
}

func TestAuthorize(t *testing.T) {
	for action, spec := range otherActions() {
		for _, role := range roles {
			for name, caller := range callers(spec.scope) {
				var want core.Code
				switch {
				case spec.least != core.RoleNone && role == core.RoleNone:
					want = core.CodeNotFound
				case !caller.permitted:
					want = core.CodeInsufficientScope
				case rank(role) < rank(spec.least):
					want = core.CodeForbidden
				}
				if got := core.CodeOf(core.RuleOf(action).Authorize(caller.actor, core.Standing{Role: role})); got != want {
					t.Errorf("%s as %q by a %s: got %q, want %q", action, role, name, got, want)
				}
			}
		}
	}
}

func rank(role core.Role) int {
	for i, r := range roles {
		if r == role {
			return i
		}
	}
	panic("unknown role " + role)
}

// projectStates has every visibility, created by the caller or not, deleted or not.
func projectStates() []core.Project {
	var states []core.Project
	gone := core.Time(1)
	for _, visibility := range []core.Visibility{core.VisibilityPrivate, core.VisibilityWorkspace, core.VisibilityPublic} {
		for _, creator := range []core.ID{"u", "other"} {
			for _, deleted := range []*core.Time{nil, &gone} {
				states = append(states, core.Project{Visibility: visibility, CreatedBy: creator, DeletedAt: deleted})
			}
		}
	}
	return states
}

func TestAuthorizeProject(t *testing.T) {
	for action, spec := range projectActions() {
		for _, project := range projectStates() {
			for _, role := range roles {
				for name, caller := range callers(spec.scope) {
					want := wantOnProject(project, role, spec.least, spec.stranger)
					if want != core.CodeNotFound && !caller.permitted && (want == "" || isInsider(project, role)) {
						want = core.CodeInsufficientScope
					}
					if got := core.CodeOf(core.RuleOf(action).AuthorizeProject(caller.actor, core.Standing{Role: role}, project.Access())); got != want {
						t.Errorf("%s as %q by a %s on %s: got %q, want %q", action, role, name, describe(project), got, want)
					}
				}
			}
		}
	}
}

func TestWorkingCopiesArePublishedMovedAndDeletedWithTheirProject(t *testing.T) {
	of := core.ID("project")
	made := core.Project{Visibility: core.VisibilityWorkspace, CopyOf: &of}.Access()
	owner := core.Actor{UserID: "u"}
	for action, want := range map[core.Action]core.Code{
		core.ActionProjectRead: "", core.ActionFileWrite: "", core.ActionChat: "", core.ActionPreviewRead: "", core.ActionBackendTest: "", core.ActionCheckRun: "", core.ActionVersionWrite: "",
		core.ActionPublish: core.CodeForbidden, core.ActionProjectDelete: core.CodeForbidden, core.ActionProjectPurge: core.CodeForbidden,
		core.ActionProjectTransfer: core.CodeForbidden, core.ActionProjectDuplicate: core.CodeForbidden,
		core.ActionEnvironment: core.CodeNotFound, core.ActionDomainWrite: core.CodeNotFound, core.ActionBackendLive: core.CodeNotFound,
		core.ActionBackendLiveCopies: core.CodeNotFound, core.ActionCommentRead: core.CodeNotFound, core.ActionCommentAdd: core.CodeNotFound, core.ActionCommentChange: core.CodeNotFound,
		core.ActionTask: core.CodeNotFound, core.ActionTaskMerge: core.CodeNotFound,
		core.ActionRemoteRead: core.CodeNotFound, core.ActionRemoteWrite: core.CodeNotFound, core.ActionRemoteMerge: core.CodeNotFound,
	} {
		if got := core.CodeOf(core.RuleOf(action).AuthorizeProject(owner, core.Standing{Role: core.RoleOwner}, made)); got != want {
			t.Errorf("%s: got %q, want %q", action, got, want)
		}
	}
}

// isInsider reports whether a role sees the project as a member does: nobody from
// outside the workspace, and for a private project only its creator and the admins.
func isInsider(project core.Project, role core.Role) bool {
	if project.Visibility == core.VisibilityPrivate {
		return role == core.RoleAdmin || role == core.RoleOwner || role == core.RoleMember && project.CreatedBy == "u"
	}
	return role != core.RoleNone
}

func wantOnProject(project core.Project, role, least core.Role, stranger core.Code) core.Code {
	switch {
	case isInsider(project, role) && rank(role) >= rank(least):
		return ""
	case isInsider(project, role):
		return core.CodeForbidden
	case project.Visibility == core.VisibilityPublic && project.DeletedAt == nil:
		return stranger
	}
	return core.CodeNotFound
}

func describe(project core.Project) string {
	return fmt.Sprintf("a %s project by %s, deleted %v", project.Visibility, project.CreatedBy, project.DeletedAt != nil)
}

func TestRulesReturnsACopy(t *testing.T) {
	core.Rules()[core.ActionChat] = core.Rule{}
	if core.RuleOf(core.ActionChat).Scope != core.ScopeChat {
		t.Error("a change of the copy changed the table")
	}
}

func TestRuleOfPanicsAtAnUnknownAction(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one")
		}
	}()
	core.RuleOf("no.such.action")
}
