// Package broadcasttest tests a broadcast.Bus against its port.
package broadcasttest

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/conformance"
)

// backlog is how far a follower may fall behind without missing anything.
const backlog = 32

// Run tests a broadcast.Bus against its contract. open returns two ends of one
// bus, as two processes have them; where there is only one process, the same
// bus twice.
func Run(t *testing.T, open func(t *testing.T) (here, there broadcast.Bus)) {
	clauses := []struct {
		name  string
		check func(t *testing.T, here, there broadcast.Bus)
	}{
		{"a notice arrives as it was published", keepsNotices},
		{"a publisher follows itself", reachesItself},
		{"every follower of the project hears it, and no other", separatesProjects},
		{"each publisher's order is kept", keepsOrder},
		{"a slow follower never makes a publisher wait and gets a marker in place of what it missed", marksGaps},
		{"a follower exactly as far behind as is allowed misses nothing", holdsBacklog},
		{"the end of the context closes the channel", closesChannel},
		{"a context that has ended follows nothing", refusesEndedContext},
		{"publishing to nobody works", publishesToNobody},
		{"followers that are gone leave no goroutine behind", leaksNothing},
		{"a working bus passes its check", checks},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) {
			here, there := open(t)
			clause.check(t, here, there)
		})
	}
}

func keepsNotices(t *testing.T, here, there broadcast.Bus) {
	for _, want := range wholeNotices() {
		heard := follow(t, there, want.ProjectID)
		publish(t, here, want)
		if got := nextNotice(t, heard); !reflect.DeepEqual(got, want) {
			t.Errorf("notice %q: got %+v, want %+v", want.Kind, got, want)
		}
	}
}

func wholeNotices() []core.Notice {
	project, chat := core.NewID(), core.NewID()
	from, to := core.MustPath("src/old name.tsx"), core.MustPath("src/ü/[id].tsx")
	entry := core.FileEntry{Path: to, Size: 42, UpdatedAt: 1_700_000_000_123, ETag: `"5d41402a"`}
	by := core.Author{Kind: core.AuthorUser, Name: "Zoë"}
	call := core.Event{Seq: 7, CreatedAt: 1_700_000_000_456, Payload: core.ToolCall{ID: "1", Tool: "read_file", Args: []byte(`{"path":"a"}`)}}
	return []core.Notice{
		{Kind: core.NoticeFiles, ProjectID: project, By: by, Files: []core.FileNotice{
			{Action: core.FileRenamed, Path: to, From: &from, Entry: &entry},
			{Action: core.FileDeleted, Path: from},
		}},
		{Kind: core.NoticeChatEvent, ProjectID: project, By: core.Author{Kind: core.AuthorAgent}, ChatID: chat, Event: &call},
		{Kind: core.NoticeRunStop, ProjectID: project, RunID: core.NewID()},
		{Kind: core.NoticePreview, ProjectID: project},
		{Kind: core.NoticeProject, ProjectID: project, By: by},
	}
}

func reachesItself(t *testing.T, here, _ broadcast.Bus) {
	project := core.NewID()
	heard := follow(t, here, project)
	publish(t, here, numbered(project, 1))
	if got := nextNotice(t, heard).Event.Seq; got != 1 {
		t.Errorf("got notice %d, want 1", got)
	}
}

func separatesProjects(t *testing.T, here, there broadcast.Bus) {
	project, other := core.NewID(), core.NewID()
	followers := []<-chan *core.Notice{follow(t, here, project), follow(t, there, project), follow(t, there, project)}
	publish(t, here, numbered(other, 1))
	publish(t, here, numbered(project, 2))
	for i, heard := range followers {
		if got := nextNotice(t, heard); got.ProjectID != project || got.Event.Seq != 2 {
			t.Errorf("follower %d: got notice %d of project %s, want 2 of %s", i, got.Event.Seq, got.ProjectID, project)
		}
	}
}

func keepsOrder(t *testing.T, here, there broadcast.Bus) {
	const publishers, each = 4, backlog/4 - 1 // together fewer than the backlog
	project := core.NewID()
	followers := []<-chan *core.Notice{follow(t, here, project), follow(t, there, project)}
	var running sync.WaitGroup
	for p := range publishers {
		running.Go(func() {
			for n := range each {
				notice := numbered(project, int64(n))
				notice.By.Name = fmt.Sprint(p)
				if err := here.Publish(context.Background(), notice); err != nil {
					t.Errorf("publish: %v", err)
				}
			}
		})
	}
	running.Wait()
	for i, heard := range followers {
		next := map[string]int64{}
		for range publishers * each {
			got := nextNotice(t, heard)
			if got.Kind != core.NoticeChatEvent || got.Event.Seq != next[got.By.Name] {
				t.Fatalf("follower %d, publisher %s: got %+v, want number %d", i, got.By.Name, got, next[got.By.Name])
			}
			next[got.By.Name]++
		}
	}
}

func marksGaps(t *testing.T, here, there broadcast.Bus) {
	const floods, each = 2, 4 * backlog
	project := core.NewID()
	slow := follow(t, there, project)
	quick := follow(t, there, project)
	var heard []core.Notice
	number := int64(0)
	for range floods {
		for range each {
			publish(t, here, numbered(project, number))
			if got := nextNotice(t, quick).Event; got == nil || got.Seq != number {
				t.Fatalf("a quick follower beside a slow one: got %+v, want number %d", got, number)
			}
			number++
		}
		for range backlog {
			heard = append(heard, nextNotice(t, slow))
		}
		publish(t, here, numbered(project, number))
		nextNotice(t, quick)
		for last := core.NoticeLagged; last == core.NoticeLagged || heard[len(heard)-1].Event.Seq != number; {
			heard = append(heard, nextNotice(t, slow))
			last = heard[len(heard)-1].Kind
		}
		number++
	}
	checkGaps(t, heard, floods)
	if len(heard) >= floods*each {
		t.Errorf("got %d notices of %d, want fewer: nothing bounds the backlog", len(heard), number)
	}
}

// checkGaps wants a marker in every gap of the numbers, at least as many as
// there were floods, none elsewhere, and no gap among the first notices.
func checkGaps(t *testing.T, heard []core.Notice, floods int) {
	t.Helper()
	previous, markers, marked := int64(-1), 0, false
	for i, notice := range heard {
		if notice.ProjectID != heard[0].ProjectID {
			t.Fatalf("notice %d: got project %q, want %q", i, notice.ProjectID, heard[0].ProjectID)
		}
		if notice.Kind == core.NoticeLagged {
			if marked || i < backlog {
				t.Fatalf("notice %d is a marker: the one before it was too (%v), or it came too early", i, marked)
			}
			marked, markers = true, markers+1
			continue
		}
		if gap := notice.Event.Seq != previous+1; gap != marked {
			t.Fatalf("number %d behind %d: got marker %v, want %v", notice.Event.Seq, previous, marked, gap)
		}
		previous, marked = notice.Event.Seq, false
	}
	if markers < floods {
		t.Errorf("got %d markers, want one for each of %d times that it missed some", markers, floods)
	}
}

func holdsBacklog(t *testing.T, here, there broadcast.Bus) {
	project := core.NewID()
	heard := follow(t, there, project)
	for n := range int64(backlog) {
		publish(t, here, numbered(project, n))
	}
	for n := range int64(backlog) {
		if got := nextNotice(t, heard); got.Kind != core.NoticeChatEvent || got.Event.Seq != n {
			t.Fatalf("got %+v, want number %d", got, n)
		}
	}
}

func closesChannel(t *testing.T, here, there broadcast.Bus) {
	project := core.NewID()
	ctx, cancel := context.WithCancel(t.Context())
	ended, err := there.Follow(ctx, project)
	if err != nil {
		t.Fatalf("follow: %v", err)
	}
	stays := follow(t, there, project)
	cancel()
	waitClosed(t, ended)
	publish(t, here, numbered(project, 1))
	if got := nextNotice(t, stays).Event.Seq; got != 1 {
		t.Errorf("the follower that stays: got number %d, want 1", got)
	}
}

func refusesEndedContext(t *testing.T, _, there broadcast.Bus) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if heard, err := there.Follow(ctx, core.NewID()); err == nil {
		waitClosed(t, heard)
	}
}

func publishesToNobody(t *testing.T, here, _ broadcast.Bus) {
	for n := range int64(2 * backlog) {
		publish(t, here, numbered(core.NewID(), n))
	}
}

func leaksNothing(t *testing.T, here, there broadcast.Bus) {
	project := core.NewID()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	var channels []<-chan *core.Notice
	for range 50 {
		heard, err := there.Follow(ctx, project)
		if err != nil {
			t.Fatalf("follow: %v", err)
		}
		channels = append(channels, heard)
	}
	for n := range int64(2 * backlog) { // nobody reads: delivery is stuck
		publish(t, here, numbered(project, n))
	}
	cancel()
	for _, heard := range channels {
		waitClosed(t, heard)
	}
	deadline := time.Now().Add(conformance.Patience)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := runtime.NumGoroutine(); got > before {
		t.Errorf("got %d goroutines, want the %d from before", got, before)
	}
}

func checks(t *testing.T, here, there broadcast.Bus) {
	for _, bus := range []broadcast.Bus{here, there} {
		if err := bus.Check(t.Context()); err != nil {
			t.Errorf("check: got %v, want nil", err)
		}
	}
}

func numbered(project core.ID, n int64) core.Notice {
	return core.Notice{Kind: core.NoticeChatEvent, ProjectID: project, Event: &core.Event{Seq: n, Payload: core.MessageDelta{Delta: "x"}}}
}

func follow(t *testing.T, bus broadcast.Bus, project core.ID) <-chan *core.Notice {
	t.Helper()
	heard, err := bus.Follow(t.Context(), project)
	if err != nil {
		t.Fatalf("follow: %v", err)
	}
	return heard
}

func publish(t *testing.T, bus broadcast.Bus, notice core.Notice) {
	t.Helper()
	published := make(chan error, 1)
	go func() { published <- bus.Publish(t.Context(), notice) }()
	select {
	case err := <-published:
		if err != nil {
			t.Fatalf("publish: %v", err)
		}
	case <-time.After(conformance.Patience):
		t.Fatal("publishing waits, want it never to")
	}
}

func nextNotice(t *testing.T, heard <-chan *core.Notice) core.Notice {
	t.Helper()
	select {
	case notice, open := <-heard:
		if !open {
			t.Fatal("the channel is closed, want a notice")
		}
		return *notice
	case <-time.After(conformance.Patience):
		t.Fatal("got no notice in time")
	}
	return core.Notice{}
}

// waitClosed reads what is left in the channel until it is closed.
func waitClosed(t *testing.T, heard <-chan *core.Notice) {
	t.Helper()
	expired := time.After(conformance.Patience)
	for {
		select {
		case _, open := <-heard:
			if !open {
				return
			}
		case <-expired:
			t.Fatal("the channel is not closed, want it closed soon after the context ended")
		}
	}
}
