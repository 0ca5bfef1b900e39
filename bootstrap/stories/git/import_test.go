package git_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// gitServer serves the bare repositories of a folder with the stock server.
func gitServer(t *testing.T) (address, root string) {
	t.Helper()
	place, err := storytest.StockGit("/", "--exec-path")
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(place), "git-http-backend"), Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	server := httptest.NewServer(backend)
	t.Cleanup(server.Close)
	return server.URL, root
}

// repositoryAt makes a bare repository with a commit for each map of files; "-" takes a
// file away.
func repositoryAt(t *testing.T, root, name string, commits ...map[string]string) *checkout {
	t.Helper()
	c := &checkout{t, t.TempDir()}
	c.git("init", "-q", "-b", "trunk")
	for i, files := range commits {
		for path, content := range files {
			if content == "-" {
				c.git("rm", "-q", path)
				continue
			}
			c.write(path, content)
		}
		c.commit(fmt.Sprintf("Commit %d", i+1))
	}
	c.publish(root, name)
	return c
}

// publish makes a bare copy that a server serves.
func (c *checkout) publish(root, name string) {
	c.t.Helper()
	if out, err := storytest.StockGit("/", "clone", "-q", "--bare", c.dir, filepath.Join(root, name)); err != nil {
		c.t.Fatalf("clone: %v\n%s", err, out)
	}
}

// importsGit asks for an import.
func importsGit(c *storytest.Caller, address string) storytest.Answer {
	return c.Do(http.MethodPost, c.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address})
}

// mustImportGit imports and returns the project.
func mustImportGit(c *storytest.Caller, address string) *storytest.Work {
	c.T.Helper()
	w := &storytest.Work{Caller: c}
	c.Must(http.StatusCreated, http.MethodPost, c.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address}, &w.Project)
	return w
}

// private lets addresses of this machine be imported from.
func private(t testing.TB, program storytest.Program) map[string]string {
	env := map[string]string{"PRIVATE_NETWORKS": "allow"}
	for name, value := range program.Env(t) {
		env[name] = value
	}
	return env
}

func TestARepositoryIsImportedWithItsHistory(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		address, root := gitServer(t)
		c := repositoryAt(t, root, "shop.git", map[string]string{"index.html": "1", "a/b.txt": "b"}, map[string]string{"index.html": "2", "a/b.txt": "-", "empty": ""})
		dir := t.TempDir()
		w := mustImportGit(storytest.Serve(t, dir, program.Make, private(t, program)).SignUp(), address+"/shop.git")
		wantInStep(w, c, dir)
		w.WantVersions("user 3 Commit 2")
		w.Put("index.html", "3")
		clone := clone(w)
		if got := clone.git("rev-parse", "HEAD"); got != c.git("rev-parse", "HEAD") {
			t.Errorf("got %s cloned again, want the commit that was imported", got)
		}
	})
}

func TestAProjectIsImportedFromAProject(t *testing.T) {
	dir := t.TempDir()
	w := storytest.Serve(t, dir, local.New, private(t, storytest.Programs()["local"])).SignUp().Create("vite-react")
	c := clone(w)
	c.write("pushed.sh", "x")
	if err := os.Chmod(filepath.Join(c.dir, "pushed.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.commit("Pushed")
	c.git("push", "-q", "origin", "main")
	token := apiToken(w.Caller, core.ScopeProjectsRead)
	copied := mustImportGit(w.Caller, w.GitURL(token))
	wantInStep(copied, c, dir)
	for _, v := range copied.Versions() {
		if strings.Contains(v.Message, token) {
			t.Errorf("got the token in %q", v.Message)
		}
	}
	if got := importsGit(w.Caller, w.GitURL(token+"wrong")); got.Code() != core.CodeValidationFailed || strings.Contains(string(got.Body), token) || !strings.Contains(string(got.Body), "gitUrl: the server refused the credentials") {
		t.Errorf("got %d %s, want credentials asked for and none told", got.Status, got.Body)
	}
}

func TestAnOldVersionThatNoProjectCanHoldStaysBehind(t *testing.T) {
	address, root := gitServer(t)
	c := repositoryAt(t, root, "none.git", map[string]string{"a.txt": "1"})
	if err := os.Symlink("a.txt", filepath.Join(c.dir, "link")); err != nil {
		t.Fatal(err)
	}
	c.commit("A link")
	c.git("rm", "-q", "link")
	c.commit("No link")
	c.publish(root, "clean.git")
	s := storytest.Serve(t, t.TempDir(), local.New, private(t, storytest.Programs()["local"]))
	w := mustImportGit(s.SignUp(), address+"/clean.git")
	w.WantVersions()
	if got := w.Do(http.MethodGet, w.Path("/versions"), nil); !strings.Contains(string(got.Body), "Imported from "+strings.TrimPrefix(address, "http://")+"/clean.git") {
		t.Errorf("got %s, want one version that tells where it is from", got.Body)
	}
	w.WantFiles("a.txt", "1", "link", "-")
}

// TestWhatNoProjectCanHoldIsLeftOutOfARepository: a link to a file becomes a copy, other odd
// entries are noted, and the history, which has them, stays behind.
func TestWhatNoProjectCanHoldIsLeftOutOfARepository(t *testing.T) {
	address, root := gitServer(t)
	c := repositoryAt(t, root, "none.git", map[string]string{"AGENTS.md": "rules", "aux.ts": "x", "photo.jpg?w=200": "x",
		"v.png": "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000001\nsize 5\n"})
	for name, target := range map[string]string{"CLAUDE.md": "AGENTS.md", "away": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c.commit("Links")
	c.publish(root, "odd.git")
	caller := storytest.Serve(t, t.TempDir(), local.New, private(t, storytest.Programs()["local"])).SignUp()
	var made struct {
		core.Project
		Notes []string
	}
	caller.Must(http.StatusCreated, http.MethodPost, caller.ImportPath(), storytest.Fields{"name": "From git", "gitUrl": address + "/odd.git"}, &made)
	w := &storytest.Work{Caller: caller, Project: made.Project}
	w.WantFiles("AGENTS.md", "rules", "CLAUDE.md", "rules", "away", "-")
	w.Put("CLAUDE.md", "edited")
	if got := clone(w).git("log", "--format=%s"); !strings.HasPrefix(got, "Imported from ") || strings.Contains(got, "\n") {
		t.Errorf("got the versions %q, want the newest alone", got)
	}
	notes := strings.Join(made.Notes, "\n")
	for _, says := range []string{`"aux.ts", "photo.jpg?w=200"`, "led: CLAUDE.md", "came along: away", "Git LFS: v.png.", "The history did not come along"} {
		if !strings.Contains(notes, says) {
			t.Errorf("got the notes %q, want %q", notes, says)
		}
	}
}

func TestAddressesThatNothingIsImportedFrom(t *testing.T) {
	address, root := gitServer(t)
	repositoryAt(t, root, "good.git", map[string]string{"a.txt": "1"})
	if out, err := storytest.StockGit("/", "init", "-q", "--bare", filepath.Join(root, "empty.git")); err != nil {
		t.Fatal(err, out)
	}
	dir := t.TempDir()
	c := storytest.Serve(t, dir, local.New, private(t, storytest.Programs()["local"])).SignUp()
	strict := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp()
	for name, want := range map[string]struct {
		by      *storytest.Caller
		address string
		code    core.Code
		says    string
	}{
		"plain HTTP":               {strict, "http://git.example.com/x.git", core.CodeValidationFailed, "must begin with https://"},
		"this machine":             {strict, "https://127.0.0.1/x.git", core.CodeForbiddenAddress, "gitUrl: "},
		"this machine, by decimal": {strict, "https://2130706433/x.git", core.CodeForbiddenAddress, "gitUrl: "},
		"a file":                   {c, "file:///etc", core.CodeValidationFailed, "https://"},
		"ssh":                      {c, "git@github.com:a/b.git", core.CodeValidationFailed, "gitUrl: "},
		"git":                      {c, "git://127.0.0.1/x", core.CodeValidationFailed, "https://"},
		"metadata":                 {c, "http://169.254.169.254/x.git", core.CodeForbiddenAddress, "gitUrl: "},
		"nothing":                  {c, "", core.CodeValidationFailed, "gitUrl: "},
		"a query":                  {c, address + "/good.git?x=1", core.CodeValidationFailed, "without a query"},
		"no repository":            {c, address + "/none.git", core.CodeValidationFailed, "the repository does not exist"},
		"an empty repository":      {c, address + "/empty.git", core.CodeValidationFailed, "no commits"},
		"nobody there":             {c, "http://127.0.0.1:1/x.git", core.CodeUnavailable, "cannot be reached"},
		"far too long":             {c, "https://example.com/" + strings.Repeat("x", 3000), core.CodeValidationFailed, "2048"},
	} {
		if got := importsGit(want.by, want.address); got.Code() != want.code || !strings.Contains(string(got.Body), want.says) {
			t.Errorf("%s: got %d %s, want %s and %q", name, got.Status, got.Body, want.code, want.says)
		}
	}
	wantNoTrees(t, dir)
}

// harmful are servers that mean harm, or none of git's, by the first segment of a path.
func harmful() map[string]http.HandlerFunc {
	const refs = "001e# service=git-upload-pack\n0000"
	id := strings.Repeat("a", 40)
	head := refs + fmt.Sprintf("%04x%s HEAD\x00side-band-64k\n0000", 4+40+6+14, id)
	return map[string]http.HandlerFunc{
		"/no-git": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<h1>hello</h1>") },
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/x/info/refs", http.StatusFound)
		},
		"/file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/info/refs", http.StatusFound)
		},
		"/elsewhere": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/secrets", http.StatusFound) },
		"/circle": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?service=git-upload-pack", http.StatusFound)
		},
		"/trouble":    func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"/broken-off": advertising(refs + "0032"),
		"/no-lines":   advertising("what?"),
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			_, _ = io.WriteString(w, refs)
			for {
				if _, err := fmt.Fprintf(w, "%04x%s refs/heads/x\n", 4+40+14, id); err != nil {
					return
				}
			}
		},
		"/no-pack":     answering(head, "0008NAK\n0000"),
		"/error":       answering(head, "0008NAK\n000a\x03gone!"),
		"/other-pack":  answering(head, "0008NAK\n0011\x01PACK\x00\x00\x00\x02\x00\x98\x96\x80"),
		"/no-answer":   answering(head, "0009what!"),
		"/strange-ref": advertising(refs + fmt.Sprintf("%04x%s ../../../x\x00\n0000", 4+40+12, id)),
	}
}

func TestServersThatMeanHarmAreLeft(t *testing.T) {
	behave := harmful()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "/" + strings.SplitN(r.URL.Path, "/", 3)[1]
		if handle := behave[name]; handle != nil {
			handle(w, r)
			return
		}
		t.Errorf("got a call of %s, want none", r.URL)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	c := storytest.Serve(t, dir, local.New, private(t, storytest.Programs()["local"])).SignUp()
	for name, want := range map[string]core.Code{
		"/no-git": core.CodeValidationFailed, "/redirect": core.CodeForbiddenAddress, "/file": core.CodeValidationFailed, "/elsewhere": core.CodeValidationFailed,
		"/circle": core.CodeValidationFailed, "/trouble": core.CodeUnavailable, "/broken-off": core.CodeValidationFailed, "/no-lines": core.CodeValidationFailed,
		"/endless": core.CodeValidationFailed, "/no-pack": core.CodeValidationFailed, "/error": core.CodeValidationFailed, "/other-pack": core.CodePayloadTooLarge,
		"/no-answer": core.CodeValidationFailed, "/strange-ref": core.CodeValidationFailed,
	} {
		begun := time.Now()
		got := importsGit(c, server.URL+name)
		if got.Code() != want || !strings.Contains(string(got.Body), "gitUrl: ") {
			t.Errorf("%s: got %d %s, want %s", name, got.Status, got.Body, want)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s: took %s", name, took)
		}
	}
	wantNoTrees(t, dir)
	if ids := c.ProjectIDs(); len(ids) > 0 {
		t.Errorf("got %v, want no project", ids)
	}
}

// wantNoTrees wants no project's tree in a data folder.
func wantNoTrees(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "projects", "[0-9a-f]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v left in the projects' folder, want nothing", left, err)
	}
}

// advertising answers with refs.
func advertising(refs string) http.HandlerFunc { return answering(refs, "") }

// answering answers with refs, and then with data in place of a repository.
func answering(refs, pack string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			_, _ = io.WriteString(w, refs)
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		_, _ = io.WriteString(w, pack)
	}
}

func TestCredentialsGoToNobodyElse(t *testing.T) {
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "s3cret" {
			t.Errorf("got %q and %q, want the credentials of the address", user, password)
		}
		http.Redirect(w, r, other.URL+"/x/info/refs?service=git-upload-pack", http.StatusMovedPermanently)
	}))
	t.Cleanup(first.Close)
	address, err := url.Parse(first.URL + "/repo")
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("ann", "s3cret")
	c := storytest.Serve(t, t.TempDir(), local.New, private(t, storytest.Programs()["local"])).SignUp()
	got := importsGit(c, address.String())
	if got.Code() != core.CodeValidationFailed || strings.Contains(string(got.Body), "s3cret") {
		t.Errorf("got %d %s, want it refused without the password", got.Status, got.Body)
	}
	if len(seen) != 1 || seen[0] != "" {
		t.Errorf("got %q sent elsewhere, want no credentials", seen)
	}
}
