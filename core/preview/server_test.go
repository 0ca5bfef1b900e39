package preview_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// vueManifest is the package.json of a project whose own tools make its pages.
const vueManifest = `{"scripts": {"dev": "serve it"}, "dependencies": {"vue": "^3.5.0"}}`

// The command lines of its plan.
const (
	serveLine   = "serve it"
	installLine = "npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=warn"
)

// vite answers like a development server: a page, a module, and 500 for a module
// that is broken.
type vite struct{ broken atomic.Bool }

func (v *vite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<script type="module" src="/@vite/client"></script><script type="module" src="/src/main.js"></script>`)
	case "/src/main.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, `import App from "/src/App.vue?t=1"; import { x } from "/node_modules/.vite/deps/vue.js"`)
	case "/src/App.vue":
		if v.broken.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
	default:
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// playNode plays a project with a development server.
func playNode(t *testing.T, does memory.ToolScript, test func(t *testing.T, s *studio)) {
	play(t, func(t *testing.T, s *studio) {
		s.tools.Script(serveLine, does)
		s.write("package.json", vueManifest)
		test(t, s)
	})
}

// settle polls the preview until it is no longer starting.
func (s *studio) settle() preview.Status {
	s.t.Helper()
	for range 300 {
		if got := s.start(); got.Status != preview.StateStarting {
			return got
		}
		idle(time.Second)
	}
	s.t.Fatal("got a preview that starts for ever")
	return preview.Status{}
}

// count returns how often a line was run.
func (s *studio) count(line string) int {
	found := 0
	for _, run := range s.tools.Lines() {
		if run == line {
			found++
		}
	}
	return found
}

// body asks a server for its page.
func body(t *testing.T, server *preview.Server) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return server.Dial(ctx) },
	}}
	response, err := client.Get("http://x/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestDevelopmentServers(t *testing.T) {
	t.Run("answer for projects whose own tools make their pages", func(t *testing.T) {
		playNode(t, memory.ToolScript{Serves: &vite{}}, func(t *testing.T, s *studio) {
			got := s.settle()
			if got.Status != preview.StateReady || got.Runtime != builds.RuntimeNode || !strings.Contains(got.Reason, "vue") || got.Progress != "" {
				t.Errorf("got %+v, want it ready on node because of vue", got)
			}
			shown, err := s.preview.Page(t.Context(), s.project)
			s.must(err)
			if shown.Server == nil || shown.Build != nil || !strings.Contains(body(t, shown.Server), "/src/main.js") {
				t.Errorf("got %+v, want the server's page", shown)
			}
			if lines := strings.Join(s.tools.Lines(), ", "); lines != installLine+", "+serveLine {
				t.Errorf("got %q run, want an installation and the server", lines)
			}
		})
	})

	t.Run("are asked for all modules after a change", func(t *testing.T) {
		server := &vite{}
		playNode(t, memory.ToolScript{Serves: server}, func(t *testing.T, s *studio) {
			s.settle()
			before := s.preview.Server(s.project)
			server.broken.Store(true)
			s.write("src/App.vue", "<template>")
			wrong, _, err := s.preview.Check(t.Context(), s.project)
			s.must(err)
			if len(wrong) != 1 || wrong[0].Path != "src/App.vue" || !strings.Contains(wrong[0].Message, "500") {
				t.Errorf("got %+v, want the module that cannot be made", wrong)
			}
			if got := s.start(); got.Status != preview.StateError || s.preview.Server(s.project) != before {
				t.Errorf("got %+v, want the error told while the server goes on", got)
			}
			server.broken.Store(false)
			s.write("src/App.vue", "<template></template>")
			wrong, _, err = s.preview.Check(t.Context(), s.project)
			s.must(err)
			if len(wrong) != 0 || s.count(serveLine) != 1 || s.count(installLine) != 1 {
				t.Errorf("got %+v after %v, want it mended by the same server", wrong, s.tools.Lines())
			}
		})
	})

	t.Run("start anew when packages, scripts or environment values change", func(t *testing.T) {
		playNode(t, memory.ToolScript{Serves: &vite{}}, func(t *testing.T, s *studio) {
			s.settle()
			first := s.preview.Server(s.project)
			s.write("package.json", strings.Replace(vueManifest, "^3.5.0", "^3.5.1", 1))
			s.mustCheck()
			second := s.preview.Server(s.project)
			if s.count(installLine) != 2 || s.count(serveLine) != 2 || second == nil || second.ID == first.ID {
				t.Errorf("packages: got %v, want another installation and server", s.tools.Lines())
			}
			s.must(s.environment.Put(t.Context(), s.owner, s.project, "VITE_NAME", "x"))
			s.mustCheck()
			if s.count(installLine) != 2 || s.count(serveLine) != 3 {
				t.Errorf("environment: got %v, want another server", s.tools.Lines())
			}
			s.write("package.json", `{"name": "x", `+strings.Replace(vueManifest, "^3.5.0", "^3.5.1", 1)[1:])
			s.mustCheck()
			if s.count(installLine) != 2 || s.count(serveLine) != 3 {
				t.Errorf("a name: got %v, want nothing new", s.tools.Lines())
			}
		})
	})

	t.Run("end when the project is built in process again", func(t *testing.T) {
		playNode(t, memory.ToolScript{Serves: &vite{}}, func(t *testing.T, s *studio) {
			s.settle()
			s.write("package.json", `{"dependencies": {}}`)
			s.mustCheck()
			if got := s.start(); got.Runtime != builds.RuntimeGo || s.preview.Server(s.project) != nil || s.shown() != page {
				t.Errorf("got %+v, want the page that this process made", got)
			}
		})
	})

	t.Run("that crash come back, ever more slowly, and in the end not before files change", func(t *testing.T) {
		playNode(t, memory.ToolScript{Serves: &vite{}}, func(t *testing.T, s *studio) {
			s.settle()
			for i, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
				before := s.count(serveLine)
				s.tools.Crash(s.project, toolchain.Outcome{Ended: "memory"})
				synctest.Wait()
				if got := s.start(); got.Status != preview.StateError || !strings.Contains(got.Diagnostics[0].Message, "too much memory") {
					t.Fatalf("crash %d: got %+v, want it told", i+1, got)
				}
				idle(pause - 2*time.Millisecond)
				if got := s.count(serveLine); got != before {
					t.Fatalf("crash %d: got a start before %s", i+1, pause)
				}
				idle(time.Second)
				if got := s.count(serveLine); got != before+1 || s.settle().Status != preview.StateReady {
					t.Fatalf("crash %d: got %d starts, want one more", i+1, got-before)
				}
			}
			s.tools.Crash(s.project, toolchain.Outcome{ExitCode: 1})
			idle(10 * time.Minute)
			if s.preview.Server(s.project) != nil {
				t.Error("after five crashes: got a server, want none")
			}
			s.write("README.md", "x")
			s.mustCheck()
			if s.preview.Server(s.project) == nil {
				t.Error("after a change: got no server, want one")
			}
		})
	})

	t.Run("that end at once are told of, until files change", func(t *testing.T) {
		playNode(t, memory.ToolScript{Ends: true, Says: []string{"cannot begin"}, Outcome: toolchain.Outcome{ExitCode: 3}}, func(t *testing.T, s *studio) {
			got := s.settle()
			if got.Status != preview.StateError || !strings.Contains(got.Diagnostics[0].Message, "exit code 3") || !strings.Contains(got.Diagnostics[0].Message, "cannot begin") {
				t.Errorf("got %+v, want how it ended and what it said", got)
			}
			s.tools.Script(serveLine, memory.ToolScript{Serves: &vite{}})
			s.write("README.md", "x")
			s.mustCheck()
			if s.preview.Server(s.project) == nil {
				t.Error("after a change: got no server, want one")
			}
		})
	})

	t.Run("that never answer are given up", func(t *testing.T) {
		playNode(t, memory.ToolScript{Mute: true}, func(t *testing.T, s *studio) {
			began := time.Now()
			got := s.settle()
			if took := time.Since(began); got.Status != preview.StateError || took > 2*time.Minute || !strings.Contains(got.Diagnostics[0].Message, "answer") {
				t.Errorf("got %+v after %s, want an error soon after 90 seconds", got, took)
			}
		})
	})

	t.Run("tell what is done before they answer", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.tools.Script(installLine, memory.ToolScript{Endless: true})
			s.write("package.json", vueManifest)
			got := s.start()
			shown, err := s.preview.Page(t.Context(), s.project)
			s.must(err)
			if got.Status != preview.StateStarting || got.Progress != "Installing packages…" || shown.Progress != got.Progress || shown.Server != nil {
				t.Errorf("got %+v and %+v, want the installation under way", got, shown)
			}
			s.must(s.preview.Stop(t.Context(), s.owner, s.project))
		})
	})

	t.Run("start for the first caller, however long the search for tools took", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.maker.looking.Store(int64(5 * time.Second))
			s.tools.Script(serveLine, memory.ToolScript{Serves: &vite{}})
			s.write("package.json", vueManifest)
			s.start()
			idle(time.Minute)
			if s.preview.Server(s.project) == nil {
				t.Error("got no server, want it started by the one who asked")
			}
		})
	})

	t.Run("end with their session", func(t *testing.T) {
		playNode(t, memory.ToolScript{Serves: &vite{}}, func(t *testing.T, s *studio) {
			s.settle()
			shown := s.preview.Server(s.project)
			idle(16 * time.Minute)
			if _, err := shown.Dial(t.Context()); err == nil || s.preview.Server(s.project) != nil {
				t.Errorf("got %v, want no server after 15 minutes without interest", err)
			}
		})
	})
}

// mustCheck waits for the result of the current files.
func (s *studio) mustCheck() {
	s.t.Helper()
	wrong, _, err := s.preview.Check(s.t.Context(), s.project)
	s.must(err)
	if len(wrong) > 0 {
		s.t.Fatalf("got %+v, want nothing wrong", wrong)
	}
	synctest.Wait()
}

func TestWithoutToolsAPreviewSaysWhatToInstall(t *testing.T) {
	playNode(t, memory.ToolScript{}, func(t *testing.T, s *studio) {
		s.tools.SetMissing(true)
		if _, err := s.preview.Start(t.Context(), s.owner, s.project); !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("got %v, want sandbox_unavailable", err)
		}
		shown, err := s.preview.Page(t.Context(), s.project)
		s.must(err)
		if len(shown.Diagnostics) != 1 || !strings.Contains(shown.Diagnostics[0].Message, "install bubblewrap and nodejs") {
			t.Errorf("got %+v, want what to install", shown)
		}
	})
}

// neighbour makes another workspace, where projects are made from then on.
func (s *studio) neighbour(name string) {
	s.t.Helper()
	s.space = core.NewID()
	tables := s.store.Tables()
	s.must(tables.Workspaces.Create(s.t.Context(), core.Workspace{ID: s.space, Name: name, Slug: name}))
	s.must(tables.Workspaces.PutMember(s.t.Context(), core.Membership{WorkspaceID: s.space, UserID: s.owner.UserID, Role: core.RoleOwner}))
}

func TestAPreviewIsBuiltOnItsWorkspacesAccount(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		s.start()
		if got := s.maker.tenant.Load(); got != s.space {
			t.Errorf("got a build of the tenant %v, want the workspace %s", got, s.space)
		}
	})
}

func TestOneWorkspacesServersDoNotEndAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, preview.Settings{Scheme: "http", Domain: "preview.test", MaxServers: 3})
		s.tools.Script(serveLine, memory.ToolScript{Serves: &vite{}})
		s.write("package.json", vueManifest)
		s.settle()
		mine := s.project
		idle(time.Second)
		s.neighbour("greedy")
		var theirs []core.ID
		for _, slug := range []string{"a", "b", "c", "d"} {
			s.project = s.newProject(slug)
			s.write("package.json", vueManifest)
			s.settle()
			theirs = append(theirs, s.project)
			idle(time.Second)
		}
		if s.preview.Server(mine) == nil {
			t.Error("got the first workspace's only server ended for the second's fourth")
		}
		if s.preview.Server(theirs[1]) != nil || s.preview.Server(theirs[3]) == nil {
			t.Error("got another one to give way than the greedy workspace's own that was used the longest ago")
		}
		s.preview.Close()
	})
}

func TestThereAreSoManyServersAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, preview.Settings{Scheme: "http", Domain: "preview.test", MaxServers: 2})
		s.tools.Script(serveLine, memory.ToolScript{Serves: &vite{}})
		var made []core.ID
		for _, slug := range []string{"a", "b", "c"} {
			s.project = s.newProject(slug)
			s.write("package.json", vueManifest)
			s.settle()
			made = append(made, s.project)
			idle(time.Second)
		}
		if s.preview.Server(made[0]) != nil || s.preview.Server(made[1]) == nil || s.preview.Server(made[2]) == nil {
			t.Error("got another set of servers than the last two, want these")
		}
		idle(time.Second)
		s.preview.Server(made[2])
		s.project = made[0]
		s.settle()
		if s.preview.Server(made[0]) == nil || s.preview.Server(made[1]) != nil {
			t.Error("got the first not back in place of the second, want it so")
		}
		s.preview.Close()
	})
}
