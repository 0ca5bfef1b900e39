package bootstrap_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// gitRequest is a body of git's protocol.
type gitRequest struct {
	io.Reader
	service string
}

// ContentType is that of the service's requests.
func (g gitRequest) ContentType() string { return "application/x-git-" + g.service + "-pack-request" }

// gitBody is a request that asks for nothing and pushes nothing, as the stock client
// sends it to find out whether it may.
func gitBody(service string) gitRequest { return gitRequest{strings.NewReader("0000"), service} }

// apiToken makes an API token of the caller.
func (c *caller) apiToken(scopes ...core.Scope) string {
	c.t.Helper()
	var made struct{ Token string }
	c.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "git", "scopes": scopes}, &made)
	return made.Token
}

// gitScopes are what cloning and pushing take.
func gitScopes() []core.Scope { return []core.Scope{core.ScopeProjectsRead, core.ScopeFilesWrite} }

// gitURL is the address of a project's remote, with a token as the password.
func (w *work) gitURL(token string) string {
	w.t.Helper()
	address, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		address.User = url.UserPassword("anybody", token)
	}
	return address.String() + "/git/" + string(w.ID) + ".git"
}

// stockGit runs the stock client, which asks nobody for anything.
func stockGit(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "NO_PROXY=*", "no_proxy=*",
		"GIT_AUTHOR_NAME=Stock", "GIT_AUTHOR_EMAIL=stock@example.com", "GIT_COMMITTER_NAME=Stock", "GIT_COMMITTER_EMAIL=stock@example.com",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=core.protectNTFS", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=core.protectHFS", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_KEY_2=gc.auto", "GIT_CONFIG_VALUE_2=0")
	out, err := command.CombinedOutput()
	return string(out), err
}

// checkout is a clone that the stock client made.
type checkout struct {
	t   testing.TB
	dir string
}

// clone clones a project as its owner.
func (w *work) clone(options ...string) *checkout {
	w.t.Helper()
	c := &checkout{w.t, filepath.Join(w.t.TempDir(), "clone")}
	args := append([]string{"clone", "-q"}, options...)
	if out, err := stockGit("/", append(args, w.gitURL(w.apiToken(gitScopes()...)), c.dir)...); err != nil {
		w.t.Fatalf("clone: %v\n%s", err, out)
	}
	return c
}

// git runs the stock client in the clone and wants it to work.
func (c *checkout) git(args ...string) string {
	c.t.Helper()
	out, err := stockGit(c.dir, args...)
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// refused runs the stock client and wants it to fail, saying so.
func (c *checkout) refused(want string, args ...string) {
	c.t.Helper()
	out, err := stockGit(c.dir, args...)
	if err == nil || !strings.Contains(out, want) {
		c.t.Errorf("git %s: got %v\n%s\nwant a failure that says %q", strings.Join(args, " "), err, out, want)
	}
}

// write writes files of the clone, given as pairs.
func (c *checkout) write(pairs ...string) {
	c.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		path := filepath.Join(c.dir, pairs[i])
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(pairs[i+1]), 0o644)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// commit makes a commit of everything and returns its name.
func (c *checkout) commit(message string) string {
	c.t.Helper()
	c.git("add", "-A", "-f")
	c.git("commit", "-q", "--allow-empty", "-m", message)
	return c.git("rev-parse", "HEAD")
}

// newest is the id of the project's newest version.
func (w *work) newest() string {
	w.t.Helper()
	var page struct{ Items []core.Version }
	w.must(http.StatusOK, http.MethodGet, w.path("/versions?limit=1"), nil, &page)
	return page.Items[0].ID
}

// wantInStep wants the project's disk, repository and list to be what a commit of a
// clone holds, with nothing staged beside it.
func (w *work) wantInStep(c *checkout, dataDir string) {
	w.t.Helper()
	want := map[string]string{}
	for name := range strings.SplitSeq(c.git("ls-tree", "-r", "-z", "--name-only", "HEAD"), "\x00") {
		if name != "" {
			out, err := stockGit(c.dir, "cat-file", "blob", "HEAD:"+name)
			if err != nil {
				w.t.Fatalf("cat-file %s: %v", name, err)
			}
			want[name] = out
		}
	}
	if got := w.files(); fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("got the files %.2000q, want %.2000q", got, want)
	}
	if got := w.newest(); got != c.git("rev-parse", "HEAD") {
		w.t.Errorf("got the version %s, want %s", got, c.git("rev-parse", "HEAD"))
	}
	dir := projectDir(dataDir, w.ID)
	if out, err := stockGit(dir, "-c", "safe.directory=*", "status", "--porcelain"); err != nil || out != "" {
		w.t.Errorf("git status in the project: got %q, %v, want nothing", out, err)
	}
	if out, err := stockGit(dir, "-c", "safe.directory=*", "fsck", "--strict", "--no-progress", "--no-dangling"); err != nil {
		w.t.Errorf("git fsck in the project: got %v\n%s", err, out)
	}
}
