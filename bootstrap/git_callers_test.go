package bootstrap_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

// remote lets the stock client ask for the refs of a project.
func (w *work) remote(token string) (string, error) {
	return stockGit("/", "ls-remote", w.gitURL(token))
}

func TestWhoMayCloneAndPush(t *testing.T) {
	s := serve(t, t.TempDir(), local.New, nil)
	w := s.signUp().create("static-html")
	stranger := s.signUp()
	reader := stranger.apiToken(core.ScopeProjectsRead, core.ScopeProjectsWrite, core.ScopeFilesWrite)
	c := w.clone()
	c.write("x.txt", "x")
	c.commit("x")
	push := func(token string) (string, error) { return stockGit(c.dir, "push", w.gitURL(token), "main") }
	for _, step := range []struct {
		name string
		run  func(string) (string, error)
		by   string
		want string
	}{
		{"nobody clones", w.remote, "", "could not read Username"},
		{"a password that is no token", w.remote, "secret", "Authentication failed"},
		{"a token that is none", w.remote, "atl_none", "Authentication failed"},
		{"a session in the token's place", w.remote, w.token, "the password must be an API token"},
		{"a stranger clones", w.remote, reader, "not found"},
		{"a stranger pushes", push, reader, "not found"},
		{"a token for less clones", w.remote, w.apiToken(core.ScopeChat, core.ScopeFilesWrite), `remote: this API token lacks the scope "projects:read"`},
		{"a token for less pushes", push, w.apiToken(core.ScopeProjectsWrite), `remote: this API token lacks the scope "files:write"`},
		{"a token that reads clones", w.remote, w.apiToken(core.ScopeProjectsRead), "refs/heads/main"},
	} {
		if out, err := step.run(step.by); (err == nil) != (step.want == "refs/heads/main") || !strings.Contains(out, step.want) {
			t.Errorf("%s: got %v\n%s\nwant %q", step.name, err, out, step.want)
		}
	}
	w.must(http.StatusOK, http.MethodPatch, w.path(""), fields{"visibility": "public"}, nil)
	if out, err := w.remote(reader); err != nil || !strings.Contains(out, "refs/heads/main") {
		t.Errorf("a reader of a public project clones: got %v\n%s", err, out)
	}
	if out, err := push(reader); err == nil || !strings.Contains(out, "remote: only members of the workspace may do this") {
		t.Errorf("a reader of a public project pushes: got %v\n%s", err, out)
	}
	if out, err := push(w.apiToken(gitScopes()...)); err != nil {
		t.Errorf("a member pushes: got %v\n%s", err, out)
	}
}

func TestTokensThatRanOutOrWereTakenBackOpenNothing(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	var made struct{ ID, Token string }
	expires := time.Now().Add(1500 * time.Millisecond)
	w.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", fields{"name": "short", "scopes": []string{"projects:read"}, "expiresAt": expires}, &made)
	short := made.Token
	w.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", fields{"name": "gone", "scopes": []string{"projects:read"}}, &made)
	w.must(http.StatusNoContent, http.MethodDelete, "/auth/api-tokens/"+made.ID, nil, nil)
	for time.Now().Before(expires.Add(10 * time.Millisecond)) {
		time.Sleep(time.Until(expires.Add(10 * time.Millisecond)))
	}
	for name, token := range map[string]string{"ran out": short, "was taken back": made.Token} {
		if out, err := w.remote(token); err == nil || !strings.Contains(out, "Authentication failed") {
			t.Errorf("a token that %s: got %v\n%s", name, err, out)
		}
	}
}

func TestTheAnswersThatNoGitClientSees(t *testing.T) {
	s := serve(t, t.TempDir(), local.New, nil)
	w := s.signUp().create("static-html")
	place := "/git/" + string(w.ID) + ".git"
	anybody := &caller{site: s}
	got := anybody.do(http.MethodGet, place+"/info/refs?service=git-upload-pack", nil)
	if got.status != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") != `Basic realm="Atelier"` {
		t.Errorf("got %d and the challenge %q, want Basic", got.status, got.header.Get("WWW-Authenticate"))
	}
	cookie := "app_access_token=" + w.token
	if got := anybody.do(http.MethodGet, place+"/info/refs?service=git-upload-pack", nil, "Cookie", cookie); got.status != http.StatusUnauthorized {
		t.Errorf("with the cookie: got %d, want 401", got.status)
	}
	if got := anybody.do(http.MethodPost, place+"/git-receive-pack", gitBody("receive"), "Cookie", cookie, "Origin", s.url); got.status != http.StatusUnauthorized {
		t.Errorf("with the cookie, from a page of this service: got %d, want 401", got.status)
	}
	for path, want := range map[string]int{
		"/info/refs":                            http.StatusNotFound,
		"/info/refs?service=git-upload-archive": http.StatusNotFound,
		"/HEAD":                                 http.StatusNotFound,
		"/objects/info/packs":                   http.StatusNotFound,
		"/../../etc/passwd":                     http.StatusNotFound,
		"/git-upload-pack":                      http.StatusMethodNotAllowed,
		"/info/refs?service=git-receive-pack":   http.StatusOK,
	} {
		if got := w.do(http.MethodGet, place+path, nil); got.status != want {
			t.Errorf("%s: got %d, want %d", path, got.status, want)
		}
	}
	for name, c := range map[string]struct {
		body   any
		header []string
		want   int
	}{
		"JSON":               {fields{}, nil, http.StatusUnsupportedMediaType},
		"the other service":  {gitBody("receive"), nil, http.StatusUnsupportedMediaType},
		"in another form":    {gitBody("upload"), []string{"Content-Encoding", "br"}, http.StatusUnsupportedMediaType},
		"no gzip":            {gitBody("upload"), []string{"Content-Encoding", "gzip"}, http.StatusBadRequest},
		"a bomb of gzip":     {gitRequest{bytes.NewReader(zippedZeros(t)), "upload"}, []string{"Content-Encoding", "gzip"}, http.StatusRequestEntityTooLarge},
		"no lines":           {gitRequest{strings.NewReader("hello"), "upload"}, nil, http.StatusBadRequest},
		"nothing to be done": {gitBody("upload"), nil, http.StatusOK},
	} {
		if got := w.do(http.MethodPost, place+"/git-upload-pack", c.body, c.header...); got.status != c.want {
			t.Errorf("%s: got %d %s, want %d", name, got.status, got.body, c.want)
		}
	}
	if got := w.do(http.MethodPost, place+"/git-receive-pack", gitBody("receive")); got.status != http.StatusOK || got.header.Get("Content-Type") != "application/x-git-receive-pack-result" {
		t.Errorf("the question whether one may push: got %d %q", got.status, got.header.Get("Content-Type"))
	}
}

// zippedZeros is 64 MiB of zeros in gzip.
func zippedZeros(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAProgramInMemorySaysThatItHasNoGit(t *testing.T) {
	w := serve(t, t.TempDir(), inmemory.New, nil).signUp().create(template)
	if got := w.do(http.MethodGet, "/git/"+string(w.ID)+".git/info/refs?service=git-upload-pack", nil); got.code() != core.CodeUnavailable {
		t.Errorf("got %d %s, want %s", got.status, got.body, core.CodeUnavailable)
	}
	if got := w.importsGit("https://example.com/x.git"); got.code() != core.CodeUnavailable {
		t.Errorf("import: got %d %s, want %s", got.status, got.body, core.CodeUnavailable)
	}
}

func TestPushesAndWritesAtTheSameTimeLoseNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, program program) {
		w, dir := gitStory(t, program)
		c := w.clone()
		const writers, rounds = 3, 8
		var group sync.WaitGroup
		for i := range writers {
			group.Go(func() {
				for round := range rounds {
					path := fmt.Sprintf("/files/api/%d-%d.txt", i, round)
					if got := w.do(http.MethodPut, w.path(path), strings.NewReader("api")); got.status != http.StatusCreated {
						t.Errorf("put: got %d %s", got.status, got.body)
					}
				}
			})
		}
		accepted, refused := 0, 0
		for round := range rounds {
			c.write(fmt.Sprintf("git/%d.txt", round), "git")
			c.commit(fmt.Sprintf("Push %d", round))
			for range 20 {
				out, err := stockGit(c.dir, "push", "-q", "origin", "main")
				if err == nil {
					accepted++
					break
				}
				if !strings.Contains(out, "fetch first") {
					t.Fatalf("push: %v\n%s", err, out)
				}
				refused++
				c.git("pull", "-q", "--no-rebase", "--no-edit")
			}
		}
		group.Wait()
		if accepted != rounds {
			t.Errorf("got %d pushes taken, want %d", accepted, rounds)
		}
		t.Logf("%d pushes were refused and done again", refused)
		files := w.files()
		for round := range rounds {
			if files[fmt.Sprintf("git/%d.txt", round)] != "git" {
				t.Errorf("push %d is lost", round)
			}
			for i := range writers {
				if files[fmt.Sprintf("api/%d-%d.txt", i, round)] != "api" {
					t.Errorf("write %d of %d is lost", round, i)
				}
			}
		}
		w.put("last.txt", "x")
		c.refused("fetch first", "push", "origin", c.commit("Last")+":refs/heads/main")
		c.git("pull", "-q", "--no-rebase", "--no-edit")
		c.git("push", "-q", "origin", "main")
		w.wantInStep(c, dir)
		if left, _ := filepath.Glob(filepath.Join(projectDir(dir, w.ID), ".git", "atelier", "pack-*")); len(left) > 0 {
			t.Errorf("got %q left aside, want nothing", left)
		}
	})
}
