package git_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// apiToken makes an API token of the caller.
func apiToken(c *storytest.Caller, scopes ...core.Scope) string {
	c.T.Helper()
	var made struct{ Token string }
	c.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "git", "scopes": scopes}, &made)
	return made.Token
}

// gitScopes are the scopes for cloning and pushing.
func gitScopes() []core.Scope { return []core.Scope{core.ScopeProjectsRead, core.ScopeFilesWrite} }

// checkout is a clone that the stock client made.
type checkout struct {
	t   testing.TB
	dir string
}

// clone clones a project as its owner.
func clone(w *storytest.Work, options ...string) *checkout {
	w.T.Helper()
	c := &checkout{w.T, filepath.Join(w.T.TempDir(), "clone")}
	args := append([]string{"clone", "-q"}, options...)
	if out, err := storytest.StockGit("/", append(args, w.GitURL(apiToken(w.Caller, gitScopes()...)), c.dir)...); err != nil {
		w.T.Fatalf("clone: %v\n%s", err, out)
	}
	return c
}

// git runs the stock client in the clone and wants it to work.
func (c *checkout) git(args ...string) string {
	c.t.Helper()
	out, err := storytest.StockGit(c.dir, args...)
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// refused runs the stock client and wants it to fail, saying so.
func (c *checkout) refused(want string, args ...string) {
	c.t.Helper()
	out, err := storytest.StockGit(c.dir, args...)
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
func newest(w *storytest.Work) string {
	w.T.Helper()
	var page struct{ Items []core.Version }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions?limit=1"), nil, &page)
	return page.Items[0].ID
}

// wantInStep checks that the project's disk, repository and list equal a commit of a
// clone, with nothing else staged.
func wantInStep(w *storytest.Work, c *checkout, dataDir string) {
	w.T.Helper()
	want := map[string]string{}
	for name := range strings.SplitSeq(c.git("ls-tree", "-r", "-z", "--name-only", "HEAD"), "\x00") {
		if name != "" {
			out, err := storytest.StockGit(c.dir, "cat-file", "blob", "HEAD:"+name)
			if err != nil {
				w.T.Fatalf("cat-file %s: %v", name, err)
			}
			want[name] = out
		}
	}
	if got := w.Files(); fmt.Sprint(got) != fmt.Sprint(want) {
		w.T.Errorf("got the files %.2000q, want %.2000q", got, want)
	}
	if got := newest(w); got != c.git("rev-parse", "HEAD") {
		w.T.Errorf("got the version %s, want %s", got, c.git("rev-parse", "HEAD"))
	}
	dir := storytest.ProjectDir(dataDir, w.ID)
	if out, err := storytest.StockGit(dir, "-c", "safe.directory=*", "status", "--porcelain"); err != nil || out != "" {
		w.T.Errorf("git status in the project: got %q, %v, want nothing", out, err)
	}
	if out, err := storytest.StockGit(dir, "-c", "safe.directory=*", "fsck", "--strict", "--no-progress", "--no-dangling"); err != nil {
		w.T.Errorf("git fsck in the project: got %v\n%s", err, out)
	}
}
