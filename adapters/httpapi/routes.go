package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/account"
	"github.com/atelierhq/atelier/adapters/httpapi/backends"
	"github.com/atelierhq/atelier/adapters/httpapi/chats"
	"github.com/atelierhq/atelier/adapters/httpapi/checks"
	"github.com/atelierhq/atelier/adapters/httpapi/comments"
	"github.com/atelierhq/atelier/adapters/httpapi/files"
	"github.com/atelierhq/atelier/adapters/httpapi/git"
	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/instance"
	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/mcp"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/programs"
	"github.com/atelierhq/atelier/adapters/httpapi/projects"
	"github.com/atelierhq/atelier/adapters/httpapi/remotes"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/httpapi/sdk"
	"github.com/atelierhq/atelier/adapters/httpapi/tasks"
	"github.com/atelierhq/atelier/adapters/httpapi/workspaces"
	"github.com/atelierhq/atelier/core"
)

// Routes is the only table of routes. It is as long as the public interface, so the limit on the
// length of functions does not apply.
//
// rest.Open creates routes that need no session, and rest.Attempt those among them that take
// credentials; routes of rest.Call name the action that the caller must be allowed, as
// core.RuleOf knows it.
func Routes(d Deps) []rest.Route {
	if d.OnlySockets {
		return socketRoutes(d)
	}
	session := guard.NewCookies(d.Settings.AppURL, d.Settings.AccessTTL, d.Settings.RefreshTTL)
	cursors := rest.Cursors{Sealer: d.Sealer}
	uploads := rest.NewUploads()
	oauth := account.NewOAuthFlows(session, d.Settings.AppURL, d.Log)
	clones := git.NewSemaphore()
	table := append(socketRoutes(d), []rest.Route{
		rest.Attempt(http.MethodPost, "/auth/signup", account.SignUp(d.Accounts.SignIns, session)),
		rest.Attempt(http.MethodPost, "/auth/login", account.SignIn(d.Accounts.SignIns, session, d.Log)),
		rest.Attempt(http.MethodPost, "/auth/mfa", account.FinishSignIn(d.Accounts.SecondSteps, d.Passkeys, session, d.Log)),
		rest.Call(http.MethodGet, "/auth/mfa", core.ActionAccount, account.GetMFA(d.Accounts.Factors)),
		rest.Call(http.MethodPost, "/auth/mfa/totp", core.ActionAccount, account.BeginTOTP(d.Accounts.Factors, d.Log)),
		rest.Call(http.MethodPost, "/auth/mfa/totp/confirm", core.ActionAccount, account.ConfirmTOTP(d.Accounts.Factors, d.Log)),
		rest.Call(http.MethodDelete, "/auth/mfa/totp", core.ActionAccount, account.DeleteTOTP(d.Accounts.Factors, d.Log)),
		rest.Call(http.MethodPost, "/auth/mfa/recovery-codes", core.ActionAccount, account.RenewRecoveryCodes(d.Accounts.Factors, d.Log)),
		rest.Call(http.MethodGet, "/auth/passkeys", core.ActionAccount, account.ListPasskeys(d.Accounts.Factors)),
		rest.Call(http.MethodDelete, "/auth/passkeys/:id", core.ActionAccount, account.DeletePasskey(d.Accounts.Factors, d.Log)),
		rest.Call(http.MethodPost, "/auth/passkeys/register/begin", core.ActionAccount, account.BeginPasskey(d.Passkeys, d.Log)),
		rest.Call(http.MethodPost, "/auth/passkeys/register/finish", core.ActionAccount, account.FinishPasskey(d.Passkeys)),
		rest.Attempt(http.MethodPost, "/auth/passkeys/login/begin", account.BeginPasskeySignIn(d.Passkeys)),
		rest.Attempt(http.MethodPost, "/auth/passkeys/login/finish", account.FinishPasskeySignIn(d.Passkeys, session, d.Log)),
		rest.Open(http.MethodPost, "/auth/refresh", account.Refresh(d.Accounts.Sessions, session, d.Log)),
		rest.Open(http.MethodPost, "/auth/logout", account.SignOut(d.Accounts.Sessions, d.Companies, session, guard.OriginOf(d.Settings.AppURL))),
		rest.Call(http.MethodPost, "/auth/logout-all", core.ActionAccount, account.SignOutEverywhere(d.Accounts.Sessions, session)),
		rest.Call(http.MethodGet, "/auth/sessions", core.ActionAccount, account.ListSessions(d.Accounts.Sessions)),
		rest.Call(http.MethodDelete, "/auth/sessions/:id", core.ActionAccount, account.DeleteSession(d.Accounts.Sessions)),
		rest.Call(http.MethodGet, "/auth/identities", core.ActionAccount, account.ListIdentities(d.Accounts.OAuthSignIns)),
		rest.Call(http.MethodDelete, "/auth/identities/:provider", core.ActionAccount, account.DeleteIdentity(d.Accounts.OAuthSignIns)),
		rest.Call(http.MethodGet, "/auth/me", core.ActionAccount, account.Me(d.Accounts.Profiles, d.Instance, d.Providers, d.Features)),
		rest.Call(http.MethodPatch, "/auth/me", core.ActionAccount, account.UpdateMe(d.Accounts.Profiles, d.Log)),
		rest.Call(http.MethodDelete, "/auth/me", core.ActionAccount, account.DeleteMe(d.Accounts.Profiles, session, d.Log)),
		rest.Call(http.MethodGet, "/auth/me/export", core.ActionAccount, account.ExportMe(d.Accounts.Exports)),
		rest.Call(http.MethodGet, "/auth/me/audit", core.ActionAccount, workspaces.ListOwnAudit(d.Audit, cursors)),
		rest.Call(http.MethodPost, "/auth/verify-email", core.ActionAccount, account.VerifyEmail(d.Accounts.Proofs, session)),
		rest.Call(http.MethodPost, "/auth/verify-email/send", core.ActionAccount, account.SendVerification(d.Accounts.Proofs)),
		rest.Call(http.MethodPost, "/auth/change-email", core.ActionAccount, account.ChangeEmail(d.Accounts.Proofs, d.Log)),
		rest.Attempt(http.MethodPost, "/auth/forgot-password", account.ForgotPassword(d.Accounts.Resets)),
		rest.Attempt(http.MethodPost, "/auth/reset-password", account.ResetPassword(d.Accounts.Resets)),
		rest.Open(http.MethodGet, "/auth/github", account.BeginOAuth(d.Accounts.OAuthSignIns, oauth, core.IdentityGitHub)),
		rest.Attempt(http.MethodGet, "/auth/github/callback", account.FinishOAuth(d.Accounts.OAuthSignIns, oauth, core.IdentityGitHub)),
		rest.Open(http.MethodGet, "/auth/google", account.BeginOAuth(d.Accounts.OAuthSignIns, oauth, core.IdentityGoogle)),
		rest.Attempt(http.MethodGet, "/auth/google/callback", account.FinishOAuth(d.Accounts.OAuthSignIns, oauth, core.IdentityGoogle)),
		rest.Open(http.MethodGet, "/auth/oidc/:slug", account.BeginCompany(d.Companies, oauth)),
		rest.Attempt(http.MethodGet, "/auth/oidc/:slug/callback", account.FinishCompany(d.Companies, oauth)),
		rest.Call(http.MethodGet, "/auth/github/assistant", core.ActionAccount, account.BeginSubscription(d.Subscriptions, oauth)),
		rest.Call(http.MethodGet, "/auth/github/assistant/callback", core.ActionAccount, account.FinishSubscription(d.Subscriptions, oauth)),
		rest.Call(http.MethodGet, "/users/me/ai-providers", core.ActionAccount, account.ListSubscriptions(d.Subscriptions)),
		rest.Call(http.MethodDelete, "/users/me/ai-providers/:pid", core.ActionAccount, account.DeleteSubscription(d.Subscriptions)),
		rest.Call(http.MethodGet, "/users/me/invites", core.ActionAccount, workspaces.ListOwnInvites(d.Invites)),
		rest.Call(http.MethodPost, "/users/me/invites/:id/accept", core.ActionAccount, workspaces.AcceptOwnInvite(d.Invites)),
		rest.Call(http.MethodDelete, "/users/me/invites/:id", core.ActionAccount, workspaces.DeclineOwnInvite(d.Invites)),
		rest.Call(http.MethodGet, "/auth/api-tokens", core.ActionAccount, account.ListAPITokens(d.Accounts.APITokens)),
		rest.Call(http.MethodPost, "/auth/api-tokens", core.ActionAccount, account.CreateAPIToken(d.Accounts.APITokens)),
		rest.Call(http.MethodDelete, "/auth/api-tokens/:id", core.ActionAccount, account.DeleteAPIToken(d.Accounts.APITokens)),
		rest.Call(http.MethodGet, "/auth/programs", core.ActionAccount, programs.List(d.Programs)),
		rest.Call(http.MethodDelete, "/auth/programs/:id", core.ActionAccount, programs.Disconnect(d.Programs)),
		rest.Open(http.MethodGet, "/.well-known/oauth-protected-resource", programs.Resource(d.Programs)),
		rest.Open(http.MethodGet, "/.well-known/oauth-protected-resource/mcp", programs.Resource(d.Programs)),
		rest.Open(http.MethodGet, "/.well-known/oauth-authorization-server", programs.Issuer(d.Programs)),
		rest.Open(http.MethodGet, "/.well-known/openid-configuration", programs.Issuer(d.Programs)),
		rest.Attempt(http.MethodPost, "/oauth/register", programs.Register(d.Programs)),
		rest.Call(http.MethodGet, "/oauth/consent", core.ActionAccount, programs.Ask(d.Programs)),
		rest.Call(http.MethodPost, "/oauth/consent", core.ActionAccount, programs.Answer(d.Programs)),
		rest.Open(http.MethodPost, "/oauth/token", programs.Token(d.Programs)),
		rest.Open(http.MethodPost, "/oauth/revoke", programs.Revoke(d.Programs)),

		rest.Call(http.MethodGet, "/admin/settings", core.ActionInstanceSettings, instance.GetSettings(d.Instance)),
		rest.Call(http.MethodPatch, "/admin/settings", core.ActionInstanceSettings, instance.UpdateSettings(d.Instance)),
		rest.Call(http.MethodGet, "/admin/users", core.ActionInstancePeople, instance.ListPeople(d.People, cursors)),
		rest.Call(http.MethodPatch, "/admin/users/:uid", core.ActionInstancePeople, instance.UpdatePerson(d.People)),
		rest.Call(http.MethodDelete, "/admin/users/:uid", core.ActionInstancePeople, instance.DeletePerson(d.People)),
		rest.Call(http.MethodPost, "/admin/users/:uid/sign-out", core.ActionInstancePeople, instance.SignOutPerson(d.People)),
		rest.Call(http.MethodPost, "/admin/users/:uid/reset-mfa", core.ActionInstancePeople, instance.ResetMFA(d.People)),
		rest.Call(http.MethodGet, "/admin/workspaces", core.ActionInstanceWorkspaces, instance.ListWorkspaces(d.Spaces, cursors)),
		rest.Call(http.MethodPatch, "/admin/workspaces/:wid", core.ActionInstanceQuotas, instance.UpdateWorkspace(d.Spaces)),
		rest.Call(http.MethodGet, "/admin/invites", core.ActionInstanceInvite, instance.ListInvites(d.Invitations)),
		rest.Call(http.MethodPost, "/admin/invites", core.ActionInstanceInvite, instance.CreateInvite(d.Invitations, d.Settings.AppURL)),
		rest.Call(http.MethodDelete, "/admin/invites/:id", core.ActionInstanceInvite, instance.DeleteInvite(d.Invitations)),
		rest.Call(http.MethodGet, "/admin/identity-providers", core.ActionInstanceSignIns, instance.ListCompanies(d.Companies)),
		rest.Call(http.MethodPost, "/admin/identity-providers", core.ActionInstanceSignIns, instance.CreateCompany(d.Companies)),
		rest.Call(http.MethodPatch, "/admin/identity-providers/:id", core.ActionInstanceSignIns, instance.UpdateCompany(d.Companies)),
		rest.Call(http.MethodDelete, "/admin/identity-providers/:id", core.ActionInstanceSignIns, instance.DeleteCompany(d.Companies)),
		rest.Call(http.MethodPost, "/admin/identity-providers/:id/test", core.ActionInstanceSignIns, instance.TestCompany(d.Companies)),
		rest.Call(http.MethodGet, "/admin/ai-providers", core.ActionInstanceProviders, instance.ListAIProviders(d.Providers.Shared())),
		rest.Call(http.MethodPost, "/admin/ai-providers", core.ActionInstanceProviders, instance.CreateAIProvider(d.Providers.Shared())),
		rest.Call(http.MethodPatch, "/admin/ai-providers/:id", core.ActionInstanceProviders, instance.UpdateAIProvider(d.Providers.Shared())),
		rest.Call(http.MethodDelete, "/admin/ai-providers/:id", core.ActionInstanceProviders, instance.DeleteAIProvider(d.Providers.Shared())),
		rest.Call(http.MethodPost, "/admin/ai-providers/:id/test", core.ActionInstanceProviders, instance.TestAIProvider(d.Providers.Shared())),
		rest.Call(http.MethodGet, "/admin/ai-providers/:id/models", core.ActionInstanceProviders, instance.ListAIModels(d.Providers.Shared())),
		rest.Call(http.MethodGet, "/admin/audit", core.ActionInstanceAudit, workspaces.ListInstanceAudit(d.Audit, cursors)),
		rest.Call(http.MethodGet, "/admin/health", core.ActionInstanceHealth, instance.GetHealth(d.Health)),
		rest.Call(http.MethodGet, "/admin/backups", core.ActionInstanceBackups, instance.ListBackups(d.Backups)),
		rest.Call(http.MethodPost, "/admin/backups", core.ActionInstanceBackups, instance.BeginBackup(d.Backups)),
		rest.Call(http.MethodGet, "/admin/takedowns", core.ActionInstanceSites, instance.ListTakedowns(d.Takedowns)),
		rest.Call(http.MethodPost, "/admin/takedowns", core.ActionInstanceSites, instance.TakeDown(d.Takedowns)),
		rest.Call(http.MethodDelete, "/admin/takedowns/:id", core.ActionInstanceSites, instance.LiftTakedown(d.Takedowns)),

		rest.Call(http.MethodGet, "/workspaces", core.ActionWorkspaceList, workspaces.List(d.Workspaces)),
		rest.Call(http.MethodPost, "/workspaces", core.ActionWorkspaceCreate, workspaces.Create(d.Workspaces)),
		rest.Call(http.MethodGet, "/workspaces/:wid", core.ActionWorkspaceRead, workspaces.Get(d.Workspaces)),
		rest.Call(http.MethodPatch, "/workspaces/:wid", core.ActionWorkspaceUpdate, workspaces.Update(d.Workspaces)),
		rest.Call(http.MethodGet, "/workspaces/:wid/knowledge", core.ActionWorkspaceRead, workspaces.GetKnowledge(d.Workspaces)),
		rest.Call(http.MethodPut, "/workspaces/:wid/knowledge", core.ActionWorkspaceUpdate, workspaces.PutKnowledge(d.Workspaces)),
		rest.Call(http.MethodDelete, "/workspaces/:wid", core.ActionWorkspaceDelete, workspaces.Delete(d.Workspaces)),
		rest.Call(http.MethodPost, "/workspaces/:wid/transfer", core.ActionWorkspaceTransfer, workspaces.Transfer(d.Members)),
		rest.Call(http.MethodGet, "/workspaces/:wid/members", core.ActionMemberRead, workspaces.ListMembers(d.Members)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/members/:userId", core.ActionMemberWrite, workspaces.UpdateMember(d.Members)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/members/:userId", core.ActionMemberRemove, workspaces.RemoveMember(d.Members)),
		rest.Call(http.MethodGet, "/workspaces/:wid/invites", core.ActionInvite, workspaces.ListInvites(d.Invites)),
		rest.Call(http.MethodPost, "/workspaces/:wid/invites", core.ActionInvite, workspaces.CreateInvite(d.Invites, d.Settings.AppURL)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/invites/:inviteId", core.ActionInvite, workspaces.DeleteInvite(d.Invites)),
		rest.Call(http.MethodPost, "/workspaces/:wid/invites/:inviteId/link", core.ActionInvite, workspaces.LinkInvite(d.Invites, d.Settings.AppURL)),
		rest.Open(http.MethodGet, "/invites/:token", workspaces.ShowInvite(d.Invites)),
		rest.Call(http.MethodPost, "/invites/:token/accept", core.ActionInviteAccept, workspaces.AcceptInvite(d.Invites)),
		rest.Call(http.MethodGet, "/workspaces/:wid/folders", core.ActionFolderRead, workspaces.ListFolders(d.Folders)),
		rest.Call(http.MethodPost, "/workspaces/:wid/folders", core.ActionFolderWrite, workspaces.CreateFolder(d.Folders)),
		rest.Call(http.MethodPatch, "/folders/:folderId", core.ActionFolderWrite, workspaces.UpdateFolder(d.Folders)),
		rest.Call(http.MethodDelete, "/folders/:folderId", core.ActionFolderWrite, workspaces.DeleteFolder(d.Folders)),
		rest.Call(http.MethodGet, "/workspaces/:wid/modes", core.ActionModeRead, workspaces.ListModes(d.Modes)),
		rest.Call(http.MethodPost, "/workspaces/:wid/modes", core.ActionModeWrite, workspaces.CreateMode(d.Modes)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/modes/:name", core.ActionModeWrite, workspaces.UpdateMode(d.Modes)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/modes/:name", core.ActionModeWrite, workspaces.DeleteMode(d.Modes)),
		rest.Call(http.MethodGet, "/workspaces/:wid/commands", core.ActionCommandRead, workspaces.ListCommands(d.Commands)),
		rest.Call(http.MethodPost, "/workspaces/:wid/commands", core.ActionCommandWrite, workspaces.CreateCommand(d.Commands)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/commands/:name", core.ActionCommandWrite, workspaces.UpdateCommand(d.Commands)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/commands/:name", core.ActionCommandWrite, workspaces.DeleteCommand(d.Commands)),
		rest.Call(http.MethodGet, "/workspaces/:wid/ai-providers", core.ActionProviderRead, workspaces.ListProviders(d.Providers)),
		rest.Call(http.MethodPost, "/workspaces/:wid/ai-providers", core.ActionProviderWrite, workspaces.CreateProvider(d.Providers)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, workspaces.UpdateProvider(d.Providers)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, workspaces.DeleteProvider(d.Providers)),
		rest.Call(http.MethodPost, "/workspaces/:wid/ai-providers/:pid/test", core.ActionProviderWrite, workspaces.TestProvider(d.Providers)),
		rest.Call(http.MethodGet, "/workspaces/:wid/ai-providers/:pid/models", core.ActionProviderRead, workspaces.ListModels(d.Providers)),
		rest.Call(http.MethodGet, "/workspaces/:wid/webhooks", core.ActionWebhookRead, workspaces.ListWebhooks(d.Webhooks)),
		rest.Call(http.MethodPost, "/workspaces/:wid/webhooks", core.ActionWebhookWrite, workspaces.CreateWebhook(d.Webhooks)),
		rest.Call(http.MethodGet, "/workspaces/:wid/webhooks/:id", core.ActionWebhookRead, workspaces.GetWebhook(d.Webhooks)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/webhooks/:id", core.ActionWebhookWrite, workspaces.UpdateWebhook(d.Webhooks)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/webhooks/:id", core.ActionWebhookWrite, workspaces.DeleteWebhook(d.Webhooks)),
		rest.Call(http.MethodPost, "/workspaces/:wid/webhooks/:id/rotate-secret", core.ActionWebhookWrite, workspaces.RotateWebhook(d.Webhooks)),
		rest.Call(http.MethodPost, "/workspaces/:wid/webhooks/:id/test", core.ActionWebhookWrite, workspaces.TestWebhook(d.Webhooks)),
		rest.Call(http.MethodGet, "/workspaces/:wid/webhooks/:id/deliveries", core.ActionWebhookRead, workspaces.ListDeliveries(d.Webhooks, cursors)),
		rest.Call(http.MethodPost, "/workspaces/:wid/webhooks/:id/deliveries/:did/redeliver", core.ActionWebhookWrite, workspaces.Redeliver(d.Webhooks)),
		rest.Call(http.MethodGet, "/workspaces/:wid/connectors", core.ActionConnectorRead, workspaces.ListConnectors(d.Connectors)),
		rest.Call(http.MethodPost, "/workspaces/:wid/connectors", core.ActionConnectorWrite, workspaces.CreateConnector(d.Connectors)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/connectors/:id", core.ActionConnectorWrite, workspaces.UpdateConnector(d.Connectors)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/connectors/:id", core.ActionConnectorWrite, workspaces.DeleteConnector(d.Connectors)),
		rest.Call(http.MethodPost, "/workspaces/:wid/connectors/:id/refresh", core.ActionConnectorWrite, workspaces.RefreshConnector(d.Connectors)),
		rest.Call(http.MethodGet, "/workspaces/:wid/templates", core.ActionSharedTemplateRead, workspaces.ListTemplates(d.Projects.Gallery)),
		rest.Call(http.MethodPost, "/workspaces/:wid/templates", core.ActionSharedTemplateAdd, workspaces.ShareTemplate(d.Projects.Gallery)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/templates/:id", core.ActionSharedTemplateChange, workspaces.UpdateTemplate(d.Projects.Gallery)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/templates/:id", core.ActionSharedTemplateChange, workspaces.DeleteTemplate(d.Projects.Gallery)),
		rest.Call(http.MethodPost, "/workspaces/:wid/templates/:id/update", core.ActionSharedTemplateChange, workspaces.RetakeTemplate(d.Projects.Gallery)),
		rest.Call(http.MethodGet, "/workspaces/:wid/templates/:id/thumbnail", core.ActionSharedTemplateRead, workspaces.GetTemplatePicture(d.Projects.Gallery)),
		rest.Call(http.MethodGet, "/workspaces/:wid/audit", core.ActionAuditRead, workspaces.ListAudit(d.Audit, cursors)),
		rest.Call(http.MethodGet, "/workspaces/:wid/usage", core.ActionUsageRead, workspaces.Usage(d.Providers, d.Workspaces)),

		rest.Call(http.MethodPost, "/workspaces/:wid/projects", core.ActionProjectCreate, projects.Create(d.Projects.Creations, uploads)),
		rest.Call(http.MethodGet, "/workspaces/:wid/projects", core.ActionProjectListOf, projects.ListOfWorkspace(d.Projects.Catalogue, cursors)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/trash", core.ActionProjectPurge, projects.EmptyTrash(d.Projects.Trash)),
		rest.Call(http.MethodGet, "/projects", core.ActionProjectList, projects.List(d.Projects.Catalogue, cursors)),
		rest.Call(http.MethodGet, "/projects/:projectId", core.ActionProjectRead, projects.Get(d.Projects.Catalogue)),
		rest.Call(http.MethodPatch, "/projects/:projectId", core.ActionProjectUpdate, projects.Update(d.Projects.Catalogue)),
		rest.Call(http.MethodDelete, "/projects/:projectId", core.ActionProjectDelete, projects.Delete(d.Projects.Trash)),
		rest.Call(http.MethodPost, "/projects/:projectId/restore", core.ActionProjectDelete, projects.Restore(d.Projects.Trash)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions", core.ActionVersionRead, projects.ListVersions(d.Projects.History, d.Versions, cursors)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions", core.ActionVersionWrite, projects.SaveVersion(d.Versions)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions/:sha", core.ActionVersionRead, projects.ShowVersion(d.Versions)),
		rest.Call(http.MethodPatch, "/projects/:projectId/versions/:sha", core.ActionVersionWrite, projects.MarkVersion(d.Versions)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions/:sha/look", core.ActionVersionWrite, projects.LookAtVersion(d.Looks)),
		rest.Call(http.MethodPost, "/projects/:projectId/working-version", core.ActionVersionWrite, projects.FindWorkingVersion(d.Looks)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions/:sha/files/*path", core.ActionVersionRead, files.ReadAt(d.Projects.History)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions/:sha/restore", core.ActionVersionWrite, projects.RestoreVersion(d.Versions)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions/:sha/undo", core.ActionVersionWrite, projects.UndoVersion(d.Versions)),
		rest.Call(http.MethodPost, "/projects/:projectId/transfer", core.ActionProjectTransfer, projects.Transfer(d.Projects.Catalogue)),
		rest.Call(http.MethodPost, "/projects/:projectId/duplicate", core.ActionProjectDuplicate, projects.Duplicate(d.Projects.Creations, projects.NewImports())),
		rest.Call(http.MethodGet, "/projects/:projectId/export", core.ActionProjectRead, projects.Export(d.Projects.Exports)),
		rest.Call(http.MethodGet, "/projects/:projectId/thumbnail", core.ActionProjectRead, projects.GetThumbnail(d.Thumbnails)),
		rest.Call(http.MethodGet, "/projects/:projectId/card", core.ActionProjectRead, projects.GetCard(d.Thumbnails)),
		rest.Call(http.MethodPost, "/projects/:projectId/thumbnail", core.ActionProjectUpdate, projects.RenewThumbnail(d.Thumbnails)),
		rest.Call(http.MethodPost, "/workspaces/:wid/projects/import", core.ActionProjectCreate, projects.Import(d.Projects.Creations, projects.NewImports())),
		rest.Call(http.MethodGet, "/templates", core.ActionTemplateList, projects.ListTemplates(d.Projects.Catalogue)),

		rest.Call(http.MethodGet, "/projects/:projectId/env", core.ActionEnvironment, projects.ListVariables(d.Environment)),
		rest.Call(http.MethodGet, "/projects/:projectId/env/:key", core.ActionEnvironment, projects.GetVariable(d.Environment)),
		rest.Call(http.MethodPut, "/projects/:projectId/env/:key", core.ActionEnvironment, projects.PutVariable(d.Environment)),
		rest.Call(http.MethodDelete, "/projects/:projectId/env/:key", core.ActionEnvironment, projects.DeleteVariable(d.Environment)),

		rest.Call(http.MethodGet, "/projects/:projectId/files", core.ActionFileRead, files.List(d.Files)),
		rest.Call(http.MethodGet, "/projects/:projectId/files/search", core.ActionFileRead, files.Search(d.Files)),
		rest.Call(http.MethodPost, "/projects/:projectId/files/bulk", core.ActionFileWrite, files.Bulk(d.Files, uploads)),
		rest.Call(http.MethodGet, "/projects/:projectId/files/*path", core.ActionFileRead, files.Read(d.Files)),
		rest.Call(http.MethodPut, "/projects/:projectId/files/*path", core.ActionFileWrite, files.Write(d.Files, uploads)),
		rest.Call(http.MethodDelete, "/projects/:projectId/files/*path", core.ActionFileWrite, files.Delete(d.Files)),
		rest.Call(http.MethodPost, "/projects/:projectId/typecheck", core.ActionTypeCheck, files.CheckTypes(d.Types)),
		rest.Call(http.MethodGet, "/projects/:projectId/code", core.ActionCodeIntelligence, files.CodeStatus(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/completions", core.ActionCodeIntelligence, files.Complete(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/details", core.ActionCodeIntelligence, files.Describe(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/hover", core.ActionCodeIntelligence, files.Hover(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/definition", core.ActionCodeIntelligence, files.Define(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/diagnostics", core.ActionCodeIntelligence, files.Diagnose(d.CodeIntel)),
		rest.Call(http.MethodPost, "/projects/:projectId/code/format", core.ActionCodeIntelligence, files.Format(d.CodeIntel)),
		rest.Call(http.MethodPost, "/direct-save/:projectId", core.ActionFileWrite, files.DirectSave(d.DirectSave)),

		rest.Call(http.MethodGet, "/git/:projectId/info/refs", core.ActionVersionRead, git.Advertise(d.GitRemote)),
		rest.Call(http.MethodPost, "/git/:projectId/git-upload-pack", core.ActionVersionRead, git.Upload(d.GitRemote, clones)),
		rest.Call(http.MethodPost, "/git/:projectId/git-receive-pack", core.ActionFileWrite, git.Receive(d.GitRemote, clones)),

		rest.Call(http.MethodGet, "/projects/:projectId/chats", core.ActionChat, chats.List(d.Chats)),
		rest.Call(http.MethodPost, "/projects/:projectId/chats", core.ActionChat, chats.Create(d.Chats)),
		rest.Call(http.MethodPatch, "/projects/:projectId/chats/:chatId", core.ActionChat, chats.Update(d.Chats)),
		rest.Call(http.MethodDelete, "/projects/:projectId/chats/:chatId", core.ActionChat, chats.Delete(d.Chats)),
		rest.Call(http.MethodGet, "/projects/:projectId/chats/:chatId/attachments/:attachmentId", core.ActionChat, chats.Attachment(d.Chats)),
		rest.Call(http.MethodPost, "/chat/:projectId/messages", core.ActionChat, bounded(d.Streams, d.Accounts.Ended, chats.Send(d.Runs, uploads, ""))),
		rest.Call(http.MethodGet, "/chat/:projectId/messages", core.ActionChat, chats.History(d.Chats)),
		rest.Call(http.MethodGet, "/chat/:projectId/stream", core.ActionChat, bounded(d.Streams, d.Accounts.Ended, chats.Follow(d.Followers))),
		rest.Call(http.MethodPost, "/chat/:projectId/stop", core.ActionChat, chats.StopRun(d.Runs)),
		rest.Call(http.MethodPost, "/plan/:projectId", core.ActionChat, bounded(d.Streams, d.Accounts.Ended, chats.Send(d.Runs, uploads, core.ModePlan))),
		rest.Call(http.MethodPost, "/chat/:projectId/approve", core.ActionApprove, bounded(d.Streams, d.Accounts.Ended, chats.Approve(d.Runs))),
		rest.Call(http.MethodGet, "/plan/:projectId", core.ActionChat, chats.GetPlan(d.Chats)),
		rest.Call(http.MethodPost, "/plan/:projectId/run", core.ActionChat, bounded(d.Streams, d.Accounts.Ended, chats.RunPlan(d.Runs))),

		rest.Call(http.MethodPost, "/projects/:projectId/preview", core.ActionPreviewRead, projects.ShowPreview(d.Preview)),
		rest.Call(http.MethodGet, "/projects/:projectId/preview", core.ActionPreviewRead, projects.ShowPreview(d.Preview)),
		rest.Call(http.MethodDelete, "/projects/:projectId/preview", core.ActionProjectUpdate, projects.StopPreview(d.Preview)),
		rest.Call(http.MethodPost, "/projects/:projectId/preview/move", core.ActionPreviewRead, projects.MovePreview(d.Preview)),
		rest.Call(http.MethodGet, "/projects/:projectId/preview/events", core.ActionPreviewWatch, bounded(d.Streams, d.Accounts.Ended, projects.WatchPreview(d.Preview))),

		rest.Call(http.MethodPost, "/projects/:projectId/publish", core.ActionPublish, projects.Publish(d.Publish)),
		rest.Call(http.MethodDelete, "/projects/:projectId/publish", core.ActionPublish, projects.Unpublish(d.Publish)),
		rest.Call(http.MethodGet, "/projects/:projectId/deployments", core.ActionPublishRead, projects.ListDeployments(d.Publish)),
		rest.Call(http.MethodPost, "/projects/:projectId/deployments/:deploymentId/rollback", core.ActionPublish, projects.RollBack(d.Publish)),
		rest.Call(http.MethodPost, "/projects/:projectId/deployments/:deploymentId/look", core.ActionPublish, projects.LookAtDeployment(d.Looks)),
		rest.Call(http.MethodGet, "/projects/:projectId/links", core.ActionPreviewWatch, projects.ListLinks(d.Looks)),
		rest.Call(http.MethodPost, "/projects/:projectId/links", core.ActionProjectUpdate, projects.ShareLink(d.Looks)),
		rest.Call(http.MethodDelete, "/projects/:projectId/links/:linkId", core.ActionProjectUpdate, projects.RevokeLink(d.Looks)),
		rest.Call(http.MethodGet, "/projects/:projectId/site", core.ActionPublishRead, projects.GetSite(d.SiteSettings)),
		rest.Call(http.MethodPatch, "/projects/:projectId/site", core.ActionPublish, projects.ChangeSite(d.SiteSettings)),
		rest.Call(http.MethodPost, "/projects/:projectId/site/pass", core.ActionSiteEnter, projects.PassToSite(d.SiteAccess)),
		rest.Call(http.MethodGet, "/projects/:projectId/site/visits", core.ActionPublishRead, projects.ListVisits(d.Visits)),

		rest.Call(http.MethodGet, "/projects/:projectId/backend", core.ActionBackendRead, backends.Get(d.Backends)),
		rest.Call(http.MethodGet, "/projects/:projectId/checks", core.ActionCheckRead, checks.List(d.ProjectChecks)),
		rest.Call(http.MethodPost, "/projects/:projectId/checks/run", core.ActionCheckRun, checks.Run(d.ProjectChecks)),
		rest.Call(http.MethodGet, "/projects/:projectId/checks/:name/picture", core.ActionCheckRead, checks.Picture(d.ProjectChecks)),
		rest.Call(http.MethodGet, "/projects/:projectId/tasks", core.ActionTask, tasks.List(d.Tasks)),
		rest.Call(http.MethodPost, "/projects/:projectId/tasks", core.ActionTask, tasks.Create(d.Tasks, uploads)),
		rest.Call(http.MethodGet, "/projects/:projectId/tasks/:taskId", core.ActionTask, tasks.Get(d.Tasks)),
		rest.Call(http.MethodDelete, "/projects/:projectId/tasks/:taskId", core.ActionTask, tasks.Discard(d.Tasks)),
		rest.Call(http.MethodPost, "/projects/:projectId/tasks/:taskId/merge", core.ActionTaskMerge, tasks.Merge(d.Tasks)),
		rest.Call(http.MethodPost, "/projects/:projectId/tasks/:taskId/resolve", core.ActionTaskMerge, tasks.Resolve(d.Tasks)),
		rest.Call(http.MethodGet, "/projects/:projectId/remote", core.ActionRemoteRead, remotes.Show(d.Remotes)),
		rest.Call(http.MethodPut, "/projects/:projectId/remote", core.ActionRemoteWrite, remotes.Connect(d.Remotes, d.Settings.AppURL)),
		rest.Call(http.MethodDelete, "/projects/:projectId/remote", core.ActionRemoteWrite, remotes.Disconnect(d.Remotes)),
		rest.Call(http.MethodPost, "/projects/:projectId/remote/sync", core.ActionRemoteMerge, remotes.Sync(d.Remotes)),
		rest.Call(http.MethodGet, "/projects/:projectId/remote/conflicts", core.ActionRemoteRead, remotes.Conflicts(d.Remotes)),
		rest.Call(http.MethodPost, "/projects/:projectId/remote/resolve", core.ActionRemoteMerge, remotes.Settle(d.Remotes)),
		rest.Open(http.MethodPost, "/hooks/git/:token", remotes.Call(d.Remotes)),
		rest.Call(http.MethodGet, "/projects/:projectId/comments", core.ActionCommentRead, comments.List(d.Comments, cursors)),
		rest.Call(http.MethodPost, "/projects/:projectId/comments", core.ActionCommentAdd, comments.Create(d.Comments)),
		rest.Call(http.MethodPost, "/projects/:projectId/comments/:commentId/replies", core.ActionCommentAdd, comments.Reply(d.Comments)),
		rest.Call(http.MethodPatch, "/projects/:projectId/comments/:commentId", core.ActionCommentChange, comments.Update(d.Comments)),
		rest.Call(http.MethodDelete, "/projects/:projectId/comments/:commentId", core.ActionCommentChange, comments.Delete(d.Comments)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/check", core.ActionBackendTest, backends.Check(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/proposal", core.ActionBackendTest, backends.Propose(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/test/apply", core.ActionBackendTest, backends.ApplyPending(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/test/reset", core.ActionBackendTest, backends.Reset(d.Backends)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/test/mails", core.ActionBackendRead, backends.ListMails(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/test/functions/:name", core.ActionBackendTest, backends.TryFunction(d.Functions)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/functions", core.ActionBackendRead, backends.ListFunctions(d.Functions)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/logs", core.ActionBackendRead, backends.ListCalls(d.Calls, cursors)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/providers", core.ActionBackendRead, backends.ListSignIns(d.SignIns)),
		rest.Call(http.MethodPut, "/projects/:projectId/backend/:env/providers/:name", core.ActionBackendTest, backends.PutSignIn(d.SignIns)),
		rest.Call(http.MethodDelete, "/projects/:projectId/backend/:env/providers/:name", core.ActionBackendTest, backends.DeleteSignIn(d.SignIns)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/collections/:name/records", core.ActionBackendRead, backends.ListRecords(d.Backends, cursors)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/:env/collections/:name/records", core.ActionBackendTest, backends.CreateRecord(d.Backends, uploads)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/collections/:name/records/:recordId", core.ActionBackendRead, backends.GetRecord(d.Backends)),
		rest.Call(http.MethodPatch, "/projects/:projectId/backend/:env/collections/:name/records/:recordId", core.ActionBackendTest, backends.UpdateRecord(d.Backends, uploads)),
		rest.Call(http.MethodDelete, "/projects/:projectId/backend/:env/collections/:name/records/:recordId", core.ActionBackendTest, backends.DeleteRecord(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/:env/collections/:name/import", core.ActionBackendTest, backends.Import(d.Backends, uploads)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/collections/:name/export", core.ActionBackendRead, backends.Export(d.Backends)),
		rest.Call(http.MethodGet, "/projects/:projectId/backend/:env/snapshots", core.ActionBackendRead, backends.ListSnapshots(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/:env/snapshots", core.ActionBackendTest, backends.CreateSnapshot(d.Backends)),
		rest.Call(http.MethodPost, "/projects/:projectId/backend/:env/snapshots/:snapshotId/restore", core.ActionBackendTest, backends.RestoreSnapshot(d.Backends)),
		rest.Call(http.MethodDelete, "/projects/:projectId/backend/:env/snapshots/:snapshotId", core.ActionBackendTest, backends.DeleteSnapshot(d.Backends)),

		rest.Call(http.MethodGet, "/domains/project/:projectId", core.ActionDomainRead, projects.ListDomains(d.Domains)),
		rest.Call(http.MethodPost, "/domains/project/:projectId", core.ActionDomainWrite, projects.AddDomain(d.Domains)),
		rest.Call(http.MethodPost, "/domains/:domainId/verify", core.ActionDomainWrite, projects.VerifyDomain(d.Domains)),
		rest.Call(http.MethodPost, "/domains/:domainId/primary", core.ActionDomainWrite, projects.MakeDomainPrimary(d.Domains)),
		rest.Call(http.MethodDelete, "/domains/:domainId", core.ActionDomainWrite, projects.DeleteDomain(d.Domains)),
	}...)
	return append(table, rest.Call(http.MethodPost, rest.PatternMCP, core.ActionTools, mcp.Serve(mcp.Deps{
		Description: openapiYAML, Routes: table, API: d.own, Base: rest.BaseOf(d.Settings.AppURL), Version: d.Settings.Version, Log: d.Log,
	})))
}

// socketRoutes are the routes of WebSockets, which a separate process may serve.
func socketRoutes(d Deps) []rest.Route {
	return []rest.Route{
		rest.Call(http.MethodGet, "/ws/project/:projectId", core.ActionFileRead, openSocket(d.Sockets)),
	}
}

// operations are the routes for operators.
func operations(d Deps, m *observe.Metrics) []rest.Route {
	described := manual.New(openapiYAML, d.Settings.Version, rest.BaseOf(d.Settings.AppURL))
	return []rest.Route{
		rest.Open(http.MethodGet, "/healthz", observe.Alive()),
		rest.Open(http.MethodGet, "/readyz", observe.Ready(d.Checks, d.Log)),
		rest.Open(http.MethodGet, "/metrics", observe.Scrape(m, d.Settings.MetricsToken)),
		rest.Open(http.MethodGet, "/openapi.json", manual.Serve(described.Document)),
		rest.Open(http.MethodGet, "/docs", manual.Serve(described.Page)),
		rest.Open(http.MethodGet, "/sdk.ts", manual.Serve(sdk.New(openapiYAML, d.Settings.Version))),
	}
}
