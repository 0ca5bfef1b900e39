// Package exampleop runs an OpenID provider for tests: the example server of zitadel/oidc, which is
// the library of a certified provider. It tells e-mail and name at its userinfo endpoint alone.
package exampleop

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// The program and the version of its module.
const (
	program = "github.com/zitadel/oidc/v3/example/server"
	version = "v3.52.0"
)

// What the provider knows: a client, and a person whose address it has verified.
const (
	ClientID     = "web"
	ClientSecret = "secret"
	Email        = "test-user@zitadel.ch"
	username     = "test-user@localhost"
	password     = "verysecure"
	// Scope asks for the claim of GroupsPath, which has the one group Group.
	Scope      = "custom_scope"
	GroupsPath = "custom_claim.other"
	Group      = "stuff"
)

// patience is how long the program may take to start.
const patience = time.Minute

// Provider is the running program.
type Provider struct {
	Issuer string
	t      testing.TB
	client *http.Client
}

// Start runs the program until the test ends, for a client with a redirect URI.
func Start(t testing.TB, redirectURI string) *Provider {
	t.Helper()
	port := strconv.Itoa(conformance.FreePort(t))
	command := exec.Command(filepath.Join(install(t), "server"))
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + port, "REDIRECT_URI=" + redirectURI}
	command.Stdout, command.Stderr = io.Discard, io.Discard
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{Issuer: "http://localhost:" + port + "/", t: t, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	p.await()
	return p
}

// await waits until the program listens.
func (p *Provider) await() {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		answer, err := p.client.Get(p.Issuer + ".well-known/openid-configuration")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s does not answer: %v", program, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Approve signs the person in on the page of an address, and returns where the browser is sent
// back to.
func (p *Provider) Approve(authorizeURL string) string {
	p.t.Helper()
	login := p.follow(p.get(authorizeURL))
	id := login.Query().Get("authRequestID")
	login.RawQuery = ""
	answer, err := p.client.PostForm(login.String(), url.Values{"id": {id}, "username": {username}, "password": {password}})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.follow(p.get(p.follow(answer).String())).String()
}

// Visit opens a page, and returns where it sends the browser.
func (p *Provider) Visit(address string) string {
	p.t.Helper()
	return p.follow(p.get(address)).String()
}

func (p *Provider) get(address string) *http.Response {
	p.t.Helper()
	answer, err := p.client.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// follow returns where an answer sends the browser.
func (p *Provider) follow(answer *http.Response) *url.URL {
	p.t.Helper()
	defer answer.Body.Close()
	where, err := answer.Location()
	if err != nil {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		p.t.Fatalf("%s: got %d %s, want a redirect", answer.Request.URL, answer.StatusCode, strings.TrimSpace(string(said)))
	}
	return where
}

// install returns the folder of the program. The first test that calls it builds it, for all later
// ones on the machine; others wait.
func install(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "atelier-tests", "exampleop-"+version)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	part := folder + ".part"
	if err := build(part); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(part, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// build runs outside of any module, because the program is not part of this one.
func build(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	command := exec.Command("go", "install", program+"@"+version)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOBIN="+folder, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the tests need %s %s, which go install does not bring: %w\n%s", program, version, err, out)
	}
	return nil
}
