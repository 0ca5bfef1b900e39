package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/process"
)

// The binary opens the network of its own commands.
func TestACommandOfTheAgentReachesWhatTheWorkspaceAllows(t *testing.T) {
	command := "curl -sS http://evil.test/; curl -sS http://gone.allowed.test/; curl -sS -m 5 --noproxy '*' http://1.1.1.1/; true"
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+commandingOllama(t, command), "AI_MODEL=m", "SANDBOX=bwrap")
	w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create("static-html")
	var workspace struct{ CommandHosts []string }
	w.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(w.workspace), map[string]any{"commandHosts": []string{"*.allowed.test"}}, &workspace)
	if len(workspace.CommandHosts) != 1 {
		t.Fatalf("got %v, want the host that was set", workspace.CommandHosts)
	}
	for _, e := range w.send("Run it.") {
		if e.kind() != "tool.result" && e.kind() != "tool.error" {
			continue
		}
		result, _ := e.data["result"].(string)
		for _, want := range []string{
			"may not reach evil.test, only: *.allowed.test", "gone.allowed.test could not be reached", "Failed to connect to 1.1.1.1", "The network refused it these hosts: evil.test.",
		} {
			if !strings.Contains(result, want) {
				t.Errorf("got %s %v, want %q in it", e.kind(), e.data, want)
			}
		}
		return
	}
	t.Error("got no outcome of the command")
}
