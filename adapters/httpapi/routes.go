package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// Routes is the one table of the API. It is as long as the contract, so it is
// the one function here that no limit of length applies to.
//
// rest.Open makes routes that need no session; those of rest.Call name the action that the caller must
// be allowed, as core.RuleOf knows it.
func Routes(d Deps) []rest.Route {
	if d.OnlySockets {
		return socketRoutes(d)
	}
	session := guard.NewCookies(d.Settings.AppURL, d.Settings.AccessTTL, d.Settings.RefreshTTL)
	cursors := rest.Cursors{Sealer: d.Sealer}
	uploads := rest.NewUploads()
	visits := newVisits(session, d.Settings.AppURL, d.Log)
	clones := newGitPlaces()
	return append(socketRoutes(d), []rest.Route{
		rest.Open(http.MethodPost, "/auth/signup", signUp(d.Accounts, session)),
		rest.Open(http.MethodPost, "/auth/login", signIn(d.Accounts, session, d.Log)),
		rest.Open(http.MethodPost, "/auth/refresh", refresh(d.Accounts, session, d.Log)),
		rest.Open(http.MethodPost, "/auth/logout", signOut(d.Accounts, session, guard.OriginOf(d.Settings.AppURL))),
		rest.Call(http.MethodPost, "/auth/logout-all", core.ActionAccount, signOutEverywhere(d.Accounts, session)),
		rest.Call(http.MethodGet, "/auth/me", core.ActionAccount, me(d.Accounts, d.Features)),
		rest.Call(http.MethodPatch, "/auth/me", core.ActionAccount, updateMe(d.Accounts, d.Log)),
		rest.Call(http.MethodGet, "/auth/me/audit", core.ActionAccount, listOwnAudit(d.Audit, cursors)),
		rest.Open(http.MethodPost, "/auth/forgot-password", forgotPassword(d.Accounts)),
		rest.Open(http.MethodPost, "/auth/reset-password", resetPassword(d.Accounts)),
		rest.Open(http.MethodGet, "/auth/github", beginOAuth(d.Accounts, visits, core.IdentityGitHub)),
		rest.Open(http.MethodGet, "/auth/github/callback", finishOAuth(d.Accounts, visits, core.IdentityGitHub)),
		rest.Open(http.MethodGet, "/auth/google", beginOAuth(d.Accounts, visits, core.IdentityGoogle)),
		rest.Open(http.MethodGet, "/auth/google/callback", finishOAuth(d.Accounts, visits, core.IdentityGoogle)),
		rest.Call(http.MethodGet, "/auth/github/assistant", core.ActionAccount, beginSubscription(d.Subscriptions, visits)),
		rest.Call(http.MethodGet, "/auth/github/assistant/callback", core.ActionAccount, finishSubscription(d.Subscriptions, visits)),
		rest.Call(http.MethodGet, "/users/me/ai-providers", core.ActionAccount, listSubscriptions(d.Subscriptions)),
		rest.Call(http.MethodDelete, "/users/me/ai-providers/:pid", core.ActionAccount, deleteSubscription(d.Subscriptions)),
		rest.Call(http.MethodGet, "/users/me/invites", core.ActionAccount, listOwnInvites(d.Invites)),
		rest.Call(http.MethodPost, "/users/me/invites/:id/accept", core.ActionAccount, acceptOwnInvite(d.Invites)),
		rest.Call(http.MethodDelete, "/users/me/invites/:id", core.ActionAccount, declineOwnInvite(d.Invites)),
		rest.Call(http.MethodGet, "/auth/api-tokens", core.ActionAccount, listAPITokens(d.Accounts)),
		rest.Call(http.MethodPost, "/auth/api-tokens", core.ActionAccount, createAPIToken(d.Accounts)),
		rest.Call(http.MethodDelete, "/auth/api-tokens/:id", core.ActionAccount, deleteAPIToken(d.Accounts)),

		rest.Call(http.MethodGet, "/workspaces", core.ActionWorkspaceList, listWorkspaces(d.Workspaces)),
		rest.Call(http.MethodPost, "/workspaces", core.ActionWorkspaceCreate, createWorkspace(d.Workspaces)),
		rest.Call(http.MethodGet, "/workspaces/:wid", core.ActionWorkspaceRead, getWorkspace(d.Workspaces)),
		rest.Call(http.MethodPatch, "/workspaces/:wid", core.ActionWorkspaceUpdate, updateWorkspace(d.Workspaces)),
		rest.Call(http.MethodDelete, "/workspaces/:wid", core.ActionWorkspaceDelete, deleteWorkspace(d.Workspaces)),
		rest.Call(http.MethodPost, "/workspaces/:wid/transfer", core.ActionWorkspaceTransfer, transferWorkspace(d.Members)),
		rest.Call(http.MethodGet, "/workspaces/:wid/members", core.ActionMemberRead, listMembers(d.Members)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/members/:userId", core.ActionMemberWrite, updateMember(d.Members)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/members/:userId", core.ActionMemberRemove, removeMember(d.Members)),
		rest.Call(http.MethodGet, "/workspaces/:wid/invites", core.ActionInvite, listInvites(d.Invites)),
		rest.Call(http.MethodPost, "/workspaces/:wid/invites", core.ActionInvite, createInvite(d.Invites, d.Settings.AppURL)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/invites/:inviteId", core.ActionInvite, deleteInvite(d.Invites)),
		rest.Call(http.MethodPost, "/workspaces/:wid/invites/:inviteId/link", core.ActionInvite, linkInvite(d.Invites, d.Settings.AppURL)),
		rest.Open(http.MethodGet, "/invites/:token", showInvite(d.Invites)),
		rest.Call(http.MethodPost, "/invites/:token/accept", core.ActionInviteAccept, acceptInvite(d.Invites)),
		rest.Call(http.MethodGet, "/workspaces/:wid/folders", core.ActionFolderRead, listFolders(d.Folders)),
		rest.Call(http.MethodPost, "/workspaces/:wid/folders", core.ActionFolderWrite, createFolder(d.Folders)),
		rest.Call(http.MethodPatch, "/folders/:folderId", core.ActionFolderWrite, updateFolder(d.Folders)),
		rest.Call(http.MethodDelete, "/folders/:folderId", core.ActionFolderWrite, deleteFolder(d.Folders)),
		rest.Call(http.MethodGet, "/workspaces/:wid/modes", core.ActionModeRead, listModes(d.Modes)),
		rest.Call(http.MethodPost, "/workspaces/:wid/modes", core.ActionModeWrite, createMode(d.Modes)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/modes/:name", core.ActionModeWrite, updateMode(d.Modes)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/modes/:name", core.ActionModeWrite, deleteMode(d.Modes)),
		rest.Call(http.MethodGet, "/workspaces/:wid/ai-providers", core.ActionProviderRead, listProviders(d.Providers)),
		rest.Call(http.MethodPost, "/workspaces/:wid/ai-providers", core.ActionProviderWrite, createProvider(d.Providers)),
		rest.Call(http.MethodPatch, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, updateProvider(d.Providers)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, deleteProvider(d.Providers)),
		rest.Call(http.MethodPost, "/workspaces/:wid/ai-providers/:pid/test", core.ActionProviderWrite, testProvider(d.Providers)),
		rest.Call(http.MethodGet, "/workspaces/:wid/ai-providers/:pid/models", core.ActionProviderRead, listModels(d.Providers)),
		rest.Call(http.MethodGet, "/workspaces/:wid/audit", core.ActionAuditRead, listAudit(d.Audit, cursors)),
		rest.Call(http.MethodGet, "/workspaces/:wid/usage", core.ActionUsageRead, usage(d.Providers)),

		rest.Call(http.MethodPost, "/workspaces/:wid/projects", core.ActionProjectCreate, createProject(d.Projects)),
		rest.Call(http.MethodGet, "/workspaces/:wid/projects", core.ActionProjectListOf, listWorkspaceProjects(d.Projects, cursors)),
		rest.Call(http.MethodDelete, "/workspaces/:wid/trash", core.ActionProjectPurge, emptyTrash(d.Projects)),
		rest.Call(http.MethodGet, "/projects", core.ActionProjectList, listProjects(d.Projects, cursors)),
		rest.Call(http.MethodGet, "/projects/:projectId", core.ActionProjectRead, getProject(d.Projects)),
		rest.Call(http.MethodPatch, "/projects/:projectId", core.ActionProjectUpdate, updateProject(d.Projects)),
		rest.Call(http.MethodDelete, "/projects/:projectId", core.ActionProjectDelete, deleteProject(d.Projects)),
		rest.Call(http.MethodPost, "/projects/:projectId/restore", core.ActionProjectDelete, restoreProject(d.Projects)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions", core.ActionVersionRead, listVersions(d.Projects, d.Versions, cursors)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions", core.ActionVersionWrite, saveVersion(d.Versions)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions/:sha", core.ActionVersionRead, showVersion(d.Versions)),
		rest.Call(http.MethodGet, "/projects/:projectId/versions/:sha/files/*path", core.ActionVersionRead, readFileAt(d.Projects)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions/:sha/restore", core.ActionVersionWrite, restoreVersion(d.Versions)),
		rest.Call(http.MethodPost, "/projects/:projectId/versions/:sha/undo", core.ActionVersionWrite, undoVersion(d.Versions)),
		rest.Call(http.MethodPost, "/projects/:projectId/transfer", core.ActionProjectTransfer, transferProject(d.Projects)),
		rest.Call(http.MethodPost, "/projects/:projectId/duplicate", core.ActionProjectDuplicate, duplicateProject(d.Projects, newImports())),
		rest.Call(http.MethodGet, "/projects/:projectId/export", core.ActionProjectRead, exportProject(d.Projects)),
		rest.Call(http.MethodGet, "/projects/:projectId/thumbnail", core.ActionProjectRead, getThumbnail(d.Thumbnails)),
		rest.Call(http.MethodGet, "/projects/:projectId/card", core.ActionProjectRead, getCard(d.Thumbnails)),
		rest.Call(http.MethodPost, "/projects/:projectId/thumbnail", core.ActionProjectUpdate, renewThumbnail(d.Thumbnails)),
		rest.Call(http.MethodPost, "/workspaces/:wid/projects/import", core.ActionProjectCreate, importProject(d.Projects, newImports())),
		rest.Call(http.MethodGet, "/templates", core.ActionTemplateList, listTemplates(d.Projects)),

		rest.Call(http.MethodGet, "/projects/:projectId/env", core.ActionEnvironment, listVariables(d.Environment)),
		rest.Call(http.MethodGet, "/projects/:projectId/env/:key", core.ActionEnvironment, getVariable(d.Environment)),
		rest.Call(http.MethodPut, "/projects/:projectId/env/:key", core.ActionEnvironment, putVariable(d.Environment)),
		rest.Call(http.MethodDelete, "/projects/:projectId/env/:key", core.ActionEnvironment, deleteVariable(d.Environment)),

		rest.Call(http.MethodGet, "/projects/:projectId/files", core.ActionFileRead, listFiles(d.Files)),
		rest.Call(http.MethodGet, "/projects/:projectId/files/search", core.ActionFileRead, searchFiles(d.Files)),
		rest.Call(http.MethodPost, "/projects/:projectId/files/bulk", core.ActionFileWrite, bulkFiles(d.Files, uploads)),
		rest.Call(http.MethodGet, "/projects/:projectId/files/*path", core.ActionFileRead, readFile(d.Files)),
		rest.Call(http.MethodPut, "/projects/:projectId/files/*path", core.ActionFileWrite, writeFile(d.Files, uploads)),
		rest.Call(http.MethodDelete, "/projects/:projectId/files/*path", core.ActionFileWrite, deleteFile(d.Files)),
		rest.Call(http.MethodPost, "/projects/:projectId/typecheck", core.ActionTypeCheck, checkTypes(d.Types)),
		rest.Call(http.MethodPost, "/direct-save/:projectId", core.ActionFileWrite, directSave(d.DirectSave)),

		rest.Call(http.MethodGet, "/git/:projectId/info/refs", core.ActionVersionRead, advertiseGit(d.GitRemote)),
		rest.Call(http.MethodPost, "/git/:projectId/git-upload-pack", core.ActionVersionRead, uploadGit(d.GitRemote, clones)),
		rest.Call(http.MethodPost, "/git/:projectId/git-receive-pack", core.ActionFileWrite, receiveGit(d.GitRemote, clones)),

		rest.Call(http.MethodGet, "/projects/:projectId/chats", core.ActionChat, listChats(d.Chats)),
		rest.Call(http.MethodPost, "/projects/:projectId/chats", core.ActionChat, createChat(d.Chats)),
		rest.Call(http.MethodPatch, "/projects/:projectId/chats/:chatId", core.ActionChat, updateChat(d.Chats)),
		rest.Call(http.MethodDelete, "/projects/:projectId/chats/:chatId", core.ActionChat, deleteChat(d.Chats)),
		rest.Call(http.MethodPost, "/chat/:projectId/messages", core.ActionChat, bounded(d.Streams, sendMessage(d.Chats, uploads, ""))),
		rest.Call(http.MethodGet, "/chat/:projectId/messages", core.ActionChat, history(d.Chats)),
		rest.Call(http.MethodGet, "/chat/:projectId/stream", core.ActionChat, bounded(d.Streams, followChat(d.Chats))),
		rest.Call(http.MethodPost, "/chat/:projectId/stop", core.ActionChat, stopRun(d.Chats)),
		rest.Call(http.MethodPost, "/plan/:projectId", core.ActionChat, bounded(d.Streams, sendMessage(d.Chats, uploads, core.ModePlan))),
		rest.Call(http.MethodGet, "/plan/:projectId", core.ActionChat, getPlan(d.Chats)),
		rest.Call(http.MethodPost, "/plan/:projectId/run", core.ActionChat, bounded(d.Streams, runPlan(d.Chats))),

		rest.Call(http.MethodPost, "/projects/:projectId/preview", core.ActionPreviewRead, showPreview(d.Previews)),
		rest.Call(http.MethodGet, "/projects/:projectId/preview", core.ActionPreviewRead, showPreview(d.Previews)),
		rest.Call(http.MethodDelete, "/projects/:projectId/preview", core.ActionProjectUpdate, stopPreview(d.Previews)),
		rest.Call(http.MethodGet, "/projects/:projectId/preview/events", core.ActionPreviewWatch, bounded(d.Streams, watchPreview(d.Previews))),

		rest.Call(http.MethodPost, "/projects/:projectId/publish", core.ActionPublish, publishProject(d.Sites)),
		rest.Call(http.MethodDelete, "/projects/:projectId/publish", core.ActionPublish, unpublishProject(d.Sites)),
		rest.Call(http.MethodGet, "/projects/:projectId/deployments", core.ActionPublishRead, listDeployments(d.Sites)),
		rest.Call(http.MethodPost, "/projects/:projectId/deployments/:deploymentId/rollback", core.ActionPublish, rollBack(d.Sites)),

		rest.Call(http.MethodGet, "/domains/project/:projectId", core.ActionDomainRead, listDomains(d.Domains)),
		rest.Call(http.MethodPost, "/domains/project/:projectId", core.ActionDomainWrite, addDomain(d.Domains)),
		rest.Call(http.MethodPost, "/domains/:domainId/verify", core.ActionDomainWrite, verifyDomain(d.Domains)),
		rest.Call(http.MethodPost, "/domains/:domainId/primary", core.ActionDomainWrite, makeDomainPrimary(d.Domains)),
		rest.Call(http.MethodDelete, "/domains/:domainId", core.ActionDomainWrite, deleteDomain(d.Domains)),
	}...)
}

// socketRoutes are those of WebSockets, which may have a process of their own.
func socketRoutes(d Deps) []rest.Route {
	return []rest.Route{
		rest.Call(http.MethodGet, "/ws/project/:projectId", core.ActionFileRead, openSocket(d.Sockets)),
	}
}

// operations are the routes for those who run the service (contract, section 8).
func operations(d Deps, m *observe.Metrics) []rest.Route {
	described := manual.New(openapiYAML, d.Settings.Version, rest.BaseOf(d.Settings.AppURL))
	return []rest.Route{
		rest.Open(http.MethodGet, "/healthz", observe.Alive()),
		rest.Open(http.MethodGet, "/readyz", observe.Ready(d.Checks, d.Log)),
		rest.Open(http.MethodGet, "/metrics", observe.Scrape(m, d.Settings.MetricsToken)),
		rest.Open(http.MethodGet, "/openapi.json", manual.Serve(described.Document)),
		rest.Open(http.MethodGet, "/docs", manual.Serve(described.Page)),
	}
}
