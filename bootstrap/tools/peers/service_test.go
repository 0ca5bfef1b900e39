package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// studio is the running binary, and somebody who works in it.
type studio struct {
	*process.Service
	b         *testing.B
	http      *http.Client
	token     string
	workspace core.ID
	// team are the access tokens of the others in the workspace.
	team []string
}

// startStudio starts the binary on fresh data, as its default settings do.
func startStudio(b *testing.B) *studio {
	b.Helper()
	return signUp(b, process.Start(b, process.Build(b), "PREPARE=on"))
}

// signUp makes an account in a service.
func signUp(b *testing.B, service *process.Service) *studio {
	b.Helper()
	s := &studio{Service: service, b: b}
	address := strings.Replace(strings.TrimPrefix(s.URL, "http://"), "localhost", "127.0.0.1", 1)
	s.http = &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 16,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
	var answer struct {
		Workspace   core.Workspace
		AccessToken string
	}
	s.call(http.StatusCreated, http.MethodPost, "/auth/signup", map[string]string{"email": "a@example.com", "password": "long enough"}, &answer)
	s.token, s.workspace = answer.AccessToken, answer.Workspace.ID
	return s
}

// call sends JSON, holds the answer to its status and reads it into a value.
func (s *studio) call(status int, method, path string, body, into any) {
	s.b.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		s.b.Fatal(err)
	}
	text := s.send(status, method, s.URL+path, "application/json", content)
	if into == nil {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		s.b.Fatalf("%s %s: %v in %.200s", method, path, err, text)
	}
}

func (s *studio) send(status int, method, address, contentType string, body []byte) []byte {
	s.b.Helper()
	request, err := http.NewRequestWithContext(s.b.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		s.b.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.http.Do(request)
	if err != nil {
		s.b.Fatalf("%s %s: %v", method, address, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		s.b.Fatalf("%s %s: got %d %.500s, %v, want %d", method, address, response.StatusCode, text, err, status)
	}
	return text
}

// project is one of the studio's.
type project struct {
	*studio
	core.Project
}

// template is the template of all measurements.
const template = "todo-app"

func (s *studio) create() *project {
	s.b.Helper()
	return s.createFrom(template)
}

func (s *studio) createFrom(template string) *project {
	s.b.Helper()
	p := &project{studio: s}
	s.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(s.workspace)+"/projects", map[string]string{"name": "Peer", "template": template}, &p.Project)
	return p
}

func (p *project) path(rest string) string { return "/projects/" + string(p.ID) + rest }

func (p *project) save(path, content string) {
	p.b.Helper()
	p.send(http.StatusOK, http.MethodPut, p.URL+p.path("/files/"+path), "text/plain", []byte(content))
}

func (p *project) read(path string) string {
	p.b.Helper()
	return string(p.send(http.StatusOK, http.MethodGet, p.URL+p.path("/files/"+path), "text/plain", nil))
}

// preview starts the preview, waits until it is ready, and returns its address.
func (p *project) preview() string {
	p.b.Helper()
	for {
		var status struct{ URL, Status string }
		p.call(http.StatusOK, http.MethodPost, p.path("/preview"), nil, &status)
		switch status.Status {
		case "ready":
			return strings.TrimSuffix(status.URL, "/") + "/"
		case "error":
			p.b.Fatalf("got %+v, want a preview", status)
		}
	}
}

// publishResult is the result of publishing.
type publishResult struct {
	url  string
	took time.Duration
}

func (p *project) publish() publishResult {
	p.b.Helper()
	var answer struct{ URL string }
	start := time.Now()
	p.call(http.StatusOK, http.MethodPost, p.path("/publish"), map[string]any{}, &answer)
	return publishResult{strings.TrimSuffix(answer.URL, "/") + "/", time.Since(start)}
}
