package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/agent/tools"
)

//go:generate go tool moq -out projectmock_test.go -pkg agent_test ./tools Project:projectMock

// counted keeps what a project is called with.
func counted(project tools.Project) *projectMock {
	return &projectMock{
		ListFunc: project.List, ReadFunc: project.Read, ApplyFunc: project.Apply, SearchFunc: project.Search, SyntaxFunc: project.Syntax,
		CheckFunc: project.Check, ConsoleFunc: project.Console, RunFunc: project.Run, NetworkFunc: project.Network,
		QueryFunc: project.Query, RequestFunc: project.Request, SchemaFunc: project.Schema,
	}
}

// TestAChangeReadsItsFileOnce counts reads of the tools that write: each is a question to
// everybody who edits the project, to the database and to the disk.
func TestAChangeReadsItsFileOnce(t *testing.T) {
	s := newScene()
	project := counted(s.project)
	s.alter = func(task *agent.Task) { task.Project = project }
	current := strings.Trim(etag(s.project.files["src/App.tsx"]), `"`)
	s.model.Call("edit_file", fmt.Sprintf(`{"path":"src/App.tsx","oldText":"Hello","newText":"Bye","hash":"%s"}`, current))
	s.model.Call("write_file", `{"path":"src/App.tsx","content":"<h1>Hi</h1>\n"}`)
	s.model.Call("write_file", `{"path":"src/new.ts","content":"1\n"}`)
	s.model.Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 0, false, "src/App.tsx modified, now with the hash "+strings.Trim(etag("<h1>Bye</h1>\n"), `"`))
	s.wantGiven(t, 1, false, "src/App.tsx modified, now with the hash "+strings.Trim(etag("<h1>Hi</h1>\n"), `"`))
	s.wantGiven(t, 2, false, "src/new.ts created, now with the hash "+strings.Trim(etag("1\n"), `"`))
	reads := 0
	for _, call := range project.ReadCalls() {
		if call.Path.Dir() == core.MustPath("src") {
			reads++
		}
	}
	if reads != 3 {
		t.Errorf("got %d reads for three changes, want 3", reads)
	}
	for i, creates := range []bool{false, false, true} {
		if s.intents[i].Creates != creates {
			t.Errorf("intent %d: got creates %v, want %v", i, s.intents[i].Creates, creates)
		}
	}
}
