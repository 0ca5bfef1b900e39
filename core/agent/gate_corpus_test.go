package agent_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
)

// The limits of the gate before a write: none of 1,000 truncated or elided writes
// lands, and at most five of 1,000 good ones are refused. All are made from real
// files: the service's own templates and those in testdata/sources.
//
// What counts as truncated:
//   - Over an existing file, a cut at any byte at all, between two statements too:
//     it can be told by what it leaves out.
//   - The same after a change of another line. Then the cut takes at least
//     leastCut lines: a write that changes one line and drops the last two is no
//     different from one that is meant like this.
//   - As a new file, only a cut inside of a statement, a rule or an element. Between
//     two of them nothing can tell the beginning of a file from a file.
//   - By an edit, a newText that is cut inside of a statement: to delete whole ones
//     is what edits are for.
//
// A good write that drops only the last item of a file looks like one that is cut
// there. It is refused once, and counted.
const (
	badWrites   = 1000
	goodWrites  = 1000
	mostRefused = 5
	leastCut    = 6
)

// source is a real file.
type source struct{ path, text string }

func (s source) ext() string { return path.Ext(s.path) }

func (s source) lines() []string { return strings.SplitAfter(s.text, "\n") }

func realSources(t *testing.T) []source {
	t.Helper()
	var sources []source
	for _, root := range []string{"../../adapters/scaffold/templates", "../../adapters/scaffold/shared", "testdata/sources"} {
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".ts", ".tsx", ".js", ".css", ".html", ".json"}, path.Ext(name)) {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(root), name)
			if strings.Count(string(text), "\n") >= 5 {
				sources = append(sources, source{name, string(text)})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(sources) < 80 {
		t.Fatalf("got %d sources, want at least 80", len(sources))
	}
	return sources
}

// attempt is a call of a tool on a project with one file, or none.
type attempt struct {
	kind, path, before string
	tool               string
	args               map[string]string
}

func write(kind string, s source, before, content string) attempt {
	return attempt{kind, s.path, before, "write_file", map[string]string{"path": s.path, "content": content}}
}

func edit(kind string, s source, oldText, newText string) attempt {
	return attempt{kind, s.path, s.text, "edit_file", map[string]string{"path": s.path, "oldText": oldText, "newText": newText}}
}

// lands makes the call in a run of its own and reports whether the file changed.
func (a attempt) lands(t *testing.T, syntax build.SyntaxChecker) (landed bool, said string) {
	t.Helper()
	s := newScene()
	s.project.syntax, s.project.files = syntax, map[string]string{}
	if a.before != "" {
		s.project.files[a.path] = a.before
	}
	args, err := json.Marshal(a.args)
	if err != nil {
		t.Fatal(err)
	}
	s.model.Call("read_file", fmt.Sprintf(`{"path":%q}`, a.path)).Call(a.tool, string(args)).Say("Done.")
	s.run(t.Context())
	said, failed := s.given(t, 1)
	if landed = s.project.files[a.path] != a.before; landed == failed {
		t.Fatalf("%s of %s: got %q (failed %v), but the file changed: %v", a.kind, a.path, said, failed, landed)
	}
	return landed, said
}

// maker makes attempts; false when a source has no place for the kind.
type maker struct {
	kind  string
	share int
	make  func(random *rand.Rand, s source) (attempt, bool)
}

// attempts makes the wanted number of attempts by the shares of the makers, in
// rounds over the sources.
func attempts(t *testing.T, sources []source, makers []maker, wanted int) []attempt {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 7))
	var made []attempt
	for _, m := range makers {
		for n, tries := 0, 0; n < m.share; tries++ {
			if tries > 100*m.share {
				t.Fatalf("%s: got %d attempts, want %d", m.kind, n, m.share)
			}
			if a, possible := m.make(random, sources[tries%len(sources)]); possible {
				a.kind = m.kind
				made = append(made, a)
				n++
			}
		}
	}
	if len(made) != wanted {
		t.Fatalf("got %d attempts, want %d", len(made), wanted)
	}
	return made
}

func openChecker(t *testing.T) build.SyntaxChecker {
	t.Helper()
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return builder
}

func TestNoTruncatedOrElidedWriteLands(t *testing.T) {
	t.Parallel()
	checker, sources := openChecker(t), realSources(t)
	landed := map[string]int{}
	for _, a := range attempts(t, sources, badMakers(), badWrites) {
		if got, _ := a.lands(t, checker); got {
			landed[a.kind]++
			t.Errorf("%s of %s: it landed:\n%s", a.kind, a.path, tail(a.args["content"]+a.args["newText"]))
		}
	}
	t.Logf("landed by kind: %v", landed)
}

func TestAtMostFiveOfAThousandGoodWritesAreRefused(t *testing.T) {
	t.Parallel()
	checker, sources := openChecker(t), realSources(t)
	refused := map[string]int{}
	total := 0
	for _, a := range attempts(t, sources, goodMakers(sources), goodWrites) {
		if got, said := a.lands(t, checker); !got {
			total++
			refused[a.kind]++
			t.Logf("%s of %s was refused: %.400s", a.kind, a.path, said)
		}
	}
	t.Logf("refused by kind: %v", refused)
	if total > mostRefused {
		t.Errorf("got %d refused, want at most %d", total, mostRefused)
	}
}

func tail(text string) string { return text[max(0, len(text)-300):] }
