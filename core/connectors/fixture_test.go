package connectors_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/mcpclient"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/ports/storage"
)

// toolRecord is a tool as the server of these tests writes it.
type toolRecord struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema any    `json:"inputSchema"`
}

// plain is a harmless schema.
func plain() any { return map[string]any{"type": "object"} }

func clean() []toolRecord { return []toolRecord{{"read", "Reads an issue.", plain()}} }

// rogue is an MCP server that does what a test says. actions counts the calls that reached it.
type rogue struct {
	mu      sync.Mutex
	tools   []toolRecord
	answer  any
	actions int
	// instead answers in its place, if it returns true.
	instead func(w http.ResponseWriter, r *http.Request, method string) bool
	url     string
}

func newRogue(t *testing.T) *rogue {
	s := &rogue{tools: clean(), answer: map[string]any{"content": []any{map[string]any{"type": "text", "text": "done"}}}}
	web := httptest.NewServer(s)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	s.url = web.URL + "/mcp"
	return s
}

func (s *rogue) set(change func(*rogue)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *rogue) acted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.actions
}

// ServeHTTP implements http.Handler.
func (s *rogue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params map[string]any  `json:"params"`
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &message)
	r.Header.Set(idHeader, string(message.ID))
	s.mu.Lock()
	if message.Method == "tools/call" {
		s.actions++
	}
	tools, answer, instead := s.tools, s.answer, s.instead
	s.mu.Unlock()
	if instead != nil && instead(w, r, message.Method) {
		return
	}
	if len(message.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch message.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "s", "version": "1"}}
	case "tools/list":
		result = map[string]any{"tools": tools}
	case "tools/call":
		result = answer
	default:
		reply(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, message.ID))
		return
	}
	text, _ := json.Marshal(result)
	reply(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, message.ID, text))
}

// idHeader tells who answers in the server's place the id of the request.
const idHeader = "X-Test-Id"

func reply(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

// office is a workspace with an admin and connectors.
type office struct {
	*connectors.Service
	*connectors.Toolbox
	t             *testing.T
	store         storage.Store
	space         core.ID
	admin, member core.Actor
}

func newOffice(t *testing.T) *office {
	t.Helper()
	store := memory.NewStore()
	trail := audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	guard := netguard.New(true)
	deps := connectors.Deps{Store: store, Audit: trail, Sealer: memory.NewSealer(), Guard: guard, Client: mcpclient.New(guard), Now: time.Now}
	o := &office{Service: connectors.NewService(deps), Toolbox: connectors.NewToolbox(deps), t: t, store: store}
	space := core.NewWorkspace("Team", false, nil, core.At(time.Now()))
	o.must(store.Tables().Workspaces.Create(t.Context(), space))
	o.space, o.admin, o.member = space.ID, core.Actor{UserID: core.NewID()}, core.Actor{UserID: core.NewID()}
	for user, role := range map[core.ID]core.Role{o.admin.UserID: core.RoleAdmin, o.member.UserID: core.RoleMember} {
		person := core.User{ID: user, Email: string(user) + "@example.com", CreatedAt: core.At(time.Now())}
		o.must(store.Tables().Users.Create(t.Context(), person))
		o.must(store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space.ID, UserID: user, Role: role}))
	}
	return o
}

func (o *office) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// connect adds a connector, and allows all of its tools.
func (o *office) connect(name, url string, consent core.Consent) connectors.Connector {
	o.t.Helper()
	made, err := o.Create(o.t.Context(), o.admin, o.space, connectors.Input{Name: &name, URL: &url})
	o.must(err)
	var enabled []connectors.EnabledTool
	for _, tool := range made.Tools {
		enabled = append(enabled, connectors.EnabledTool{Name: tool.Name, Consent: consent})
	}
	made, err = o.Update(o.t.Context(), o.admin, o.space, made.ID, connectors.Input{EnabledTools: &enabled})
	o.must(err)
	return made
}

func (o *office) request(connector, tool string) connectors.Request {
	return connectors.Request{Workspace: o.space, Connector: connector, Tool: tool, Args: json.RawMessage(`{}`)}
}

// hurry gives servers that never answer only a moment. Those that do answer may be too slow for it.
func (o *office) hurry() {
	deps := o.Toolbox.Deps
	deps.Client = mcpclient.NewWithin(netguard.New(true), time.Second, time.Second)
	o.Service, o.Toolbox = connectors.NewService(deps), connectors.NewToolbox(deps)
}
