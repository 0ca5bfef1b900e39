package agent_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// misbehaviour is a way in which a model or its server misbehaves.
type misbehaviour struct {
	name string
	// mode is the chat's; build when it is empty.
	mode string
	// wires are the protocols that it concerns. If empty, one protocol suffices.
	wires []core.ProviderKind
	// outcome is how the run ends: the reason of session.task_complete, or the code of
	// session.error.
	outcome string
	// answer makes one call of the model.
	answer func(*turn)
	// then makes additional checks; it may be nil.
	then func(*testing.T, *rogueRun)
}

// misbehaviours is the table of them all.
func misbehaviours() []misbehaviour {
	return slices.Concat(brokenAnswers(), brokenCalls(), uselessRuns(), badWrites(), attacks())
}

func allWires() []core.ProviderKind {
	return []core.ProviderKind{core.ProviderOllama, core.ProviderOpenAI, core.ProviderAnthropic}
}

// A person writes humanFile while the first answer of a model is made, and humanDiary
// while each of the first humanEdits is.
const (
	humanFile  = "notes/mine.txt"
	humanDiary = "diary.txt"
	humanEdits = 3
)

// rogueRun is a misbehaviour as it is played.
type rogueRun struct {
	misbehaviour
	t testing.TB
	w *storytest.Work
	// events are the events of the run's stream.
	events []storytest.Event

	mu    sync.Mutex
	calls int
	// calm ends the misbehaviour.
	calm bool
	// human maps paths to what a person last wrote.
	human map[string]string
}

// next counts the calls of the model; 0 when it has to behave.
func (p *rogueRun) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calm {
		return 0
	}
	p.calls++
	return p.calls
}

// edit lets a person save a file.
func (p *rogueRun) edit(path, content string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	request, err := http.NewRequest(http.MethodPut, p.w.URL+p.w.Path("/files/"+path), strings.NewReader(content))
	if err != nil {
		p.t.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+p.w.Token)
	response, err := p.w.Client.Do(request)
	if err != nil {
		p.t.Error(err)
		return
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		p.t.Errorf("the person's edit of %s: got %d, want it saved", path, response.StatusCode)
	}
	p.human[path] = content
}

// rogueService is a service with models that misbehave, and with surroundings that must
// not change.
type rogueService struct {
	*storytest.Caller
	kind core.ProviderKind
	root string
	// neighbour is a project on which nobody works.
	neighbour core.ID
	untouched string

	mu       sync.Mutex
	projects []string
}

func serveRogueService(t *testing.T, models *rogues, kind core.ProviderKind) *rogueService {
	t.Helper()
	s := &rogueService{kind: kind, root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.root, "outside.txt"), []byte("outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := models.env(kind)
	if kind == core.ProviderOpenAI {
		// One of the three keeps its records in PostgreSQL.
		maps.Copy(env, storytest.Postgres(t))
	}
	s.Caller = storytest.Serve(t, filepath.Join(s.root, "data"), local.New, env).SignUp()
	w := s.Create("static-html")
	s.neighbour = w.ID
	entries, err := os.ReadDir(filepath.Join(s.root, "data", "projects"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		s.projects = append(s.projects, entry.Name())
	}
	s.untouched = s.surroundings(t)
	return s
}

// surroundings is everything outside the projects that models work on: names, and the
// content of files that are not the service's own.
func (s *rogueService) surroundings(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	data := filepath.Join(s.root, "data")
	err := filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(s.root, path)
		switch {
		case err != nil:
			return err
		case filepath.Dir(path) == filepath.Join(data, "projects") && path != storytest.ProjectDir(data, s.neighbour):
			return fs.SkipDir
		case filepath.Dir(path) == data:
			if strings.HasPrefix(entry.Name(), "atelier.db") {
				return nil
			}
			fmt.Fprintln(&out, name)
			if entry.IsDir() && entry.Name() != "projects" {
				return fs.SkipDir
			}
		case entry.Type().IsRegular():
			content, err := os.ReadFile(path)
			fmt.Fprintf(&out, "%s %x %v\n", name, sha256.Sum256(content), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// check checks that the surroundings are unchanged.
func (s *rogueService) check(t *testing.T) {
	t.Helper()
	if got := s.surroundings(t); got != s.untouched {
		t.Errorf("%s: got around the projects\n%s\nwant it as it was\n%s", s.kind, got, s.untouched)
	}
	entries, err := os.ReadDir(filepath.Join(s.root, "data", "projects"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(s.projects, entry.Name()) {
			t.Errorf("%s: got %s among the projects, want none that nobody made", s.kind, entry.Name())
		}
	}
}

// failingServer sees that no answer of the service is a failure of its own.
type failingServer struct {
	t    testing.TB
	base http.RoundTripper
}

func (f failingServer) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := f.base.RoundTrip(request)
	if err == nil && response.StatusCode >= 500 {
		f.t.Errorf("%s %s: got %d, want no failure of the service", request.Method, request.URL.Path, response.StatusCode)
	}
	return response, err
}

// TestAModelThatMisbehavesLosesNothingAndEndsInOrder plays every misbehaviour against
// the whole service while a person edits files of the same project.
func TestAModelThatMisbehavesLosesNothingAndEndsInOrder(t *testing.T) {
	models := serveRogues(t)
	services := []*rogueService{}
	for _, kind := range allWires() {
		services = append(services, serveRogueService(t, models, kind))
	}
	// Many run in parallel, because some wait for a retry.
	places := make(chan struct{}, 12)
	var group sync.WaitGroup
	for i, m := range misbehaviours() {
		for at, service := range services {
			if m.wires == nil && at != i%len(services) || m.wires != nil && !slices.Contains(m.wires, service.kind) {
				continue
			}
			places <- struct{}{}
			group.Go(func() {
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s, %s", m.name, service.kind), func(t *testing.T) { service.play(t, models, m) })
			})
		}
	}
	group.Wait()
	for _, service := range services {
		service.check(t)
	}
}

// play plays one misbehaviour and checks the result.
func (s *rogueService) play(t *testing.T, models *rogues, m misbehaviour) {
	client := *s.Client
	client.Transport = failingServer{t, s.Client.Transport}
	c := *s.Caller
	c.Site = &storytest.Site{T: t, App: s.App, URL: s.URL, Client: &client}
	p := &rogueRun{misbehaviour: m, t: t, w: c.Create("static-html"), human: map[string]string{}}
	s.mu.Lock()
	s.projects = append(s.projects, string(p.w.ID))
	s.mu.Unlock()
	if m.mode != "" {
		p.w.Must(http.StatusOK, http.MethodPatch, p.w.Path("/chats/"+string(p.w.Chat)), map[string]string{"mode": m.mode}, nil)
	}
	dir := storytest.ProjectDir(filepath.Join(s.root, "data"), p.w.ID)
	config := gitConfig(t, dir)
	models.add(string(p.w.ID), p)
	p.events = p.message("Please do as you are made.")
	if t.Failed() {
		return
	}
	p.checkEvents(t)
	p.checkFiles(t)
	if got := gitConfig(t, dir); got != config {
		t.Errorf("got the repository's settings %s, want them untouched: %s", got, config)
	}
	if m.then != nil {
		m.then(t, p)
	}
	p.checkGoesOn(t)
}

// message sends a message to the play's model and reads the stream to its end.
func (p *rogueRun) message(text string) []storytest.Event {
	body := map[string]string{"chatId": string(p.w.Chat), "text": text, "model": string(p.w.ID)}
	response := p.w.Open(context.Background(), http.MethodPost, "/chat/"+string(p.w.ID)+"/messages", body)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		p.t.Errorf("message: got %d %s, want a stream", response.StatusCode, content)
		return nil
	}
	return storytest.Events(p.t, response.Body)
}

func (p *rogueRun) said(kind, member string) (all []string) {
	for _, e := range p.events {
		if e.Kind() == kind {
			text, _ := e.Data[member].(string)
			all = append(all, text)
		}
	}
	return all
}

// file returns a file's content; found is false if it does not exist.
func (p *rogueRun) file(path string) (content string, found bool) {
	got := p.w.Do(http.MethodGet, p.w.Path("/files/"+path), nil)
	return string(got.Body), got.Status == http.StatusOK
}

// gitConfig returns the parts of a repository that could make git run a command.
func gitConfig(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	for _, name := range []string{"config", "hooks", "info", "HEAD", "modules", "commondir"} {
		err := filepath.WalkDir(filepath.Join(dir, ".git", name), func(path string, entry fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(&out, "%s %q\n", path, content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
