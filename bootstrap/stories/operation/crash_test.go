package operation_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

func TestKillDuringARunLosesNothingThatWasSeen(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, "static-html")
	last := 0
	for round := range storytest.CrashRounds {
		seen := c.Message(fmt.Sprintf(`Change the heading to "Round %d".`, round))
		c.KillWithin(60 * time.Millisecond)
		ids := <-seen
		c.Restart()
		log := c.History()
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
		c.CheckRepository(t)
		after := c.Send("And now?")
		if kind := after[len(after)-1].Kind(); kind != "session.task_complete" {
			t.Fatalf("round %d: got %s, want a chat that works again", round, storytest.Kinds(after))
		}
		last = len(c.History())
	}
}

func TestKillDuringAPublishServesTheOldSiteOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, "static-html")
	index := func(round int) string {
		return fmt.Sprintf("<!doctype html><title>t</title><link rel=stylesheet href=/style.css><h1>Round %d</h1>", round)
	}
	put := func(round int) {
		for path, content := range map[string]string{"/files/index.html": index(round), "/files/style.css": fmt.Sprintf("h1{order:%d}", round)} {
			if got := c.Do(http.MethodPut, c.Path(path), strings.NewReader(content)); got.Status >= 300 {
				t.Fatalf("put: got %d %s", got.Status, got.Body)
			}
		}
	}
	put(0)
	var published struct{ URL string }
	c.Must(http.StatusOK, http.MethodPost, c.Path("/publish"), map[string]string{}, &published)
	for round := 1; round <= storytest.CrashRounds; round++ {
		put(round)
		done := make(chan struct{})
		go func() {
			defer close(done)
			request, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, c.URL+c.Path("/publish"), strings.NewReader("{}"))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+c.Token)
			if response, err := c.Client.Do(request); err == nil {
				response.Body.Close()
			}
		}()
		c.KillWithin(40 * time.Millisecond)
		<-done
		c.Restart()
		page := c.Fetch(published.URL + "/")
		old, current := strings.Contains(string(page.Body), fmt.Sprintf("Round %d<", round-1)), strings.Contains(string(page.Body), fmt.Sprintf("Round %d<", round))
		if page.Status != http.StatusOK || !old && !current {
			t.Fatalf("round %d: got %d %s, want the old page or the new one", round, page.Status, page.Body)
		}
		c.Must(http.StatusOK, http.MethodPost, c.Path("/publish"), map[string]string{}, nil)
		c.CheckRepository(t)
	}
	wantOneLive(c, t)
}

// wantOneLive checks that the project has exactly one live deployment.
func wantOneLive(c *storytest.Crash, t *testing.T) {
	t.Helper()
	live := 0
	for _, d := range deployments(c) {
		if d.Status == core.DeploymentLive {
			live++
		}
	}
	if live != 1 {
		t.Fatalf("got %d live deployments, want one", live)
	}
}

// deployments lists those of the project, the newest first.
func deployments(c *storytest.Crash) []core.Deployment {
	c.T.Helper()
	var list struct{ Items []core.Deployment }
	c.Must(http.StatusOK, http.MethodGet, c.Path("/deployments"), nil, &list)
	return list.Items
}

func TestKillDuringARollbackServesTheOldSiteOrTheNewOne(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, "static-html")
	var published struct{ URL string }
	for _, name := range []string{"first", "second"} {
		content := strings.NewReader("<!doctype html><link rel=stylesheet href=/style.css><h1>" + name + "</h1>")
		if got := c.Do(http.MethodPut, c.Path("/files/index.html"), content); got.Status >= 300 {
			t.Fatalf("put: got %d %s", got.Status, got.Body)
		}
		c.Must(http.StatusOK, http.MethodPost, c.Path("/publish"), map[string]string{}, &published)
	}
	targets := deployments(c)
	for round := range storytest.CrashRounds {
		target := c.Path("/deployments/" + string(targets[(round+1)%2].ID) + "/rollback")
		done := make(chan struct{})
		go func() {
			defer close(done)
			request, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, c.URL+target, nil)
			request.Header.Set("Authorization", "Bearer "+c.Token)
			if response, err := c.Client.Do(request); err == nil {
				response.Body.Close()
			}
		}()
		c.KillWithin(10 * time.Millisecond)
		<-done
		c.Restart()
		page, style := c.Fetch(published.URL+"/"), c.Fetch(published.URL+"/style.css")
		if page.Status != http.StatusOK || style.Status != http.StatusOK || !strings.Contains(string(page.Body), "first") && !strings.Contains(string(page.Body), "second") {
			t.Fatalf("round %d: got %d %s, want one of the two pages", round, page.Status, page.Body)
		}
		wantOneLive(c, t)
		c.Must(http.StatusOK, http.MethodPost, target, nil, nil)
	}
}
