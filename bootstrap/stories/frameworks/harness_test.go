// Package frameworks tests projects whose own tools build their pages. It runs the
// binary, with a real Node.js in a real sandbox and packages of the public registry.
package frameworks

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// becomes is conformance.Becomes for work that installs packages.
func becomes(is func() bool) bool {
	for range toolchain.MaxInstallTime/conformance.Patience + 1 {
		if conformance.Becomes(is) {
			return true
		}
	}
	return false
}

// service is the binary and who uses it.
type service struct {
	*process.Service
	http      *http.Client
	token     string
	workspace string
}

// start runs the binary and signs somebody up.
func start(t testing.TB, env ...string) *service {
	t.Helper()
	s := &service{Service: process.Start(t, process.Build(t), env...), http: localClient()}
	s.signUp(t)
	return s
}

var people atomic.Int64

// signUp makes an account with an API token: installing may take longer than an access token
// lasts.
func (s *service) signUp(t testing.TB) {
	t.Helper()
	var made struct {
		AccessToken string
		Workspace   struct{ ID string }
	}
	s.call(t, http.StatusCreated, "POST", "/auth/signup", map[string]any{
		"email": fmt.Sprintf("p%d@example.com", people.Add(1)), "password": "long enough",
	}, &made)
	s.token, s.workspace = made.AccessToken, made.Workspace.ID
	var given struct{ Token string }
	s.call(t, http.StatusCreated, "POST", "/auth/api-tokens", map[string]any{
		"name": "stories", "scopes": []string{"workspaces:write", "projects:write", "files:write", "chat", "publish"},
	}, &given)
	s.token = given.Token
}

// localClient resolves the names below localhost as browsers do.
func localClient() *http.Client {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request; a body that is no string is JSON.
func (s *service) do(t testing.TB, method, address string, body any, header ...string) answer {
	t.Helper()
	var content []byte
	if text, is := body.(string); is {
		content = []byte(text)
	} else if body != nil {
		content, _ = json.Marshal(body)
		header = append(header, "Content-Type", "application/json")
	}
	if strings.HasPrefix(address, "/") {
		address = s.URL + address
		if s.token != "" {
			header = append(header, "Authorization", "Bearer "+s.token)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return answer{response.StatusCode, response.Header, string(read)}
}

// call is do with the status that has to come back.
func (s *service) call(t testing.TB, status int, method, path string, body, into any) answer {
	t.Helper()
	got := s.do(t, method, path, body)
	if got.status != status {
		t.Fatalf("%s %s: got %d %.600s, want %d", method, path, got.status, got.body, status)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(got.body), into); err != nil {
			t.Fatalf("%s %s: %v in %.200s", method, path, err, got.body)
		}
	}
	return got
}

// work is a project.
type work struct {
	*service
	ID, Slug string
}

// create makes a project from a template.
func (s *service) create(t testing.TB, template string) *work {
	t.Helper()
	w := &work{service: s}
	s.call(t, http.StatusCreated, "POST", "/workspaces/"+s.workspace+"/projects", map[string]string{"name": "Work", "template": template}, w)
	return w
}

// createFrom makes a project of the files in a folder of testdata.
func (s *service) createFrom(t testing.TB, folder string) *work {
	t.Helper()
	files := map[string]string{}
	root := filepath.Join("..", "..", "..", "testdata", "projects", folder)
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, failed := os.ReadFile(filepath.Join(root, name))
			files[name], err = string(content), failed
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	return s.createWith(t, files)
}

// createWith makes a project of files.
func (s *service) createWith(t testing.TB, files map[string]string) *work {
	t.Helper()
	w := s.create(t, "static-html")
	var old []struct{ Path string }
	w.call(t, http.StatusOK, "GET", w.path("/files"), nil, &old)
	var operations []map[string]any
	for _, file := range old {
		operations = append(operations, map[string]any{"op": "delete", "path": file.Path})
	}
	for name, content := range files {
		operations = append(operations, map[string]any{
			"op": "write", "path": name, "encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte(content)),
		})
	}
	w.call(t, http.StatusOK, "POST", w.path("/files/bulk"), map[string]any{"operations": operations}, nil)
	return w
}

func (w *work) path(rest string) string { return "/projects/" + w.ID + rest }

// read returns a file of the project.
func (w *work) read(t testing.TB, name string) string {
	t.Helper()
	return w.call(t, http.StatusOK, "GET", w.path("/files/"+name), nil, nil).body
}

// write puts a file into the project.
func (w *work) write(t testing.TB, name, content string) {
	t.Helper()
	if got := w.do(t, "PUT", w.path("/files/"+name), content, "Content-Type", "text/plain"); got.status/100 != 2 {
		t.Fatalf("PUT %s: got %d %s", name, got.status, got.body)
	}
}

// edit replaces a text in a file of the project.
func (w *work) edit(t testing.TB, name, from, to string) {
	t.Helper()
	before := w.read(t, name)
	if !strings.Contains(before, from) {
		t.Fatalf("%s: got no %q in %s", name, from, before)
	}
	w.write(t, name, strings.Replace(before, from, to, 1))
}

// diagnostic is a mistake at a place.
type diagnostic struct {
	Path         string
	Line, Column int
	Message      string
}

// status is the state of a preview.
type status struct {
	URL, Status, Runtime, RuntimeReason, Progress string
	Diagnostics                                   []diagnostic
}

// await polls the preview until it has the expected state.
func (w *work) await(t testing.TB, what string, wanted func(status) bool) status {
	t.Helper()
	var got status
	isSo := becomes(func() bool {
		w.call(t, http.StatusOK, "POST", w.path("/preview"), nil, &got)
		return wanted(got)
	})
	if !isSo {
		t.Fatalf("got the preview %+v, want it %s\n%s", got, what, w.Log())
	}
	return got
}

func ready(s status) bool { return s.Status == "ready" }
func wrong(s status) bool { return s.Status == "error" && len(s.Diagnostics) > 0 }

// show gets a page as browsers do.
func (w *work) show(t testing.TB, address string) answer {
	t.Helper()
	return w.do(t, "GET", address, nil, "Accept", "text/html,*/*")
}

// publish publishes the project and returns the site's address.
func (w *work) publish(t testing.TB) string {
	t.Helper()
	var made struct{ URL string }
	w.call(t, http.StatusOK, "POST", w.path("/publish"), map[string]any{"slug": "s" + w.ID[24:]}, &made)
	return made.URL
}

// awaitModule asks a server for a module until a text is in it.
func (w *work) awaitModule(t testing.TB, address, want string) {
	t.Helper()
	var got answer
	isThere := becomes(func() bool {
		got = w.show(t, address)
		return got.status == http.StatusOK && strings.Contains(got.body, want)
	})
	if !isThere {
		t.Fatalf("%s: got %d %.800s, want %q in it", address, got.status, got.body, want)
	}
}
