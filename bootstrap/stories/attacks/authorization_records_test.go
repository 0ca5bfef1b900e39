package attacks_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
)

// A new route needs some of these, and the test says which:
//
//   - records: how to create a record that the route's pattern names,
//   - bodies: what a POST, PUT or PATCH sends,
//   - queries: the query of a GET,
//   - usedUp: which record a call removes, unless it is what a DELETE names,
//   - stricter: the action that decides the sample if the use case requires more than
//     the route's action.

// records says how a record is made for each parameter of a pattern, and returns
// the parameter's value. Records of a person are made for by, others by the
// stage's own people.
func records() map[string]func(s *stage, by *player) string {
	return map[string]func(s *stage, by *player) string{
		"/auth/api-tokens/:id": func(_ *stage, by *player) string {
			return by.make("/auth/api-tokens", storytest.Fields{"name": "x", "scopes": []string{"chat"}})
		},
		"/auth/programs/:id":     (*stage).newProgram,
		"/admin/users/:uid":      func(s *stage, _ *player) string { return string(s.SignUp().User.ID) },
		"/admin/workspaces/:wid": func(s *stage, _ *player) string { return string(s.SignUp().Workspace) },
		"/admin/invites/:id": func(s *stage, _ *player) string {
			return s.player("admin of the installation").make("/admin/invites", storytest.Fields{"email": string(core.NewID()) + "@example.com"})
		},
		"/admin/takedowns/:id": (*stage).newTakedown,
		"/admin/identity-providers/:id": func(s *stage, _ *player) string {
			return s.player("admin of the installation").make("/admin/identity-providers", newCompany("p"+strings.ToLower(string(core.NewID()))))
		},
		"/admin/ai-providers/:id": func(s *stage, _ *player) string {
			return s.player("admin of the installation").make("/admin/ai-providers", storytest.Fields{"kind": "demo", "name": "x", "isDefault": false})
		},
		"/auth/oidc/:slug": func(s *stage, _ *player) string {
			slug := "p" + strings.ToLower(string(core.NewID()))
			s.player("admin of the installation").make("/admin/identity-providers", newCompany(slug))
			return slug
		},
		"/auth/identities/:provider": (*stage).newIdentity,
		"/auth/sessions/:id":         (*stage).newSession,
		"/auth/passkeys/:id":         (*stage).newPasskey,
		// Its caller is a host, which proves the secret of the webhook.
		"/hooks/git/:token":           func(*stage, *player) string { return "unknown" },
		"/users/me/ai-providers/:pid": (*stage).newSubscription,
		"/users/me/invites/:id":       (*stage).newOwnInvite,
		"/workspaces/:wid":            (*stage).newWorkspace,
		"/workspaces/:wid/ai-providers/:pid": func(s *stage, _ *player) string {
			return s.owner.make("/workspaces/"+s.record("/workspaces/:wid")+"/ai-providers", storytest.Fields{"kind": "demo", "name": "x"})
		},
		"/workspaces/:wid/members/:userId":   (*stage).newMember,
		"/workspaces/:wid/invites/:inviteId": (*stage).newInvite,
		"/invites/:token":                    (*stage).newInvitation,
		"/workspaces/:wid/modes/:name":       (*stage).newMode,
		"/workspaces/:wid/commands/:name":    (*stage).newCommand,
		"/workspaces/:wid/connectors/:id": func(s *stage, _ *player) string {
			return s.owner.make("/workspaces/"+s.record("/workspaces/:wid")+"/connectors", newConnector())
		},
		"/workspaces/:wid/templates/:id": (*stage).newSharedTemplate,
		"/workspaces/:wid/webhooks/:id": func(s *stage, _ *player) string {
			return s.owner.make("/workspaces/"+s.record("/workspaces/:wid")+"/webhooks", newWebhook())
		},
		"/workspaces/:wid/webhooks/:id/deliveries/:did": (*stage).newDelivery,
		"/folders/:folderId": func(s *stage, _ *player) string {
			return s.owner.make("/workspaces/"+s.record("/workspaces/:wid")+"/folders", storytest.Fields{"name": "x"})
		},

		"/projects/:projectId":             (*stage).newProject,
		"/projects/:projectId/files/*path": (*stage).newFile,
		"/projects/:projectId/chats/:chatId": func(s *stage, _ *player) string {
			return s.creator.make(s.project()+"/chats", storytest.Fields{"mode": "chat"})
		},
		"/projects/:projectId/chats/:chatId/attachments/:attachmentId": (*stage).newAttachment,
		"/projects/:projectId/deployments/:deploymentId":               (*stage).newDeployment,
		"/projects/:projectId/env/:key":                                (*stage).newVariable,
		"/projects/:projectId/links/:linkId": func(s *stage, _ *player) string {
			return s.creator.make(s.project()+"/links", storytest.Fields{"hours": 1})
		},
		"/domains/:domainId":                                                    (*stage).newDomain,
		"/projects/:projectId/versions/:sha":                                    (*stage).newVersion,
		"/projects/:projectId/backend/test/functions/:name":                     func(*stage, *player) string { return "hello" },
		"/projects/:projectId/backend/:env":                                     func(*stage, *player) string { return string(core.DataTest) },
		"/projects/:projectId/backend/:env/collections/:name":                   func(*stage, *player) string { return "notes" },
		"/projects/:projectId/backend/:env/collections/:name/records/:recordId": (*stage).newRecord,
		"/projects/:projectId/backend/:env/snapshots/:snapshotId":               (*stage).newSnapshot,
		"/projects/:projectId/tasks/:taskId":                                    (*stage).newTask,
		"/projects/:projectId/comments/:commentId":                              (*stage).newComment,
		"/projects/:projectId/checks/:name":                                     (*stage).newCheck,
		"/projects/:projectId/backend/:env/providers/:name":                     (*stage).newSignIn,
		// The template's, which every version has.
		"/projects/:projectId/versions/:sha/files/*path": func(*stage, *player) string { return "index.html" },
	}
}

// nothing is sent by routes that take no body.
func nothing(*stage) any { return nil }

// always sends the same object.
func always(body storytest.Fields) func(*stage) any { return func(*stage) any { return body } }

// bodies are the request bodies of POST, PUT and PATCH routes.
func bodies() map[string]func(*stage) any {
	return map[string]func(*stage) any{
		"POST /auth/signup":                   nothing,
		"POST /auth/login":                    nothing,
		"POST /auth/refresh":                  nothing,
		"POST /auth/logout":                   nothing,
		"POST /auth/forgot-password":          nothing,
		"POST /auth/reset-password":           nothing,
		"POST /auth/logout-all":               nothing,
		"POST /auth/verify-email":             always(storytest.Fields{"token": "x"}),
		"POST /auth/verify-email/send":        nothing,
		"POST /auth/change-email":             always(storytest.Fields{"email": "another@example.com", "password": "long enough"}),
		"POST /auth/mfa":                      nothing,
		"POST /auth/mfa/totp":                 always(storytest.Fields{"password": "long enough"}),
		"POST /auth/mfa/totp/confirm":         always(storytest.Fields{"code": "000000"}),
		"DELETE /auth/mfa/totp":               always(storytest.Fields{"password": "long enough"}),
		"POST /auth/mfa/recovery-codes":       always(storytest.Fields{"password": "long enough"}),
		"DELETE /auth/passkeys/:id":           always(storytest.Fields{"password": "long enough"}),
		"POST /auth/passkeys/register/begin":  always(storytest.Fields{"password": "long enough"}),
		"POST /auth/passkeys/register/finish": always(storytest.Fields{"name": "x", "credential": overdueCredential()}),
		"POST /auth/passkeys/login/begin":     nothing,
		"POST /auth/passkeys/login/finish":    nothing,
		"PATCH /auth/me":                      always(storytest.Fields{"displayName": "x"}),
		"POST /auth/api-tokens":               always(storytest.Fields{"name": "x", "scopes": []string{"chat"}}),
		"DELETE /auth/me":                     always(storytest.Fields{"password": "not this one"}),
		"POST /oauth/register":                always(storytest.Fields{"client_name": "x", "redirect_uris": []string{"http://127.0.0.1/"}}),
		"POST /oauth/token":                   nothing,
		"POST /oauth/revoke":                  nothing,
		"POST /oauth/consent":                 always(storytest.Fields{"allow": false}),

		"PATCH /admin/settings":            always(storytest.Fields{"announcement": "x"}),
		"PATCH /admin/users/:uid":          always(storytest.Fields{"disabled": false}),
		"PATCH /admin/workspaces/:wid":     always(storytest.Fields{"quotas": storytest.Fields{"projectsPerWorkspace": 9}}),
		"POST /admin/users/:uid/sign-out":  nothing,
		"POST /admin/users/:uid/reset-mfa": nothing,
		"POST /admin/backups":              nothing,
		"POST /admin/takedowns": func(s *stage) any {
			// One caller may take it down: the others are refused before.
			if s.made["site"] == "" {
				_, s.made["site"] = s.newSite(nil)
			}
			return storytest.Fields{"slug": s.made["site"], "reason": "x"}
		},
		"POST /admin/invites":                     always(storytest.Fields{"email": "guest@example.com"}),
		"POST /admin/identity-providers":          func(*stage) any { return newCompany("p" + strings.ToLower(string(core.NewID()))) },
		"PATCH /admin/identity-providers/:id":     always(storytest.Fields{"name": "x"}),
		"POST /admin/identity-providers/:id/test": nothing,
		"POST /admin/ai-providers":                always(storytest.Fields{"kind": "demo", "name": "x", "isDefault": false}),
		"PATCH /admin/ai-providers/:id":           always(storytest.Fields{"name": "x"}),
		"POST /admin/ai-providers/:id/test":       nothing,

		"POST /workspaces":                             always(storytest.Fields{"name": "x"}),
		"PUT /workspaces/:wid/knowledge":               always(storytest.Fields{"text": "x"}),
		"PATCH /workspaces/:wid":                       always(storytest.Fields{"name": "x"}),
		"POST /workspaces/:wid/ai-providers":           always(storytest.Fields{"kind": "demo", "name": "x"}),
		"PATCH /workspaces/:wid/ai-providers/:pid":     always(storytest.Fields{"name": "x"}),
		"POST /workspaces/:wid/ai-providers/:pid/test": nothing,
		"POST /workspaces/:wid/transfer":               func(s *stage) any { return storytest.Fields{"userId": s.members[len(s.members)-1].User.ID} },
		"PATCH /workspaces/:wid/members/:userId":       always(storytest.Fields{"role": "admin"}),
		"POST /workspaces/:wid/invites":                always(storytest.Fields{"email": "guest@example.com", "role": "member"}),
		"POST /workspaces/:wid/invites/:inviteId/link": nothing,
		"POST /invites/:token/accept":                  nothing,
		"POST /users/me/invites/:id/accept":            nothing,
		"POST /workspaces/:wid/folders":                always(storytest.Fields{"name": "x"}),
		"PATCH /folders/:folderId":                     always(storytest.Fields{"name": "x"}),
		"POST /workspaces/:wid/modes":                  func(*stage) any { return newMode() },
		"PATCH /workspaces/:wid/modes/:name":           always(storytest.Fields{"prompt": "y"}),
		"POST /workspaces/:wid/commands":               func(*stage) any { return newCommand() },
		"PATCH /workspaces/:wid/commands/:name":        always(storytest.Fields{"text": "y"}),

		"POST /workspaces/:wid/connectors":             func(*stage) any { return newConnector() },
		"PATCH /workspaces/:wid/connectors/:id":        always(storytest.Fields{"headers": storytest.Fields{"X-Key": "y"}}),
		"POST /workspaces/:wid/connectors/:id/refresh": nothing,
		"POST /workspaces/:wid/templates": func(s *stage) any {
			return storytest.Fields{"projectId": s.record("/projects/:projectId"), "name": "x"}
		},
		"PATCH /workspaces/:wid/templates/:id":                         always(storytest.Fields{"name": "y"}),
		"POST /workspaces/:wid/templates/:id/update":                   nothing,
		"POST /workspaces/:wid/webhooks":                               always(newWebhook()),
		"PATCH /workspaces/:wid/webhooks/:id":                          always(storytest.Fields{"description": "y"}),
		"POST /workspaces/:wid/webhooks/:id/rotate-secret":             nothing,
		"POST /workspaces/:wid/webhooks/:id/test":                      nothing,
		"POST /workspaces/:wid/webhooks/:id/deliveries/:did/redeliver": nothing,

		"POST /mcp":                            always(storytest.Fields{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
		"POST /workspaces/:wid/projects":       always(storytest.Fields{"name": "x", "template": storytest.Template}),
		"PATCH /projects/:projectId":           always(storytest.Fields{"name": "x"}),
		"POST /projects/:projectId/restore":    nothing,
		"POST /projects/:projectId/files/bulk": always(storytest.Fields{"operations": []any{}}),
		"POST /direct-save/:projectId": always(storytest.Fields{"filePath": "index.html", "patches": []any{
			map[string]string{"selector": "html", "property": "title", "value": "x"},
		}}),
		"PUT /projects/:projectId/files/*path":     func(*stage) any { return strings.NewReader("x") },
		"POST /projects/:projectId/chats":          always(storytest.Fields{"mode": "chat"}),
		"PATCH /projects/:projectId/chats/:chatId": always(storytest.Fields{"title": "x"}),
		"POST /chat/:projectId/messages":           func(s *stage) any { return storytest.Fields{"chatId": s.chat(), "text": "hi"} },
		"POST /chat/:projectId/stop":               func(s *stage) any { return storytest.Fields{"chatId": s.chat()} },
		"POST /plan/:projectId":                    func(s *stage) any { return storytest.Fields{"chatId": s.chat(), "text": "hi"} },
		"POST /chat/:projectId/approve": func(s *stage) any {
			return storytest.Fields{"chatId": s.waiting(), "id": "call", "allow": false}
		},
		"POST /plan/:projectId/run":              func(s *stage) any { return storytest.Fields{"chatId": s.planned()} },
		"POST /projects/:projectId/preview":      nothing,
		"POST /projects/:projectId/preview/move": always(storytest.Fields{"code": "x"}),
		"POST /projects/:projectId/publish":      func(s *stage) any { return storytest.Fields{"slug": s.slug()} },

		"POST /projects/:projectId/deployments/:deploymentId/rollback": nothing,
		"POST /projects/:projectId/deployments/:deploymentId/look":     nothing,
		"POST /projects/:projectId/versions/:sha/look":                 nothing,
		"POST /projects/:projectId/working-version":                    nothing,
		"POST /projects/:projectId/links":                              always(storytest.Fields{"hours": 1}),
		"PATCH /projects/:projectId/site":                              always(storytest.Fields{"title": "x"}),
		"POST /projects/:projectId/site/pass": func(s *stage) any {
			if live := s.deployments(); len(live) == 0 || live[0].Status != core.DeploymentLive {
				s.newDeployment(s.creator)
			}
			return nil
		},
		"POST /workspaces/:wid/projects/import":                                       func(s *stage) any { return storytest.ImportForm(s.T, "x", storytest.Zipped(s.T, "index.html", "x")) },
		"POST /git/:projectId/git-upload-pack":                                        func(*stage) any { return storytest.GitBody("upload") },
		"POST /git/:projectId/git-receive-pack":                                       func(*stage) any { return storytest.GitBody("receive") },
		"PUT /projects/:projectId/env/:key":                                           always(storytest.Fields{"value": "x"}),
		"POST /projects/:projectId/thumbnail":                                         nothing,
		"POST /projects/:projectId/typecheck":                                         nothing,
		"POST /projects/:projectId/code/completions":                                  always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x"}),
		"POST /projects/:projectId/code/hover":                                        always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x"}),
		"POST /projects/:projectId/code/definition":                                   always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x"}),
		"POST /projects/:projectId/code/diagnostics":                                  always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x"}),
		"POST /projects/:projectId/code/format":                                       always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x"}),
		"POST /projects/:projectId/code/details":                                      always(storytest.Fields{"path": "src/a.ts", "line": 1, "column": 1, "text": "x", "label": "x"}),
		"POST /projects/:projectId/backend/test/apply":                                always(storytest.Fields{"planId": "x"}),
		"POST /projects/:projectId/backend/test/reset":                                nothing,
		"POST /projects/:projectId/checks/run":                                        nothing,
		"POST /projects/:projectId/backend/proposal":                                  always(storytest.Fields{"sql": "CREATE TABLE notes (id uuid PRIMARY KEY)"}),
		"POST /projects/:projectId/backend/check":                                     nothing,
		"POST /projects/:projectId/backend/test/functions/:name":                      always(storytest.Fields{"method": "GET"}),
		"POST /projects/:projectId/backend/:env/collections/:name/records":            always(storytest.Fields{"text": "x"}),
		"PATCH /projects/:projectId/backend/:env/collections/:name/records/:recordId": always(storytest.Fields{"text": "x"}),
		"PUT /projects/:projectId/backend/:env/providers/:name":                       always(storytest.Fields{"clientId": "id", "clientSecret": "secret"}),
		"POST /projects/:projectId/backend/:env/snapshots":                            nothing,
		"POST /projects/:projectId/backend/:env/snapshots/:snapshotId/restore":        nothing,
		"POST /projects/:projectId/backend/:env/collections/:name/import":             func(*stage) any { return []any{} },
		"POST /projects/:projectId/tasks":                                             always(storytest.Fields{"content": "x", "mode": "chat"}),
		"POST /projects/:projectId/tasks/:taskId/merge":                               nothing,
		"POST /projects/:projectId/tasks/:taskId/resolve":                             always(storytest.Fields{"by": "agent"}),
		"PUT /projects/:projectId/remote":                                             always(storytest.Fields{"url": "https://git.example.invalid/shop.git"}),
		"POST /projects/:projectId/remote/resolve":                                    always(storytest.Fields{"files": []storytest.Fields{}}),
		"POST /hooks/git/:token":                                                      nothing,
		"POST /projects/:projectId/remote/sync":                                       nothing,
		"POST /projects/:projectId/comments":                                          always(newComment()),
		"POST /projects/:projectId/comments/:commentId/replies":                       always(storytest.Fields{"text": "x"}),
		"PATCH /projects/:projectId/comments/:commentId":                              always(storytest.Fields{"resolved": true}),
		"POST /domains/project/:projectId":                                            func(*stage) any { return storytest.Fields{"domain": storytest.NewDomainName()} },
		"POST /domains/:domainId/verify":                                              nothing,
		"POST /domains/:domainId/primary":                                             nothing,
		"POST /projects/:projectId/versions/:sha/undo":                                nothing,
		"PATCH /projects/:projectId/versions/:sha":                                    always(storytest.Fields{"starred": true}),
		"POST /projects/:projectId/versions":                                          always(storytest.Fields{"message": "x"}),
		"POST /projects/:projectId/versions/:sha/restore":                             always(storytest.Fields{"testData": true}),
		"POST /projects/:projectId/duplicate":                                         always(storytest.Fields{"name": "x"}),
		"POST /projects/:projectId/transfer":                                          func(s *stage) any { return storytest.Fields{"workspaceId": s.newWorkspace(nil)} },
	}
}

// queries are the query strings.
func queries() map[string]func(*stage) string {
	return map[string]func(*stage) string{
		"GET /oauth/consent":  (*stage).asksConsent,
		"POST /oauth/consent": (*stage).asksConsent,
		// A stranger sees the workspace's public projects, so there has to be one.
		"GET /workspaces/:wid/projects":         func(s *stage) string { s.project(); return "" },
		"GET /plan/:projectId":                  func(s *stage) string { return storytest.Query("chatId", s.planned()) },
		"GET /chat/:projectId/messages":         func(s *stage) string { return storytest.Query("chatId", s.chat()) },
		"GET /chat/:projectId/stream":           func(s *stage) string { return storytest.Query("chatId", s.chat()) },
		"GET /git/:projectId/info/refs":         func(*stage) string { return storytest.Query("service", "git-upload-pack") },
		"GET /projects/:projectId/files/search": func(*stage) string { return storytest.Query("q", "x") },
	}
}

// headers are the headers that a route requires, as names and values.
func headers() map[string][]string {
	return map[string][]string{
		"GET /ws/project/:projectId": {
			"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==",
		},
	}
}

// usedUp is the record that a call takes away, so that each needs one of its own.
func usedUp(name string) string {
	method, pattern, _ := strings.Cut(name, " ")
	last := pattern[strings.LastIndex(pattern, "/")+1:]
	if method == http.MethodDelete && strings.ContainsAny(last, ":*") {
		return pattern
	}
	return map[string]string{
		"POST /workspaces/:wid/transfer": "/workspaces/:wid",
		"POST /invites/:token/accept":    "/invites/:token",

		"POST /users/me/invites/:id/accept": "/users/me/invites/:id",

		"POST /projects/:projectId/transfer":           "/projects/:projectId",
		"DELETE /projects/:projectId/remote":           "/projects/:projectId",
		"POST /projects/:projectId/versions/:sha/undo": "/projects/:projectId/versions/:sha",

		// Members change only those that they shared.
		"PATCH /workspaces/:wid/templates/:id":       "/workspaces/:wid/templates/:id",
		"POST /workspaces/:wid/templates/:id/update": "/workspaces/:wid/templates/:id",

		"POST /projects/:projectId/tasks/:taskId/merge":   "/projects/:projectId/tasks/:taskId",
		"POST /projects/:projectId/tasks/:taskId/resolve": "/projects/:projectId/tasks/:taskId",
	}[name]
}

// stricter is the action that decides a route's sample instead of its own.
func stricter() map[string]core.Action {
	return map[string]core.Action{
		// The sample is somebody else; leaving is for everybody.
		"DELETE /workspaces/:wid/members/:userId": core.ActionMemberWrite,
	}
}

// make creates something and returns its id.
func (p *player) make(path string, body storytest.Fields) string {
	p.T.Helper()
	var made struct{ ID string }
	p.Must(http.StatusCreated, http.MethodPost, path, body, &made)
	return made.ID
}

func (s *stage) project() string { return "/projects/" + s.record("/projects/:projectId") }

func (s *stage) chat() string { return s.record("/projects/:projectId/chats/:chatId") }

// planned is a chat that has a plan.
func (s *stage) planned() string {
	id := s.chat()
	_, err := s.App.Store.Tables().Chats.Update(s.T.Context(), core.ID(id), func(chat *core.Chat) error {
		chat.Plan = &core.Plan{Steps: []core.PlanStep{}, RawText: "Nothing."}
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return id
}

// waiting is a chat whose last run waits for a person's yes.
func (s *stage) waiting() string {
	id := s.chat()
	asked := []core.Payload{core.TaskComplete{Reason: core.ReasonAsked, Approval: "call"}}
	if _, err := s.App.Store.Tables().Events.Append(s.T.Context(), core.ID(id), core.At(time.Now()), asked); err != nil {
		s.T.Fatal(err)
	}
	return id
}

// slug is where the project's site is published.
func (s *stage) slug() string {
	return "s" + strings.ReplaceAll(s.record("/projects/:projectId"), "-", "")
}

// newWorkspace has every member of the stage.
func (s *stage) newWorkspace(*player) string {
	id := s.owner.make("/workspaces", storytest.Fields{"name": "Team"})
	for _, p := range s.members {
		s.join(core.ID(id), p.User.ID, p.role)
	}
	return id
}

// newMember is a member beside those of the stage.
func (s *stage) newMember(*player) string {
	user := core.User{ID: core.NewID(), Email: string(core.NewID()) + "@example.com", CreatedAt: core.At(time.Now())}
	if err := s.App.Store.Tables().Users.Create(s.T.Context(), user); err != nil {
		s.T.Fatal(err)
	}
	s.join(core.ID(s.record("/workspaces/:wid")), user.ID, core.RoleMember)
	return string(user.ID)
}

func (s *stage) newInvite(*player) string {
	email := string(core.NewID()) + "@example.com"
	return s.owner.make("/workspaces/"+s.record("/workspaces/:wid")+"/invites", storytest.Fields{"email": email, "role": "member"})
}

// newInvitation returns the secret in the mail's link of an invite by by.
func (s *stage) newInvitation(by *player) string {
	_, secret := s.inviteToParty(by)
	return secret
}

// newOwnInvite proves by's address, without which they have no invites.
func (s *stage) newOwnInvite(by *player) string {
	_, err := s.App.Store.Tables().Users.Update(s.T.Context(), by.User.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	id, _ := s.inviteToParty(by)
	return string(id)
}

// inviteToParty asks by into a workspace that is there for nothing else.
func (s *stage) inviteToParty(by *player) (core.ID, string) {
	host, secret, now := s.player("stranger"), core.NewSecret(), core.At(time.Now())
	if by.name == host.name {
		host = s.player("owner of another workspace")
	}
	invite := core.Invite{
		ID: core.NewID(), Email: by.User.Email, Role: core.RoleMember, InvitedBy: host.User.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		WorkspaceID: core.ID(host.make("/workspaces", storytest.Fields{"name": "Party"})), TokenHash: core.HashSecret(secret),
	}
	if err := s.App.Store.Tables().Invites.Create(s.T.Context(), invite); err != nil {
		s.T.Fatal(err)
	}
	return invite.ID, secret
}

// newMode is the JSON of a mode with a name of its own.
func newMode() storytest.Fields {
	return storytest.Fields{"name": "m" + string(core.NewID()), "prompt": "x", "tools": []string{"read_file"}}
}

func (s *stage) newMode(*player) string {
	mode := newMode()
	s.owner.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+s.record("/workspaces/:wid")+"/modes", mode, nil)
	return fmt.Sprint(mode["name"])
}

// newCommand is the JSON of a command with a name of its own.
func newCommand() storytest.Fields {
	return storytest.Fields{"name": "c" + string(core.NewID())[9:], "text": "x"}
}

func (s *stage) newCommand(*player) string {
	command := newCommand()
	s.owner.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+s.record("/workspaces/:wid")+"/commands", command, nil)
	return fmt.Sprint(command["name"])
}

// newAttachment stores an image of a run of the chat that the path names.
func (s *stage) newAttachment(*player) string {
	tables, chat := s.App.Store.Tables(), core.ID(s.record("/projects/:projectId/chats/:chatId"))
	now, id := core.At(time.Now()), core.NewID()
	run := core.Run{
		ID: core.NewID(), ChatID: chat, ProjectID: core.ID(s.record("/projects/:projectId")), WorkspaceID: core.ID(s.record("/workspaces/:wid")),
		UserID: s.owner.User.ID, Status: core.RunEnded, CreatedAt: now, EndedAt: &now,
	}
	if err := tables.Runs.Create(s.T.Context(), run); err != nil {
		s.T.Fatal(err)
	}
	if err := tables.Attachments.Create(s.T.Context(), run.ID, id, core.Image{MediaType: "image/png", Data: []byte("x")}); err != nil {
		s.T.Fatal(err)
	}
	return string(id)
}

func (s *stage) newSubscription(by *player) string {
	now := core.At(time.Now())
	stored, err := s.App.Store.Tables().Subscriptions.Put(s.T.Context(), core.Subscription{
		ID: core.NewID(), Kind: core.SubscriptionGitHub, Name: "x", CreatedAt: now, UpdatedAt: now, UserID: by.User.ID, SealedKey: []byte("x"),
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return string(stored.ID)
}

// newSession is another session of by's.
func (s *stage) newSession(by *player) string {
	now := core.At(time.Now())
	session := core.Session{ID: core.NewID(), UserID: by.User.ID, TokenID: core.NewID(), CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Hour)}
	if err := s.App.Store.Tables().Sessions.Create(s.T.Context(), session); err != nil {
		s.T.Fatal(err)
	}
	return string(session.ID)
}

// newPasskey gives by a passkey.
func (s *stage) newPasskey(by *player) string {
	made := core.Passkey{ID: core.NewID(), Name: "x", UserID: by.User.ID, CreatedAt: core.At(time.Now()), CredentialID: core.NewSecret(), PublicKey: []byte{1}}
	tables := s.App.Store.Tables()
	if err := errors.Join(tables.Passkeys.Create(s.T.Context(), made), tables.Factors.Put(s.T.Context(), core.Factor{UserID: by.User.ID, Passkeys: 1})); err != nil {
		s.T.Fatal(err)
	}
	return string(made.ID)
}

// newIdentity links by's account to one at a provider.
func (s *stage) newIdentity(by *player) string {
	linked := core.Identity{Provider: core.IdentityGitHub, Subject: string(core.NewID()), UserID: by.User.ID, CreatedAt: core.At(time.Now())}
	if err := s.App.Store.Tables().Identities.Create(s.T.Context(), linked); err != nil {
		s.T.Fatal(err)
	}
	return string(linked.Provider)
}

func (s *stage) newProject(*player) string {
	id := s.creator.make("/workspaces/"+s.record("/workspaces/:wid")+"/projects", storytest.Fields{"name": "Work", "template": storytest.Template})
	s.creator.Must(http.StatusOK, http.MethodPatch, "/projects/"+id, storytest.Fields{"visibility": s.visibility}, nil)
	s.creator.Must(http.StatusCreated, http.MethodPut, "/projects/"+id+"/files/"+core.BackendSchemaPath, strings.NewReader(schemaFile), nil)
	s.creator.Must(http.StatusCreated, http.MethodPut, "/projects/"+id+"/files/functions/hello.ts", strings.NewReader(`export default () => new Response("hello")`), nil)
	picture := core.Thumbnail{ProjectID: core.ID(id), PNG: []byte("picture"), TakenAt: core.At(time.Now())}
	remote := core.ProjectRemote{ID: core.NewID(), ProjectID: core.ID(id), Address: "https://git.example.invalid/shop.git", HookHash: core.NewSecret(), State: core.RemoteNew, CreatedBy: s.creator.User.ID}
	if err := errors.Join(s.App.Store.Tables().Thumbnails.Put(s.T.Context(), picture), s.App.Store.Tables().ProjectRemotes.Create(s.T.Context(), remote)); err != nil {
		s.T.Fatal(err)
	}
	return id
}

// schemaFile gives a project a backend.
const schemaFile = `{"collections": [{"name": "notes", "fields": [{"name": "text", "type": "text"}]}]}`

func (s *stage) newRecord(*player) string {
	return s.creator.make(s.project()+"/backend/test/collections/notes/records", storytest.Fields{"text": "x"})
}

func (s *stage) newSnapshot(*player) string {
	return s.creator.make(s.project()+"/backend/test/snapshots", nil)
}

func newComment() storytest.Fields {
	return storytest.Fields{"text": "x", "page": "/", "width": 1440}
}

// newComment is one of by's own: only admins delete those of others.
func (s *stage) newComment(by *player) string {
	comment := core.Comment{
		ID: core.NewID(), ProjectID: core.ID(s.record("/projects/:projectId")), Text: "x", Anchor: core.CommentAnchor{Page: "/", Width: 1440},
		CreatedBy: by.User.ID, CreatedAt: core.At(time.Now()),
	}
	if err := s.App.Store.Tables().Comments.Create(s.T.Context(), comment); err != nil {
		s.T.Fatal(err)
	}
	return string(comment.ID)
}

// newSharedTemplate is a template that the caller shared.
func (s *stage) newSharedTemplate(by *player) string {
	project := core.ID(s.record("/projects/:projectId"))
	template := core.SharedTemplate{
		ID: core.NewID(), WorkspaceID: core.ID(s.record("/workspaces/:wid")), ProjectID: &project, Name: "x",
		CreatedBy: by.User.ID, CreatedAt: core.At(time.Now()),
	}
	tables := s.App.Store.Tables()
	err := tables.SharedTemplates.Create(s.T.Context(), template)
	if err == nil {
		err = tables.SharedTemplates.PutContent(s.T.Context(), template.ID, core.SharedContent{Archive: []byte("zip")})
	}
	if err != nil {
		s.T.Fatal(err)
	}
	return string(template.ID)
}

// newTask is a task whose run is over.
func (s *stage) newTask(*player) string {
	id := s.creator.make(s.project()+"/tasks", storytest.Fields{"content": "x", "mode": "chat"})
	conformance.Eventually(s.T, "the end of a task's run", func() bool {
		var task struct{ Status string }
		s.creator.Must(http.StatusOK, http.MethodGet, s.project()+"/tasks/"+id, nil, &task)
		return task.Status != "working"
	})
	return id
}

func (s *stage) newCheck(*player) string {
	outcome := core.CheckOutcome{ProjectID: core.ID(s.record("/projects/:projectId")), Name: "adding", PlayedAt: core.At(time.Now())}
	if err := s.App.Store.Tables().CheckOutcomes.Put(s.T.Context(), outcome, []byte("picture")); err != nil {
		s.T.Fatal(err)
	}
	return outcome.Name
}

func (s *stage) newSignIn(*player) string {
	s.creator.Must(http.StatusOK, http.MethodPut, s.project()+"/backend/test/providers/google", storytest.Fields{"clientId": "id", "clientSecret": "secret"}, nil)
	return "google"
}

func (s *stage) newFile(*player) string {
	name := fmt.Sprintf("%s.txt", core.NewID())
	s.creator.Must(http.StatusCreated, http.MethodPut, s.project()+"/files/"+name, strings.NewReader("x"), nil)
	return name
}

// newVersion is one of the agent's.
func (s *stage) newVersion(*player) string {
	id, name := core.ID(s.record("/projects/:projectId")), core.MustPath(string(core.NewID())+".txt")
	changes := []core.FileChange{{Op: core.OpWrite, Path: name, Content: []byte("x")}}
	commit := vcs.Commit{Message: "x", Author: core.Author{Kind: core.AuthorAgent, Name: "Atelier"}}
	_, version, err := s.App.Pipeline.ApplyAndCommit(s.T.Context(), id, changes, commit)
	if err != nil {
		s.T.Fatal(err)
	}
	return version.ID
}

func (s *stage) newVariable(*player) string {
	key := "K" + strings.ReplaceAll(string(core.NewID()), "-", "")
	s.creator.Must(http.StatusNoContent, http.MethodPut, s.project()+"/env/"+key, storytest.Fields{"value": "x"}, nil)
	return key
}

func (s *stage) newDomain(*player) string {
	return s.owner.make("/domains/project/"+s.record("/projects/:projectId"), storytest.Fields{"domain": storytest.NewDomainName()})
}

func (s *stage) newDeployment(*player) string {
	s.creator.Must(http.StatusOK, http.MethodPost, s.project()+"/publish", storytest.Fields{"slug": s.slug()}, nil)
	return string(s.deployments()[0].ID)
}

// deployments are those of the project, the newest first.
func (s *stage) deployments() []core.Deployment {
	var found struct{ Items []core.Deployment }
	s.creator.Must(http.StatusOK, http.MethodGet, s.project()+"/deployments", nil, &found)
	return found.Items
}

// newSite publishes a project of its own.
func (s *stage) newSite(by *player) (id, slug string) {
	id = s.newProject(by)
	slug = "t" + strings.ReplaceAll(id, "-", "")
	s.creator.Must(http.StatusOK, http.MethodPost, "/projects/"+id+"/publish", storytest.Fields{"slug": slug}, nil)
	return id, slug
}

// newTakedown takes the site of a project of its own down.
func (s *stage) newTakedown(by *player) string {
	id, slug := s.newSite(by)
	s.player("admin of the installation").Must(http.StatusCreated, http.MethodPost, "/admin/takedowns", storytest.Fields{"slug": slug, "reason": "x"}, nil)
	return id
}

// overdueCredential is a browser's answer to a challenge that is over.
func overdueCredential() storytest.Fields {
	said, err := json.Marshal(storytest.Fields{"type": "webauthn.create", "challenge": core.NewSecret()})
	if err != nil {
		panic(err) // two texts
	}
	return storytest.Fields{"id": "x", "type": "public-key", "response": storytest.Fields{"clientDataJSON": base64.RawURLEncoding.EncodeToString(said)}}
}

// newCompany is an identity provider to make, at which nobody answers.
func newCompany(slug string) storytest.Fields {
	return storytest.Fields{"slug": slug, "name": "x", "issuer": "https://id.invalid", "clientId": "x", "clientSecret": "x"}
}

// newWebhook is a webhook to make.
func newWebhook() storytest.Fields {
	return storytest.Fields{"url": "https://receiver.invalid/hook", "events": []core.WebhookEvent{core.WebhookMemberChanged}}
}

// newConnector is a connector to make, at which nobody answers.
func newConnector() storytest.Fields {
	return storytest.Fields{"name": string(core.NewID()), "url": "https://tracker.invalid/mcp"}
}

// newDelivery sends a test to a webhook of its own stage.
func (s *stage) newDelivery(*player) string {
	s.T.Helper()
	workspace, webhook := s.record("/workspaces/:wid"), s.record("/workspaces/:wid/webhooks/:id")
	var sent struct{ ID string }
	s.owner.Must(http.StatusAccepted, http.MethodPost, "/workspaces/"+workspace+"/webhooks/"+webhook+"/test", nil, &sent)
	return sent.ID
}
