package git_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestWhoMayCloneAndPush(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	w := s.SignUp().Create("static-html")
	stranger := s.SignUp()
	reader := apiToken(stranger, core.ScopeProjectsRead, core.ScopeProjectsWrite, core.ScopeFilesWrite)
	c := clone(w)
	c.write("x.txt", "x")
	c.commit("x")
	push := func(token string) (string, error) { return storytest.StockGit(c.dir, "push", w.GitURL(token), "main") }
	for _, step := range []struct {
		name string
		run  func(string) (string, error)
		by   string
		want string
	}{
		{"nobody clones", w.Remote, "", "could not read Username"},
		{"a password that is no token", w.Remote, "secret", "Authentication failed"},
		{"an invalid token", w.Remote, "atl_none", "Authentication failed"},
		{"a session in the token's place", w.Remote, w.Token, "the password must be an API token"},
		{"a stranger clones", w.Remote, reader, "not found"},
		{"a stranger pushes", push, reader, "not found"},
		{"a token for less clones", w.Remote, apiToken(w.Caller, core.ScopeChat, core.ScopeFilesWrite), `remote: this API token lacks the scope "projects:read"`},
		{"a token for less pushes", push, apiToken(w.Caller, core.ScopeProjectsWrite), `remote: this API token lacks the scope "files:write"`},
		{"a token that reads clones", w.Remote, apiToken(w.Caller, core.ScopeProjectsRead), "refs/heads/main"},
	} {
		if out, err := step.run(step.by); (err == nil) != (step.want == "refs/heads/main") || !strings.Contains(out, step.want) {
			t.Errorf("%s: got %v\n%s\nwant %q", step.name, err, out, step.want)
		}
	}
	w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": "public"}, nil)
	if out, err := w.Remote(reader); err != nil || !strings.Contains(out, "refs/heads/main") {
		t.Errorf("a reader of a public project clones: got %v\n%s", err, out)
	}
	if out, err := push(reader); err == nil || !strings.Contains(out, "remote: only members of the workspace may do this") {
		t.Errorf("a reader of a public project pushes: got %v\n%s", err, out)
	}
	if out, err := push(apiToken(w.Caller, gitScopes()...)); err != nil {
		t.Errorf("a member pushes: got %v\n%s", err, out)
	}
}

// briefToken returns an API token that runs out within seconds: within as few as the service needs
// to make it.
func briefToken(w *storytest.Work) string {
	w.T.Helper()
	for lifetime := time.Second; ; lifetime *= 2 {
		fields := storytest.Fields{"name": "short", "scopes": []string{"projects:read"}, "expiresAt": time.Now().Add(lifetime)}
		got := w.Do(http.MethodPost, "/auth/api-tokens", fields)
		switch {
		case got.Status == http.StatusCreated:
			var made struct{ Token string }
			if err := json.Unmarshal(got.Body, &made); err != nil {
				w.T.Fatal(err)
			}
			return made.Token
		case lifetime > conformance.Patience:
			w.T.Fatalf("got %d %s, want a token", got.Status, got.Body)
		}
	}
}

func TestTokensThatRanOutOrWereTakenBackOpenNothing(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	var made struct{ ID, Token string }
	short := briefToken(w)
	w.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "gone", "scopes": []string{"projects:read"}}, &made)
	w.Must(http.StatusNoContent, http.MethodDelete, "/auth/api-tokens/"+made.ID, nil, nil)
	for name, token := range map[string]string{"ran out": short, "was taken back": made.Token} {
		var out string
		refused := func() bool {
			var err error
			out, err = w.Remote(token)
			return err != nil && strings.Contains(out, "Authentication failed")
		}
		if !conformance.Becomes(refused) {
			t.Errorf("a token that %s: got\n%s", name, out)
		}
	}
}

func TestTheAnswersThatNoGitClientSees(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	w := s.SignUp().Create("static-html")
	place := "/git/" + string(w.ID) + ".git"
	anybody := &storytest.Caller{Site: s}
	got := anybody.Do(http.MethodGet, place+"/info/refs?service=git-upload-pack", nil)
	if got.Status != http.StatusUnauthorized || got.Header.Get("WWW-Authenticate") != `Basic realm="Atelier"` {
		t.Errorf("got %d and the challenge %q, want Basic", got.Status, got.Header.Get("WWW-Authenticate"))
	}
	cookie := "app_access_token=" + w.Token
	if got := anybody.Do(http.MethodGet, place+"/info/refs?service=git-upload-pack", nil, "Cookie", cookie); got.Status != http.StatusUnauthorized {
		t.Errorf("with the cookie: got %d, want 401", got.Status)
	}
	if got := anybody.Do(http.MethodPost, place+"/git-receive-pack", storytest.GitBody("receive"), "Cookie", cookie, "Origin", s.URL); got.Status != http.StatusUnauthorized {
		t.Errorf("with the cookie, from a page of this service: got %d, want 401", got.Status)
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
		if got := w.Do(http.MethodGet, place+path, nil); got.Status != want {
			t.Errorf("%s: got %d, want %d", path, got.Status, want)
		}
	}
	for name, c := range map[string]struct {
		body   any
		header []string
		want   int
	}{
		"JSON":               {storytest.Fields{}, nil, http.StatusUnsupportedMediaType},
		"the other service":  {storytest.GitBody("receive"), nil, http.StatusUnsupportedMediaType},
		"in another form":    {storytest.GitBody("upload"), []string{"Content-Encoding", "br"}, http.StatusUnsupportedMediaType},
		"no gzip":            {storytest.GitBody("upload"), []string{"Content-Encoding", "gzip"}, http.StatusBadRequest},
		"a bomb of gzip":     {storytest.GitRequest{Reader: bytes.NewReader(zippedZeros(t)), Service: "upload"}, []string{"Content-Encoding", "gzip"}, http.StatusRequestEntityTooLarge},
		"no lines":           {storytest.GitRequest{Reader: strings.NewReader("hello"), Service: "upload"}, nil, http.StatusBadRequest},
		"nothing to be done": {storytest.GitBody("upload"), nil, http.StatusOK},
	} {
		if got := w.Do(http.MethodPost, place+"/git-upload-pack", c.body, c.header...); got.Status != c.want {
			t.Errorf("%s: got %d %s, want %d", name, got.Status, got.Body, c.want)
		}
	}
	if got := w.Do(http.MethodPost, place+"/git-receive-pack", storytest.GitBody("receive")); got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/x-git-receive-pack-result" {
		t.Errorf("the question whether one may push: got %d %q", got.Status, got.Header.Get("Content-Type"))
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
	w := storytest.Serve(t, t.TempDir(), inmemory.New, nil).SignUp().Create(storytest.Template)
	if got := w.Do(http.MethodGet, "/git/"+string(w.ID)+".git/info/refs?service=git-upload-pack", nil); got.Code() != core.CodeUnavailable {
		t.Errorf("got %d %s, want %s", got.Status, got.Body, core.CodeUnavailable)
	}
	if got := importsGit(w.Caller, "https://example.com/x.git"); got.Code() != core.CodeUnavailable {
		t.Errorf("import: got %d %s, want %s", got.Status, got.Body, core.CodeUnavailable)
	}
}

func TestPushesAndWritesAtTheSameTimeLoseNothing(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		w, dir := gitStory(t, program)
		c := clone(w)
		const writers, rounds = 3, 8
		var group sync.WaitGroup
		for i := range writers {
			group.Go(func() {
				for round := range rounds {
					path := fmt.Sprintf("/files/api/%d-%d.txt", i, round)
					if got := w.Do(http.MethodPut, w.Path(path), strings.NewReader("api")); got.Status != http.StatusCreated {
						t.Errorf("put: got %d %s", got.Status, got.Body)
					}
				}
			})
		}
		accepted, refused := 0, 0
		for round := range rounds {
			c.write(fmt.Sprintf("git/%d.txt", round), "git")
			c.commit(fmt.Sprintf("Push %d", round))
			for range 20 {
				out, err := storytest.StockGit(c.dir, "push", "-q", "origin", "main")
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
		files := w.Files()
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
		w.Put("last.txt", "x")
		c.refused("fetch first", "push", "origin", c.commit("Last")+":refs/heads/main")
		c.git("pull", "-q", "--no-rebase", "--no-edit")
		c.git("push", "-q", "origin", "main")
		wantInStep(w, c, dir)
		if left, _ := filepath.Glob(filepath.Join(storytest.ProjectDir(dir, w.ID), ".git", "atelier", "pack-*")); len(left) > 0 {
			t.Errorf("got %q left aside, want nothing", left)
		}
	})
}
