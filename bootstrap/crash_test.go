package bootstrap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

// crashRounds is how often each crash test kills the process.
const crashRounds = 12

// crash is a real process on data that outlives it.
type crash struct {
	*process.Service
	*work
	random *rand.Rand
}

func startCrash(t *testing.T, template string) *crash {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	service := process.Start(t, process.Build(t))
	s := &site{t: t, url: service.URL, http: localClient()}
	return &crash{service, s.signUp().create(template), rand.New(rand.NewPCG(seed, 0))}
}

// killWithin kills the process at a random moment within d.
func (c *crash) killWithin(d time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(d))))
	c.Kill()
	c.http.CloseIdleConnections()
}

// checkRepository lets the stock client look at the project's repository.
func (c *crash) checkRepository(t testing.TB) {
	t.Helper()
	check := exec.Command("git", "--git-dir", projectDir(c.Dir, c.ID)+"/.git", "fsck", "--strict", "--no-dangling")
	check.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("git fsck: %v\n%s", err, out)
	}
}

// history reads the chat's whole log.
func (w *work) history() []map[string]any {
	w.t.Helper()
	var page struct{ Items []map[string]any }
	w.must(http.StatusOK, http.MethodGet, "/chat/"+string(w.ID)+"/messages"+query("chatId", string(w.chat), "after", "0", "limit", "500"), nil, &page)
	return page.Items
}

// message sends a message in the background and returns the seqs of the events
// that arrived, when the stream ends.
func (c *crash) message(text string) <-chan []string {
	seen := make(chan []string, 1)
	go func() {
		var ids []string
		defer func() { seen <- ids }()
		body, _ := json.Marshal(map[string]string{"chatId": string(c.chat), "text": text})
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+"/chat/"+string(c.ID)+"/messages", bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+c.token)
		response, err := c.http.Do(request)
		if err != nil {
			return
		}
		defer response.Body.Close()
		content, _ := io.ReadAll(response.Body)
		for line := range strings.Lines(string(content)) {
			if id, isID := strings.CutPrefix(strings.TrimSpace(line), "id: "); isID {
				ids = append(ids, id)
			}
		}
	}()
	return seen
}

func TestKillDuringARunLosesNothingThatWasSeen(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	last := 0
	for round := range crashRounds {
		seen := c.message(fmt.Sprintf(`Change the heading to "Round %d".`, round))
		c.killWithin(60 * time.Millisecond)
		ids := <-seen
		c.Restart()
		log := c.history()
		for i, e := range log {
			if seq, ok := e["seq"].(float64); !ok || int(seq) != i+1 {
				t.Fatalf("round %d: got seq %v at place %d, want no gap", round, e["seq"], i+1)
			}
		}
		if len(log) < last+len(ids) {
			t.Fatalf("round %d: the client saw %d events, the log has %d more than before", round, len(ids), len(log)-last)
		}
		if len(log) > last {
			if kind := log[len(log)-1]["type"]; kind != "session.error" && kind != "session.task_complete" {
				t.Fatalf("round %d: got %v at the end, want an ended run", round, kind)
			}
		}
		c.checkRepository(t)
		after := c.send("And now?")
		if kind := after[len(after)-1].kind(); kind != "session.task_complete" {
			t.Fatalf("round %d: got %s, want a chat that works again", round, kinds(after))
		}
		last = len(c.history())
	}
}

func TestKillDuringAPublishServesTheOldSiteOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	index := func(round int) string {
		return fmt.Sprintf("<!doctype html><title>t</title><link rel=stylesheet href=/style.css><h1>Round %d</h1>", round)
	}
	put := func(round int) {
		for path, content := range map[string]string{"/files/index.html": index(round), "/files/style.css": fmt.Sprintf("h1{order:%d}", round)} {
			if got := c.do(http.MethodPut, c.path(path), strings.NewReader(content)); got.status >= 300 {
				t.Fatalf("put: got %d %s", got.status, got.body)
			}
		}
	}
	put(0)
	var published struct{ URL string }
	c.must(http.StatusOK, http.MethodPost, c.path("/publish"), map[string]string{}, &published)
	for round := 1; round <= crashRounds; round++ {
		put(round)
		done := make(chan struct{})
		go func() {
			defer close(done)
			request, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+c.path("/publish"), strings.NewReader("{}"))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+c.token)
			if response, err := c.http.Do(request); err == nil {
				response.Body.Close()
			}
		}()
		c.killWithin(40 * time.Millisecond)
		<-done
		c.Restart()
		page := c.fetch(published.URL + "/")
		old, current := strings.Contains(string(page.body), fmt.Sprintf("Round %d<", round-1)), strings.Contains(string(page.body), fmt.Sprintf("Round %d<", round))
		if page.status != http.StatusOK || !old && !current {
			t.Fatalf("round %d: got %d %s, want the old page or the new one", round, page.status, page.body)
		}
		c.must(http.StatusOK, http.MethodPost, c.path("/publish"), map[string]string{}, nil)
		c.checkRepository(t)
	}
	c.wantOneLive(t)
}

// wantOneLive holds the project to having exactly one live deployment.
func (c *crash) wantOneLive(t *testing.T) {
	t.Helper()
	live := 0
	for _, d := range c.deployments() {
		if d.Status == core.DeploymentLive {
			live++
		}
	}
	if live != 1 {
		t.Fatalf("got %d live deployments, want one", live)
	}
}

// deployments lists those of the project, the newest first.
func (c *crash) deployments() []core.Deployment {
	c.t.Helper()
	var list struct{ Items []core.Deployment }
	c.must(http.StatusOK, http.MethodGet, c.path("/deployments"), nil, &list)
	return list.Items
}

func TestKillDuringARollbackServesTheOldSiteOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := startCrash(t, "static-html")
	var published struct{ URL string }
	for _, name := range []string{"first", "second"} {
		content := strings.NewReader("<!doctype html><link rel=stylesheet href=/style.css><h1>" + name + "</h1>")
		if got := c.do(http.MethodPut, c.path("/files/index.html"), content); got.status >= 300 {
			t.Fatalf("put: got %d %s", got.status, got.body)
		}
		c.must(http.StatusOK, http.MethodPost, c.path("/publish"), map[string]string{}, &published)
	}
	targets := c.deployments()
	for round := range crashRounds {
		target := c.path("/deployments/" + string(targets[(round+1)%2].ID) + "/rollback")
		done := make(chan struct{})
		go func() {
			defer close(done)
			request, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+target, nil)
			request.Header.Set("Authorization", "Bearer "+c.token)
			if response, err := c.http.Do(request); err == nil {
				response.Body.Close()
			}
		}()
		c.killWithin(10 * time.Millisecond)
		<-done
		c.Restart()
		page, style := c.fetch(published.URL+"/"), c.fetch(published.URL+"/style.css")
		if page.status != http.StatusOK || style.status != http.StatusOK || !strings.Contains(string(page.body), "first") && !strings.Contains(string(page.body), "second") {
			t.Fatalf("round %d: got %d %s, want one of the two pages", round, page.status, page.body)
		}
		c.wantOneLive(t)
		c.must(http.StatusOK, http.MethodPost, target, nil, nil)
	}
}
