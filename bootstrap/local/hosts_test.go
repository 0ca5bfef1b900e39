package local_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/ports/conformance"
)

// hosts are programs of another module that has Atelier within it.
const hosts = "../../testdata/hosts"

// outside copies the hosts into a module of their own. A workspace joins it to this
// checkout, so that nothing is fetched or compiled again. Internal packages stay
// inaccessible to it.
func outside(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(hosts)); err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod":  "module example.org/host\n\ngo 1.26.5\n",
		"go.work": "go 1.26.5\n\nuse .\nuse " + checkout + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", filepath.Join(dir, "go.work"))
	return dir
}

func TestAnotherModuleTestsOnFakes(t *testing.T) {
	process.Go(t, outside(t), "test", "-count=1", "./fakes")
}

func TestAnotherModuleBringsAProvider(t *testing.T) {
	process.Go(t, outside(t), "vet", "./provider")
}

// TestAnotherProgramHasAtelierWithinIt builds the host, starts it and talks to both
// halves: to the host's own pages, and to a project that its own program builds.
func TestAnotherProgramHasAtelierWithinIt(t *testing.T) {
	dir := outside(t)
	port := conformance.FreePort(t)
	replace(t, filepath.Join(dir, "embed/main.go"), "9090", strconv.Itoa(port))
	binary := filepath.Join(dir, "host")
	process.Go(t, dir, "build", "-o", binary, "./embed")
	begin(t, binary, port)

	service := &site{port: port}
	if got := service.get(t, "www.localhost", "/", ""); got != "200 our own page" {
		t.Errorf("got %q, want the host's own page", got)
	}
	if got := service.get(t, "build.localhost", "/readyz", ""); got != `200 {"status":"ok"}` {
		t.Errorf("got %q, want Atelier ready", got)
	}
	account := service.post(t, "/auth/signup", "", `{"email":"ada@example.com","password":"correct horse battery"}`)
	token := member(t, account, "accessToken")
	workspace := member(t, service.get(t, "build.localhost", "/workspaces", token), "id")
	project := member(t, service.post(t, "/workspaces/"+workspace+"/projects", token, `{"name":"Shop"}`), "id")
	if got := service.post(t, "/projects/"+project+"/publish", token, `{}`); !strings.HasPrefix(got, "200 ") {
		t.Errorf("got %q, want the project published by a worker of the host's program", got)
	}
	if got := service.get(t, "shop.sites.localhost", "/", ""); !strings.HasPrefix(got, "200 <!doctype html>") {
		t.Errorf("got %.80q, want its site", got)
	}
}

// begin runs a program in a folder of its own until the test ends, and waits until it
// listens.
func begin(t *testing.T, binary string, port int) {
	t.Helper()
	command := exec.Command(binary)
	var said conformance.Log
	command.Dir, command.Stdout, command.Stderr = t.TempDir(), &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = command.Wait() }()
	t.Cleanup(func() { _ = command.Process.Kill(); <-ended })
	conformance.Eventually(t, "the host", func() bool {
		select {
		case <-ended:
			t.Fatalf("the host ended: %s", said.String())
		default:
		}
		conn, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// site calls what listens at a port, by any host name.
type site struct{ port int }

// get returns the status and the body.
func (s *site) get(t *testing.T, host, path, token string) string {
	t.Helper()
	return s.call(t, http.MethodGet, host, path, token, "")
}

// post sends JSON to the API.
func (s *site) post(t *testing.T, path, token, body string) string {
	t.Helper()
	return s.call(t, http.MethodPost, "build.localhost", path, token, body)
}

func (s *site) call(t *testing.T, method, host, path, token, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://localhost:%d%s", s.port, path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = fmt.Sprintf("%s:%d", host, s.port)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", answer.StatusCode, strings.TrimSpace(string(content)))
}

// member returns the first text of that name in an answer.
func member(t *testing.T, answer, name string) string {
	t.Helper()
	match := regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(answer)
	if match == nil {
		t.Fatalf("got %s, want %s in it", answer, name)
	}
	return match[1]
}

func replace(t *testing.T, file, old, new string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(content, []byte(old), []byte(new)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheReadmeShowsWhatIsBuilt compares the programs of bootstrap/README.md with those that the tests
// build.
func TestTheReadmeShowsWhatIsBuilt(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, begin := range map[string]string{"embed/main.go": "func main", "provider/main.go": "type echo", "fakes/signup_test.go": "func TestSignUp"} {
		content, err := os.ReadFile(filepath.Join(hosts, file))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(content), begin)
		shown, _, _ := strings.Cut(body, "\tatelier, err := local.Host{Parts")
		if !strings.Contains(string(readme), begin+strings.TrimRight(shown, "\n")) {
			t.Errorf("bootstrap/README.md does not show %s as it is", file)
		}
	}
}
