package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// TestResultsSayHowToGetTheRest: in a window of 8,000 tokens a result has some 6,000
// bytes.
func TestResultsSayHowToGetTheRest(t *testing.T) {
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line number %d of the file", i+1)
	}
	for name, c := range map[string]struct {
		tool, args string
		want       []string
	}{
		"a large file":         {"read_file", `{"path":"big.txt"}`, []string{"big.txt hash ", ", only lines 1 to ", " of 1000: continue with from ", "line number 1 of"}},
		"its middle":           {"read_file", `{"path":"big.txt","from":500,"to":502}`, []string{"only lines 500 to 502 of 1000: continue with from 503", "\nline number 500 of", "number 502 of the file\n"}},
		"its end":              {"read_file", `{"path":"big.txt","from":"999"}`, []string{", lines 999 to 1000 of 1000\nline number 999"}},
		"past its end":         {"read_file", `{"path":"big.txt","from":1001}`, []string{"the file has 1000 lines"}},
		"the wrong way round":  {"read_file", `{"path":"big.txt","from":9,"to":3}`, []string{"no lines from 9 to 3"}},
		"one endless line":     {"read_file", `{"path":"min.js"}`, []string{"of 90000 bytes of line 1 of 1", "search_files"}},
		"too many files":       {"list_files", `{}`, []string{"src/ (400 files)\n", "big.txt ("}},
		"too many in a folder": {"list_files", `{"path":"src"}`, []string{"src/part-0000.tsx (", " more: continue with from "}},
		"the rest of them":     {"list_files", `{"path":"./src/","from":390}`, []string{"src/part-0389.tsx ("}},
		"a folder outside":     {"list_files", `{"path":"../x"}`, []string{"path_traversal"}},
		"too many matches":     {"search_files", `{"query":"value","maxResults":400}`, []string{":1:1: value", " more: continue with from "}},
		"a long command":       {"run_command", `{"command":"shout"}`, []string{"Exit code 0.\nloud", " bytes left out; reduce its output", "loud\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.small()
			fill(s.project, 16<<10)
			s.project.files = map[string]string{"big.txt": strings.Join(lines, "\n") + "\n", "min.js": strings.Repeat("x();", 22_500)}
			for i := range 400 {
				s.project.files[fmt.Sprintf("src/part-%04d.tsx", i)] = "value"
			}
			s.project.commands["shout"] = func(map[string]string) (string, []core.FileChanged, error) {
				return "Exit code 0.\n" + strings.Repeat("loud\n", 10_000), nil, nil
			}
			s.model.Call(c.tool, c.args).Say("Fine.")
			s.run(t.Context())
			got, _ := s.given(t, 0)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %.300q … %q, want %q in it", got, got[max(0, len(got)-200):], want)
				}
			}
			if len(got) > 6200 {
				t.Errorf("got %d bytes, want a quarter of the prompt", len(got))
			}
		})
	}
}

// TestToolsTakePathsAndNamesAsModelsWriteThem: no step is lost.
func TestToolsTakePathsAndNamesAsModelsWriteThem(t *testing.T) {
	for name, call := range map[string]ai.Call{
		"a dot in front":        {Tool: "read_file", Args: []byte(`{"path":"./src/App.tsx"}`)},
		"a slash in front":      {Tool: "read_file", Args: []byte(`{"path":"/src/App.tsx"}`)},
		"accents apart":         {Tool: "read_file", Args: []byte(`{"path":"cafe` + "\u0301" + `.txt"}`)},
		"a namespace":           {Tool: "functions.read_file", Args: []byte(`{"path":"src/App.tsx"}`)},
		"capitals":              {Tool: "Read_File", Args: []byte(`{"path":"src/App.tsx"}`)},
		"a hyphen":              {Tool: "read-file", Args: []byte(`{"path":"src/App.tsx"}`)},
		"a hump":                {Tool: "readFile", Args: []byte(`{"path":"src/App.tsx"}`)},
		"a brace too many":      {Tool: "read_file", Args: []byte(`{"path":"src/App.tsx"}}`)},
		"a remark":              {Tool: "read_file", Args: []byte(`{"path":"src/App.tsx","explanation":"to see it"}`)},
		"a member too many":     {Tool: "check_build", Args: []byte(`{"verbose":true}`)},
		"numbers that are text": {Tool: "read_file", Args: []byte(`{"path":"src/App.tsx","from":"1","to":null}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.project.files["café.txt"] = "Hello"
			s.model.Answer(ai.Chunk{Call: &call}).Say("Fine.")
			s.run(t.Context())
			if got, failed := s.given(t, 0); failed || !strings.Contains(got, "Hello") && !strings.Contains(got, "Build succeeded") {
				t.Errorf("got %q (failed %v), want the result", got, failed)
			}
		})
	}
	s := newScene()
	s.model.Call("Write-File", `{"path":"/etc/passwd","content":"x"}`).Say("Fine.")
	s.run(t.Context())
	if s.project.files["etc/passwd"] != "x" {
		t.Errorf("got %v, want the file within the project", s.project.files)
	}
}
