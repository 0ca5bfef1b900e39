// Package httpapi serves the public interface over HTTP, which openapi.yaml describes.
//
// # The packages
//
// A request passes observe, the router of rest, and guard on its way to a handler.
//
//	rest       the web kit: routes, requests, answers, errors
//	observe    the middleware around all routes, health and metrics
//	guard      who calls, and whether they may: limits, origin, tokens, cookies
//	sse        server-sent events
//	manual     openapi.yaml as JSON, and as a page for people
//	sdk        the client in TypeScript that is written from openapi.yaml
//	conform    answers compared with openapi.yaml, in tests
//	mcp        the routes as tools of an MCP server
//	account, backends, chats, checks, comments, files, git, instance, projects, tasks, workspaces
//	           the handlers, by resource
//
// # Adding a route
//
// Every route is one line in Routes (routes.go):
//
//	rest.Call(http.MethodPatch, "/workspaces/:wid", core.ActionWorkspaceUpdate, workspaces.Update(d.Workspaces)),
//
// Call names the action of core's table of authorisation: the guard has found
// the caller and checked an API token's scope before the handler runs, and the
// use case checks the role. Open is for the few routes that need no session.
// GET routes serve HEAD too, and every other method of a known path is answered
// with 405 and Allow.
//
// Every route has its operation in openapi.yaml. Tests compare the two in both
// directions, and hold whatever the API answers in any test to the description.
//
// The handler is made by a function of its resource's package. It names what it
// depends on, owns its request and answer types, and is decode, call, encode:
//
//	func Update(service *workspaces.Service) rest.Handler {
//		type request struct {
//			Name *string `json:"name,omitempty"`
//		}
//		return func(w http.ResponseWriter, r *rest.Request) error {
//			id, err := r.ID("wid")
//			…
//			var body request
//			if err := r.Decode(&body); err != nil {
//				return err
//			}
//			space, err := service.Update(r.Context(), r.Actor, id, …)
//			…
//			return rest.WriteJSON(w, http.StatusOK, space)
//		}
//	}
//
// What a handler returns as an error is rendered for it by the code's status
// (rest/errors.go); an error without a code is "internal error" to the client and
// is in the log with its cause. In a request type a member is required
// unless its tag has omitempty, null is for pointers and rest.Optional, and whatever
// the type does not name is refused. Lists are answered by rest.WriteItems
// and rest.WritePage, with cursors for the places between pages; streams by sse.Open.
// A new use case is one more field of Deps.
package httpapi
