package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

func remoteStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a project follows a repository on another host": aProjectFollowsARepository,
	}
}

// elsewhere is a bare repository that the stock server serves, with a clone of it.
type elsewhere struct {
	t            *testing.T
	address, dir string
	// changing holds the server's answers back, so that both sides change before it tells.
	changing sync.RWMutex
}

// serveElsewhere serves an empty repository that takes pushes.
func serveElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	place, err := storytest.StockGit("/", "--exec-path")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	e := &elsewhere{t: t, dir: t.TempDir()}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(place), "git-http-backend"), Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.changing.RLock()
		defer e.changing.RUnlock()
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	e.address = server.URL + "/shop.git"
	bare := filepath.Join(root, "shop.git")
	e.git("init", "-q", "--bare", "-b", "main", bare)
	e.git("-C", bare, "config", "http.receivepack", "true")
	e.git("clone", "-q", bare, ".")
	return e
}

func (e *elsewhere) git(args ...string) string {
	e.t.Helper()
	out, err := storytest.StockGit(e.dir, args...)
	if err != nil {
		e.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// push writes a file on top of what is there.
func (e *elsewhere) push(path, content string) {
	e.t.Helper()
	e.git("pull", "-q", "--ff-only", "origin", "main")
	if err := os.WriteFile(filepath.Join(e.dir, path), []byte(content), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.git("add", "-A")
	e.git("commit", "-q", "-m", "Change "+path)
	e.git("push", "-q", "origin", "HEAD:main")
}

// has reports whether a project has a file.
func (p *project) has(path string) bool {
	p.t.Helper()
	response := p.send(http.MethodGet, p.path("/files/"+path), "text/plain", nil)
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// badge waits until the connection has a state.
func (p *tab) badge(text string) {
	p.t.Helper()
	p.until("the state "+text, fmt.Sprintf("document.querySelector('.remote__state .badge')?.textContent === %q", text))
}

// aProjectFollowsARepository: a member connects a project, a push arrives, what both sides changed
// is merged by hand, and the connection ends.
func aProjectFollowsARepository(t *testing.T, c *chromium, s *service) {
	axe, there := fetchAxe(t), serveElsewhere(t)
	made := s.signUp(t).create("static-html")
	p := c.enterAs(t, made.user, "/projects/"+string(made.ID))
	p.press("button", "More actions for")
	p.press("menuitem", "Settings")
	p.press("button", "Repository on another host")
	p.until("the form", named("textbox", "Address of the repository")+" !== null")
	p.pardon(http.StatusNotFound)
	p.snapshot("remote form desk light")
	p.wantAccessible("remote form", axe)
	p.fill("Address of the repository", there.address)
	p.fill("Access token", "hidden-token")
	p.press("button", "Connect")
	p.sees("Webhook secret")
	p.badge("In sync")
	p.everywhere("remote webhook", axe)
	p.press("button", "Done")
	p.misses("Webhook secret")

	there.push("there.txt", "1\n")
	p.press("button", "Sync now")
	p.wait("the push", func() bool { return made.has("there.txt") })
	p.badge("In sync")
	p.snapshot("remote synced desk light")
	p.wantAccessible("remote synced", axe)

	there.changing.Lock()
	there.push("there.txt", "2\n")
	made.save("there.txt", "3\n")
	made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": "Here"}, nil)
	there.changing.Unlock()
	p.press("button", "Sync now")
	p.badge("Conflict")
	p.sees("1 file in conflict")
	p.until("both texts", `[...document.querySelectorAll('.remote__side pre')].map((e) => e.textContent.trim()).join() === '3,2'`)
	p.everywhere("remote conflict", axe)
	p.pick("What to keep of there.txt", "Merge by hand")
	p.until("monospaced text", `getComputedStyle(document.querySelector('.remote__file textarea')).fontFamily.includes('mono')`)
	p.snapshot("remote merge desk light")
	p.wantAccessible("remote merge", axe)
	p.sees("Choose which lines stay")
	p.until("no button for a text with markers", named("button", "Resolve conflicts")+".disabled")
	p.fill("Merged content of there.txt", "2 and 3\n")
	p.misses("Choose which lines stay")
	p.press("button", "Resolve conflicts")
	p.sees("Conflicts resolved")
	p.badge("In sync")
	if got := made.read("there.txt"); got != "2 and 3\n" {
		t.Errorf("got %q, want what was written", got)
	}
	there.git("pull", "-q", "--ff-only", "origin", "main")
	if got := there.git("show", "HEAD:there.txt"); got != "2 and 3\n" {
		t.Errorf("got %q there, want what was written", got)
	}

	p.press("button", "Disconnect")
	p.until("the question", `(() => {
		const asked = [...document.querySelectorAll('dialog[open]')].find((e) => e.querySelector('h2').textContent === 'Disconnect this repository?');
		const sure = [...(asked?.querySelectorAll('button') ?? [])].find((e) => e.textContent === 'Disconnect');
		sure?.click();
		return sure !== undefined;
	})()`)
	p.until("the form again", named("textbox", "Address of the repository")+" !== null")
	p.pardon(http.StatusNotFound)
	made.call(http.StatusNotFound, http.MethodGet, made.path("/remote"), nil, nil)
	p.wantQuiet()
}
