package nats

import (
	"context"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/broadcast/broadcasttest"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestBus(t *testing.T) {
	broadcasttest.Run(t, func(t *testing.T) (here, there broadcast.Bus) {
		both := ends(t, 2)
		return both[0].Bus(), both[1].Bus()
	})
}

func follow(t *testing.T, conn *Conn, project core.ID) <-chan *core.Notice {
	t.Helper()
	heard, err := conn.Bus().Follow(t.Context(), project)
	if err != nil {
		t.Fatalf("follow: %v", err)
	}
	return heard
}

func hear(t *testing.T, from <-chan *core.Notice) core.Notice {
	t.Helper()
	return *conformance.Await(t, "a notice", from)
}

func TestInstallationsWithOtherPrefixesHearNothingOfEachOther(t *testing.T) {
	project := core.NewID()
	mine, other := ends(t, 2), ends(t, 1)
	heard := follow(t, mine[1], project)
	for _, conn := range []*Conn{other[0], mine[0]} {
		if err := conn.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: project, By: core.Author{Name: conn.prefix}}); err != nil {
			t.Fatal(err)
		}
		if err := conn.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := hear(t, heard).By.Name; got != mine[0].prefix {
		t.Errorf("got a notice of %q, want one of %q alone", got, mine[0].prefix)
	}
}

func TestFollowersOfAProjectShareASubscriptionThatGoesWithTheLast(t *testing.T) {
	conn, project := ends(t, 1)[0], core.NewID()
	before := conn.nc.NumSubscriptions()
	first, leaveFirst := context.WithCancel(t.Context())
	rest, leaveRest := context.WithCancel(t.Context())
	for i := range 1000 {
		ctx := rest
		if i == 0 {
			ctx = first
		}
		if _, err := conn.Bus().Follow(ctx, project); err != nil {
			t.Fatal(err)
		}
	}
	if got := conn.nc.NumSubscriptions() - before; got != 1 {
		t.Errorf("got %d subscriptions for 1000 followers, want 1", got)
	}
	leaveFirst()
	leaveRest()
	eventually(t, "the subscription stays behind the last follower", func() bool { return conn.nc.NumSubscriptions() == before })
}

func TestANoticeThatIsTooLargeHasOthersReadAgain(t *testing.T) {
	both, project := ends(t, 2), core.NewID()
	here, there := follow(t, both[0], project), follow(t, both[1], project)
	large := core.Event{Seq: 1, Payload: core.AssistantMessage{Text: strings.Repeat("x", int(both[0].nc.MaxPayload()))}}
	if err := both[0].Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeChatEvent, ProjectID: project, Event: &large}); err != nil {
		t.Fatalf("publish: got %v, want nil", err)
	}
	if got := hear(t, here); got.Kind != core.NoticeChatEvent {
		t.Errorf("in the same process: got %q, want the notice itself", got.Kind)
	}
	if got := hear(t, there); got.Kind != core.NoticeLagged || got.ProjectID != project {
		t.Errorf("elsewhere: got %q of %s, want %q of %s", got.Kind, got.ProjectID, core.NoticeLagged, project)
	}
}

func TestWhatIsNotUnderstoodIsSkippedWithOneLine(t *testing.T) {
	both, project := ends(t, 2), core.NewID()
	log := &conformance.Log{}
	both[1].bus.skipped.log = newLogger(log)
	heard := follow(t, both[1], project)
	subject, err := both[0].subject(notices, project)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"v":2,"kind":"files"}`, `{"v":1,"kind":"weather"}`, `{"v":1,"kind":"files","files":[{"path":"../x"}]}`, `{"v":1,"kind":"files","files":[{}]}`,
		`{"v":1,"kind":"chat.event","event":{"type":"no.such"}}`, `{`, ``, `{"v":1,"kind":"preview"}`,
	} {
		if err := both[0].nc.Publish(subject, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if got := hear(t, heard); got.Kind != core.NoticePreview {
		t.Errorf("got %+v, want the one notice that is understood", got)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "version 2") {
		t.Errorf("got the log %q, want one line that says why", got)
	}
}

func TestMessagesThatTheLibraryDropsHaveFollowersReadAgain(t *testing.T) {
	conn, project, other := ends(t, 1)[0], core.NewID(), core.NewID()
	heard, unconcerned := follow(t, conn, project), follow(t, conn, other)
	subject, err := conn.subject(notices, project)
	if err != nil {
		t.Fatal(err)
	}
	conn.bus.dropped(subject)
	if got := hear(t, heard).Kind; got != core.NoticeLagged {
		t.Errorf("got %q, want %q", got, core.NoticeLagged)
	}
	if len(unconcerned) != 0 {
		t.Error("the followers of another project were told, too")
	}
	conn.bus.dropped(conn.bus.everybody())
	if got := hear(t, unconcerned).Kind; got != core.NoticeLagged {
		t.Errorf("got %q, want %q", got, core.NoticeLagged)
	}
}

func TestSubjectsTakeNothingButProjects(t *testing.T) {
	conn := ends(t, 1)[0]
	for _, project := range []core.ID{"", "*", ">", "a.b", "a b", core.NewID() + ".x", "\r\nPUB x 1"} {
		if _, err := conn.Bus().Follow(t.Context(), project); err == nil {
			t.Errorf("following %q: got no error", project)
		}
		if err := conn.Bus().Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: project}); err == nil {
			t.Errorf("publishing about %q: got no error", project)
		}
		if err := conn.Unsaved().Save(t.Context(), project); err == nil {
			t.Errorf("saving %q: got no error", project)
		}
		if _, err := conn.Unsaved().Keep(t.Context(), project, nil); err == nil {
			t.Errorf("keeping %q: got no error", project)
		}
	}
}
