package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// Routes is the one table of the API. It is as long as the contract, so it is
// the one function here that no limit of length applies to.
//
// open routes need no session; call routes name the action that the caller must
// be allowed, as core.RuleOf knows it.
func Routes(d Deps) []Route {
	if d.OnlySockets {
		return socketRoutes(d)
	}
	session := newSessions(d.Settings.AppURL, d.Settings.AccessTTL, d.Settings.RefreshTTL)
	cursors := cursors{d.Sealer}
	uploads := newUploads()
	visits := newVisits(session, d.Settings.AppURL, d.Log)
	gitPlaces := newGitPlaces()
	return append(socketRoutes(d), []Route{
		open(http.MethodPost, "/auth/signup", signUp(d.Accounts, session)),
		open(http.MethodPost, "/auth/login", signIn(d.Accounts, session, d.Log)),
		open(http.MethodPost, "/auth/refresh", refresh(d.Accounts, session, d.Log)),
		open(http.MethodPost, "/auth/logout", signOut(d.Accounts, session, originOf(d.Settings.AppURL))),
		call(http.MethodPost, "/auth/logout-all", core.ActionAccount, signOutEverywhere(d.Accounts, session)),
		call(http.MethodGet, "/auth/me", core.ActionAccount, me(d.Accounts, d.Features)),
		call(http.MethodPatch, "/auth/me", core.ActionAccount, updateMe(d.Accounts, d.Log)),
		call(http.MethodGet, "/auth/me/audit", core.ActionAccount, listOwnAudit(d.Audit, cursors)),
		open(http.MethodPost, "/auth/forgot-password", forgotPassword(d.Accounts)),
		open(http.MethodPost, "/auth/reset-password", resetPassword(d.Accounts)),
		open(http.MethodGet, "/auth/github", beginOAuth(d.Accounts, visits, core.IdentityGitHub)),
		open(http.MethodGet, "/auth/github/callback", finishOAuth(d.Accounts, visits, core.IdentityGitHub)),
		open(http.MethodGet, "/auth/google", beginOAuth(d.Accounts, visits, core.IdentityGoogle)),
		open(http.MethodGet, "/auth/google/callback", finishOAuth(d.Accounts, visits, core.IdentityGoogle)),
		call(http.MethodGet, "/auth/github/assistant", core.ActionAccount, beginSubscription(d.Subscriptions, visits)),
		call(http.MethodGet, "/auth/github/assistant/callback", core.ActionAccount, finishSubscription(d.Subscriptions, visits)),
		call(http.MethodGet, "/users/me/ai-providers", core.ActionAccount, listSubscriptions(d.Subscriptions)),
		call(http.MethodDelete, "/users/me/ai-providers/:pid", core.ActionAccount, deleteSubscription(d.Subscriptions)),
		call(http.MethodGet, "/users/me/invites", core.ActionAccount, listOwnInvites(d.Invites)),
		call(http.MethodPost, "/users/me/invites/:id/accept", core.ActionAccount, acceptOwnInvite(d.Invites)),
		call(http.MethodDelete, "/users/me/invites/:id", core.ActionAccount, declineOwnInvite(d.Invites)),
		call(http.MethodGet, "/auth/api-tokens", core.ActionAccount, listAPITokens(d.Accounts)),
		call(http.MethodPost, "/auth/api-tokens", core.ActionAccount, createAPIToken(d.Accounts)),
		call(http.MethodDelete, "/auth/api-tokens/:id", core.ActionAccount, deleteAPIToken(d.Accounts)),

		call(http.MethodGet, "/workspaces", core.ActionWorkspaceList, listWorkspaces(d.Workspaces)),
		call(http.MethodPost, "/workspaces", core.ActionWorkspaceCreate, createWorkspace(d.Workspaces)),
		call(http.MethodGet, "/workspaces/:wid", core.ActionWorkspaceRead, getWorkspace(d.Workspaces)),
		call(http.MethodPatch, "/workspaces/:wid", core.ActionWorkspaceUpdate, updateWorkspace(d.Workspaces)),
		call(http.MethodDelete, "/workspaces/:wid", core.ActionWorkspaceDelete, deleteWorkspace(d.Workspaces)),
		call(http.MethodPost, "/workspaces/:wid/transfer", core.ActionWorkspaceTransfer, transferWorkspace(d.Members)),
		call(http.MethodGet, "/workspaces/:wid/members", core.ActionMemberRead, listMembers(d.Members)),
		call(http.MethodPatch, "/workspaces/:wid/members/:userId", core.ActionMemberWrite, updateMember(d.Members)),
		call(http.MethodDelete, "/workspaces/:wid/members/:userId", core.ActionMemberRemove, removeMember(d.Members)),
		call(http.MethodGet, "/workspaces/:wid/invites", core.ActionInvite, listInvites(d.Invites)),
		call(http.MethodPost, "/workspaces/:wid/invites", core.ActionInvite, createInvite(d.Invites, d.Settings.AppURL)),
		call(http.MethodDelete, "/workspaces/:wid/invites/:inviteId", core.ActionInvite, deleteInvite(d.Invites)),
		call(http.MethodPost, "/workspaces/:wid/invites/:inviteId/link", core.ActionInvite, linkInvite(d.Invites, d.Settings.AppURL)),
		open(http.MethodGet, "/invites/:token", showInvite(d.Invites)),
		call(http.MethodPost, "/invites/:token/accept", core.ActionInviteAccept, acceptInvite(d.Invites)),
		call(http.MethodGet, "/workspaces/:wid/folders", core.ActionFolderRead, listFolders(d.Folders)),
		call(http.MethodPost, "/workspaces/:wid/folders", core.ActionFolderWrite, createFolder(d.Folders)),
		call(http.MethodPatch, "/folders/:folderId", core.ActionFolderWrite, updateFolder(d.Folders)),
		call(http.MethodDelete, "/folders/:folderId", core.ActionFolderWrite, deleteFolder(d.Folders)),
		call(http.MethodGet, "/workspaces/:wid/modes", core.ActionModeRead, listModes(d.Modes)),
		call(http.MethodPost, "/workspaces/:wid/modes", core.ActionModeWrite, createMode(d.Modes)),
		call(http.MethodPatch, "/workspaces/:wid/modes/:name", core.ActionModeWrite, updateMode(d.Modes)),
		call(http.MethodDelete, "/workspaces/:wid/modes/:name", core.ActionModeWrite, deleteMode(d.Modes)),
		call(http.MethodGet, "/workspaces/:wid/ai-providers", core.ActionProviderRead, listProviders(d.Providers)),
		call(http.MethodPost, "/workspaces/:wid/ai-providers", core.ActionProviderWrite, createProvider(d.Providers)),
		call(http.MethodPatch, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, updateProvider(d.Providers)),
		call(http.MethodDelete, "/workspaces/:wid/ai-providers/:pid", core.ActionProviderWrite, deleteProvider(d.Providers)),
		call(http.MethodPost, "/workspaces/:wid/ai-providers/:pid/test", core.ActionProviderWrite, testProvider(d.Providers)),
		call(http.MethodGet, "/workspaces/:wid/ai-providers/:pid/models", core.ActionProviderRead, listModels(d.Providers)),
		call(http.MethodGet, "/workspaces/:wid/audit", core.ActionAuditRead, listAudit(d.Audit, cursors)),
		call(http.MethodGet, "/workspaces/:wid/usage", core.ActionUsageRead, usage(d.Providers)),

		call(http.MethodPost, "/workspaces/:wid/projects", core.ActionProjectCreate, createProject(d.Projects)),
		call(http.MethodGet, "/workspaces/:wid/projects", core.ActionProjectListOf, listWorkspaceProjects(d.Projects, cursors)),
		call(http.MethodDelete, "/workspaces/:wid/trash", core.ActionProjectPurge, emptyTrash(d.Projects)),
		call(http.MethodGet, "/projects", core.ActionProjectList, listProjects(d.Projects, cursors)),
		call(http.MethodGet, "/projects/:projectId", core.ActionProjectRead, getProject(d.Projects)),
		call(http.MethodPatch, "/projects/:projectId", core.ActionProjectUpdate, updateProject(d.Projects)),
		call(http.MethodDelete, "/projects/:projectId", core.ActionProjectDelete, deleteProject(d.Projects)),
		call(http.MethodPost, "/projects/:projectId/restore", core.ActionProjectDelete, restoreProject(d.Projects)),
		call(http.MethodGet, "/projects/:projectId/versions", core.ActionVersionRead, listVersions(d.Projects, d.Versions, cursors)),
		call(http.MethodPost, "/projects/:projectId/versions", core.ActionVersionWrite, saveVersion(d.Versions)),
		call(http.MethodGet, "/projects/:projectId/versions/:sha", core.ActionVersionRead, showVersion(d.Versions)),
		call(http.MethodGet, "/projects/:projectId/versions/:sha/files/*path", core.ActionVersionRead, readFileAt(d.Projects)),
		call(http.MethodPost, "/projects/:projectId/versions/:sha/restore", core.ActionVersionWrite, restoreVersion(d.Versions)),
		call(http.MethodPost, "/projects/:projectId/versions/:sha/undo", core.ActionVersionWrite, undoVersion(d.Versions)),
		call(http.MethodPost, "/projects/:projectId/transfer", core.ActionProjectTransfer, transferProject(d.Projects)),
		call(http.MethodPost, "/projects/:projectId/duplicate", core.ActionProjectDuplicate, duplicateProject(d.Projects, newImports())),
		call(http.MethodGet, "/projects/:projectId/export", core.ActionProjectRead, exportProject(d.Projects)),
		call(http.MethodGet, "/projects/:projectId/thumbnail", core.ActionProjectRead, getThumbnail(d.Thumbnails)),
		call(http.MethodGet, "/projects/:projectId/card", core.ActionProjectRead, getCard(d.Thumbnails)),
		call(http.MethodPost, "/projects/:projectId/thumbnail", core.ActionProjectUpdate, renewThumbnail(d.Thumbnails)),
		call(http.MethodPost, "/workspaces/:wid/projects/import", core.ActionProjectCreate, importProject(d.Projects, newImports())),
		call(http.MethodGet, "/templates", core.ActionTemplateList, listTemplates(d.Projects)),

		call(http.MethodGet, "/projects/:projectId/env", core.ActionEnvironment, listVariables(d.Environment)),
		call(http.MethodGet, "/projects/:projectId/env/:key", core.ActionEnvironment, getVariable(d.Environment)),
		call(http.MethodPut, "/projects/:projectId/env/:key", core.ActionEnvironment, putVariable(d.Environment)),
		call(http.MethodDelete, "/projects/:projectId/env/:key", core.ActionEnvironment, deleteVariable(d.Environment)),

		call(http.MethodGet, "/projects/:projectId/files", core.ActionFileRead, listFiles(d.Files)),
		call(http.MethodGet, "/projects/:projectId/files/search", core.ActionFileRead, searchFiles(d.Files)),
		call(http.MethodPost, "/projects/:projectId/files/bulk", core.ActionFileWrite, bulkFiles(d.Files, uploads)),
		call(http.MethodGet, "/projects/:projectId/files/*path", core.ActionFileRead, readFile(d.Files)),
		call(http.MethodPut, "/projects/:projectId/files/*path", core.ActionFileWrite, writeFile(d.Files, uploads)),
		call(http.MethodDelete, "/projects/:projectId/files/*path", core.ActionFileWrite, deleteFile(d.Files)),
		call(http.MethodPost, "/projects/:projectId/typecheck", core.ActionTypeCheck, checkTypes(d.Types)),
		call(http.MethodPost, "/direct-save/:projectId", core.ActionFileWrite, directSave(d.DirectSave)),

		call(http.MethodGet, "/git/:projectId/info/refs", core.ActionVersionRead, advertiseGit(d.GitRemote)),
		call(http.MethodPost, "/git/:projectId/git-upload-pack", core.ActionVersionRead, uploadGit(d.GitRemote, gitPlaces)),
		call(http.MethodPost, "/git/:projectId/git-receive-pack", core.ActionFileWrite, receiveGit(d.GitRemote, gitPlaces)),

		call(http.MethodGet, "/projects/:projectId/chats", core.ActionChat, listChats(d.Chats)),
		call(http.MethodPost, "/projects/:projectId/chats", core.ActionChat, createChat(d.Chats)),
		call(http.MethodPatch, "/projects/:projectId/chats/:chatId", core.ActionChat, updateChat(d.Chats)),
		call(http.MethodDelete, "/projects/:projectId/chats/:chatId", core.ActionChat, deleteChat(d.Chats)),
		call(http.MethodPost, "/chat/:projectId/messages", core.ActionChat, bounded(d.Streams, sendMessage(d.Chats, uploads, ""))),
		call(http.MethodGet, "/chat/:projectId/messages", core.ActionChat, history(d.Chats)),
		call(http.MethodGet, "/chat/:projectId/stream", core.ActionChat, bounded(d.Streams, followChat(d.Chats))),
		call(http.MethodPost, "/chat/:projectId/stop", core.ActionChat, stopRun(d.Chats)),
		call(http.MethodPost, "/plan/:projectId", core.ActionChat, bounded(d.Streams, sendMessage(d.Chats, uploads, core.ModePlan))),
		call(http.MethodGet, "/plan/:projectId", core.ActionChat, getPlan(d.Chats)),
		call(http.MethodPost, "/plan/:projectId/run", core.ActionChat, bounded(d.Streams, runPlan(d.Chats))),

		call(http.MethodPost, "/projects/:projectId/preview", core.ActionPreviewRead, showPreview(d.Previews)),
		call(http.MethodGet, "/projects/:projectId/preview", core.ActionPreviewRead, showPreview(d.Previews)),
		call(http.MethodDelete, "/projects/:projectId/preview", core.ActionProjectUpdate, stopPreview(d.Previews)),
		call(http.MethodGet, "/projects/:projectId/preview/events", core.ActionPreviewWatch, bounded(d.Streams, watchPreview(d.Previews))),

		call(http.MethodPost, "/projects/:projectId/publish", core.ActionPublish, publishProject(d.Sites)),
		call(http.MethodDelete, "/projects/:projectId/publish", core.ActionPublish, unpublishProject(d.Sites)),
		call(http.MethodGet, "/projects/:projectId/deployments", core.ActionPublishRead, listDeployments(d.Sites)),
		call(http.MethodPost, "/projects/:projectId/deployments/:deploymentId/rollback", core.ActionPublish, rollBack(d.Sites)),

		call(http.MethodGet, "/domains/project/:projectId", core.ActionDomainRead, listDomains(d.Domains)),
		call(http.MethodPost, "/domains/project/:projectId", core.ActionDomainWrite, addDomain(d.Domains)),
		call(http.MethodPost, "/domains/:domainId/verify", core.ActionDomainWrite, verifyDomain(d.Domains)),
		call(http.MethodPost, "/domains/:domainId/primary", core.ActionDomainWrite, makeDomainPrimary(d.Domains)),
		call(http.MethodDelete, "/domains/:domainId", core.ActionDomainWrite, deleteDomain(d.Domains)),
	}...)
}

// socketRoutes are those of WebSockets, which may have a process of their own.
func socketRoutes(d Deps) []Route {
	return []Route{
		call(http.MethodGet, "/ws/project/:projectId", core.ActionFileRead, openSocket(d.Sockets)),
	}
}

// operations are the routes for those who run the service (contract, section 8).
func operations(d Deps, m *metrics) []Route {
	described := newDescription(d.Settings.Version, baseOf(d.Settings.AppURL))
	return []Route{
		open(http.MethodGet, "/healthz", alive()),
		open(http.MethodGet, "/readyz", ready(d.Checks, d.Log)),
		open(http.MethodGet, "/metrics", scrape(m, d.Settings.MetricsToken)),
		open(http.MethodGet, "/openapi.json", serveRendered(described.document)),
		open(http.MethodGet, "/docs", serveRendered(described.page)),
	}
}
