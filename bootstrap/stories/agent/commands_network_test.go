package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// The binary opens the network of its own commands.
func TestACommandOfTheAgentReachesWhatTheWorkspaceAllows(t *testing.T) {
	command := "curl -sS http://evil.test/; curl -sS http://gone.allowed.test/; curl -sS -m 5 --noproxy '*' http://1.1.1.1/; true"
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+commandingOllama(t, command), "AI_MODEL=m", "SANDBOX=bwrap")
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	var workspace struct{ CommandHosts []string }
	w.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(w.Workspace), map[string]any{"commandHosts": []string{"*.allowed.test"}}, &workspace)
	if len(workspace.CommandHosts) != 1 {
		t.Fatalf("got %v, want the host that was set", workspace.CommandHosts)
	}
	for _, e := range w.Send("Run it.") {
		if e.Kind() != "tool.result" && e.Kind() != "tool.error" {
			continue
		}
		result, _ := e.Data["result"].(string)
		for _, want := range []string{
			"may not reach evil.test, only: *.allowed.test", "gone.allowed.test could not be reached", "Failed to connect to 1.1.1.1", "The network blocked these hosts: evil.test.",
		} {
			if !strings.Contains(result, want) {
				t.Errorf("got %s %v, want %q in it", e.Kind(), e.Data, want)
			}
		}
		return
	}
	t.Error("got no outcome of the command")
}
