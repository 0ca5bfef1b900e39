package nats

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// mustEnd fails the test when a call, which patience bounds, does not end.
func mustEnd(t *testing.T, what string, call func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	return conformance.Await(t, "the end of "+what, ended)
}

// markerComes waits for the marker that has a follower read again.
func markerComes(t *testing.T, heard <-chan *core.Notice) {
	t.Helper()
	for hear(t, heard).Kind != core.NoticeLagged {
	}
}

// arrives publishes until a follower hears it: a connection that is back may not be
// back for both sides yet.
func arrives(t *testing.T, from *Conn, project core.ID, heard <-chan *core.Notice) {
	t.Helper()
	eventually(t, "what is published does not arrive", func() bool {
		_ = from.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticePreview, ProjectID: project})
		for {
			select {
			case notice := <-heard:
				if notice.Kind == core.NoticePreview {
					return true
				}
			default:
				return false
			}
		}
	})
}

func TestFollowersReadAgainAfterTheServerWasAway(t *testing.T) {
	t.Parallel()
	server, project, claimed := newServer(t), core.NewID(), new(claims)
	here, there := connect(t, Config{URL: server.url(), OwnerOf: claimed.ownerOf}), connect(t, Config{URL: server.url()})
	heardHere, heardThere := follow(t, here, project), follow(t, there, project)
	server.kill()
	eventually(t, "the loss is not noticed", func() bool { return !here.connected() && !there.connected() })
	if err := mustEnd(t, "check", func() error { return here.Bus().Check(t.Context()) }); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("check: got %v, want code %s", err, core.CodeUnavailable)
	}
	notice := core.Notice{Kind: core.NoticeProject, ProjectID: project}
	for range 1000 {
		if err := here.Bus().Publish(t.Context(), notice); !core.IsCode(err, core.CodeUnavailable) {
			t.Fatalf("publish: got %v, want code %s", err, core.CodeUnavailable)
		}
	}
	if got := hear(t, heardHere).Kind; got != core.NoticeProject {
		t.Errorf("a follower in the same process: got %q, want the notice", got)
	}
	late, lateProject := core.NewID(), core.NewID()
	claimed.claim(late, there.Unsaved().Owner())
	heardLate := follow(t, there, lateProject)
	if err := mustEnd(t, "save", func() error { return here.Unsaved().Save(t.Context(), late) }); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("save: got %v, want code %s", err, core.CodeUnavailable)
	}
	server.start()
	for _, heard := range []<-chan *core.Notice{heardHere, heardThere, heardLate} {
		markerComes(t, heard)
	}
	arrives(t, here, project, heardThere)
	arrives(t, here, lateProject, heardLate)
	if err := here.Unsaved().Save(t.Context(), late); err != nil {
		t.Errorf("save: got %v, want nil", err)
	}
}

func TestASilentServerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	server, project, claimed := newServer(t), core.NewID(), new(claims)
	here, there := connect(t, Config{URL: server.url(), OwnerOf: claimed.ownerOf}), connect(t, Config{URL: server.url()})
	claimed.claim(project, there.Unsaved().Owner())
	heard := follow(t, there, project)
	server.signal(syscall.SIGSTOP)
	resume := func() { server.signal(syscall.SIGCONT) }
	t.Cleanup(resume)
	lateProject := core.NewID()
	var heardLate <-chan *core.Notice
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := mustEnd(t, "check", func() error { return here.Bus().Check(t.Context()) }); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("check: got %v, want code %s", err, core.CodeUnavailable)
		}
	})
	calls.Go(func() {
		if err := mustEnd(t, "save", func() error { return here.Unsaved().Save(t.Context(), project) }); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("save: got %v, want code %s", err, core.CodeUnavailable)
		}
	})
	calls.Go(func() {
		err := mustEnd(t, "following", func() (err error) { heardLate, err = there.Bus().Follow(t.Context(), lateProject); return err })
		if err != nil {
			t.Errorf("follow: got %v, want nil", err)
		}
	})
	calls.Wait()
	large := core.Event{Seq: 1, Payload: core.AssistantMessage{Text: strings.Repeat("x", 500_000)}}
	for range 40 { // More than the buffers between take.
		_ = mustEnd(t, "publishing", func() error {
			return here.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeChatEvent, ProjectID: project, Event: &large})
		})
	}
	eventually(t, "the silence is not noticed", func() bool { return !here.connected() })
	resume()
	markerComes(t, heard)
	markerComes(t, heardLate)
	arrives(t, here, project, heard)
	arrives(t, here, lateProject, heardLate)
}

func TestWhatAPublisherCouldNotSayOthersReadAgain(t *testing.T) {
	t.Parallel()
	server, project, untouched := newServer(t), core.NewID(), core.NewID()
	network := newPipe(t, server.host)
	here, there := connect(t, Config{URL: network.url()}), connect(t, Config{URL: server.url()})
	heard, unconcerned := follow(t, there, project), follow(t, there, untouched)
	network.setCut(true)
	eventually(t, "the loss is not noticed", func() bool { return !here.connected() })
	if err := here.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: project}); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("publish: got %v, want code %s", err, core.CodeUnavailable)
	}
	network.setCut(false)
	if got := hear(t, heard).Kind; got != core.NoticeLagged {
		t.Errorf("got %q, want %q", got, core.NoticeLagged)
	}
	if len(unconcerned) > 0 {
		t.Errorf("the followers of a project of which nothing was said were told %q", (<-unconcerned).Kind)
	}
	network.setCut(true)
	eventually(t, "the loss is not noticed", func() bool { return !here.connected() })
	for range 2*maxRecent + 1 {
		_ = here.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: core.NewID()})
	}
	network.setCut(false)
	markerComes(t, unconcerned)
}

func TestConnectRefusesAndShowsNoCredentials(t *testing.T) {
	server := newServer(t, "--user", "atelier", "--pass", "right")
	log := &conformance.Log{}
	for _, url := range []string{
		"nats://atelier:hunter2@" + server.host, "nats://hunter2@" + server.host, "nats://atelier:hunter2@127.0.0.1:1",
		"nats://atelier:hunter2@no such host", "http://atelier:hunter2@" + server.host, "nats://atelier:hunter2@", "nats://x/hunter2", "hunter2",
		"nats://atelier:hunter2@" + server.host + ",hunter2",
	} {
		conn, err := Connect(t.Context(), Config{URL: url, Log: newLogger(log)})
		if err == nil {
			conn.Close()
			t.Errorf("%s: got no error", url)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || core.CodeOf(err) != core.CodeUnavailable && core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: got %v, want a code and no credentials", url, err)
		}
	}
	conn := connect(t, Config{URL: "nats://atelier:right@" + server.host, Log: newLogger(log)})
	server.kill()
	eventually(t, "the loss is not logged", func() bool { return strings.Contains(log.String(), server.host) })
	server.start()
	eventually(t, "the connection does not come back", func() bool { return conn.Check(t.Context()) == nil })
	if got := log.String(); strings.Contains(got, "hunter2") || strings.Contains(got, "right") {
		t.Errorf("got the log %q, want no credentials", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Connect(ctx, Config{URL: server.url(), Log: slog.New(slog.NewTextHandler(io.Discard, nil))}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := Connect(t.Context(), Config{URL: server.url(), Prefix: "a.>", Log: newLogger(log)}); !core.IsCode(err, core.CodeInvalidRequest) {
		t.Errorf("a wrong prefix: got %v, want code %s", err, core.CodeInvalidRequest)
	}
}
