package mcp

import (
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a route of the API that programs call by a name.
type Tool struct {
	// Name is in snake case.
	Name string
	// Method and Pattern name the route, as rest.Route has them.
	Method, Pattern string
	// fixed are members whose values programs cannot choose.
	fixed map[string]any
	// without are members that the tool does not have.
	without []string
	// note is added to what openapi.yaml says about the route.
	note string
	// play sends the request and makes the result; nil returns the whole answer.
	play func(c *call) *sdk.CallToolResult
}

// fileReader is the tool that also reads the resources.
const fileReader = "read_file"

// Notes on tools that are not quite their routes.
const (
	noteBegin   = "The run goes on by itself: the answer has the chatId and, as `after`, where follow_run begins."
	noteFollow  = "Waits at most 25 seconds for events and returns them without the pieces of texts, which come whole. While `ended` is false, call it again with the returned `after`."
	noteResolve = "Resolve a thread when the page is as its comment asks, and reply with what you did."
	notePublish = "What would lose live data, or open it to strangers, is refused: a person confirms that in Atelier."
)

// Tools are all tools, in the order in which they are listed.
func Tools() []Tool {
	const project, records = "/projects/:projectId", "/projects/:projectId/backend/:env/collections/:name/records"
	detached := map[string]any{"detach": true}
	return []Tool{
		{Name: "list_workspaces", Method: http.MethodGet, Pattern: "/workspaces"},
		{Name: "list_templates", Method: http.MethodGet, Pattern: "/templates"},
		{Name: "list_projects", Method: http.MethodGet, Pattern: "/projects"},
		{Name: "create_project", Method: http.MethodPost, Pattern: "/workspaces/:wid/projects"},
		{Name: "get_project", Method: http.MethodGet, Pattern: project},

		{Name: "list_files", Method: http.MethodGet, Pattern: project + "/files"},
		{Name: "search_files", Method: http.MethodGet, Pattern: project + "/files/search"},
		{Name: fileReader, Method: http.MethodGet, Pattern: project + "/files/*path"},
		{Name: "write_file", Method: http.MethodPut, Pattern: project + "/files/*path"},
		{Name: "change_files", Method: http.MethodPost, Pattern: project + "/files/bulk"},
		{Name: "check_types", Method: http.MethodPost, Pattern: project + "/typecheck"},

		{Name: "list_chats", Method: http.MethodGet, Pattern: project + "/chats"},
		{Name: "create_chat", Method: http.MethodPost, Pattern: project + "/chats"},
		{Name: "send_message", Method: http.MethodPost, Pattern: "/chat/:projectId/messages", fixed: detached, without: []string{"attachments"}, note: noteBegin, play: begin},
		{Name: "follow_run", Method: http.MethodGet, Pattern: "/chat/:projectId/stream", note: noteFollow, play: follow},
		{Name: "stop_run", Method: http.MethodPost, Pattern: "/chat/:projectId/stop"},
		{Name: "ask_for_plan", Method: http.MethodPost, Pattern: "/plan/:projectId", fixed: detached, without: []string{"attachments"}, note: noteBegin, play: begin},
		{Name: "get_plan", Method: http.MethodGet, Pattern: "/plan/:projectId"},
		{Name: "run_plan", Method: http.MethodPost, Pattern: "/plan/:projectId/run", fixed: detached, note: noteBegin, play: begin},

		{Name: "list_comments", Method: http.MethodGet, Pattern: project + "/comments"},
		{Name: "reply_to_comment", Method: http.MethodPost, Pattern: project + "/comments/:commentId/replies"},
		{Name: "resolve_comment", Method: http.MethodPatch, Pattern: project + "/comments/:commentId", without: []string{"text"}, note: noteResolve},

		{Name: "list_versions", Method: http.MethodGet, Pattern: project + "/versions"},
		{Name: "get_version", Method: http.MethodGet, Pattern: project + "/versions/:sha"},
		{Name: "save_version", Method: http.MethodPost, Pattern: project + "/versions", without: []string{"automatic"}},
		{Name: "undo_version", Method: http.MethodPost, Pattern: project + "/versions/:sha/undo"},
		{Name: "restore_version", Method: http.MethodPost, Pattern: project + "/versions/:sha/restore"},

		{Name: "get_preview", Method: http.MethodGet, Pattern: project + "/preview"},
		{Name: "look_at_version", Method: http.MethodPost, Pattern: project + "/versions/:sha/look"},
		{Name: "get_picture", Method: http.MethodGet, Pattern: project + "/thumbnail", without: []string{"v"}},
		{Name: "list_checks", Method: http.MethodGet, Pattern: project + "/checks"},
		{Name: "run_checks", Method: http.MethodPost, Pattern: project + "/checks/run"},

		{Name: "get_backend", Method: http.MethodGet, Pattern: project + "/backend"},
		{Name: "list_records", Method: http.MethodGet, Pattern: records, fixed: map[string]any{"env": "test"}},
		{Name: "list_variables", Method: http.MethodGet, Pattern: project + "/env"},
		{Name: "set_variable", Method: http.MethodPut, Pattern: project + "/env/:key"},
		{Name: "delete_variable", Method: http.MethodDelete, Pattern: project + "/env/:key"},

		// Only a person confirms what is lost or open, and only in the studio.
		{Name: "publish", Method: http.MethodPost, Pattern: project + "/publish", without: []string{"acceptDataLoss", "acceptFindings", "ignoreChecks"}, note: notePublish},
		{Name: "list_deployments", Method: http.MethodGet, Pattern: project + "/deployments"},
		{Name: "roll_back", Method: http.MethodPost, Pattern: project + "/deployments/:deploymentId/rollback"},
	}
}
