package datachanges_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/datachanges"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// bus keeps what is published.
type bus struct {
	broadcast.Bus
	err error

	mu        sync.Mutex
	published []core.Notice
}

func (b *bus) Publish(_ context.Context, notice core.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.published = append(b.published, notice)
	return b.err
}

func (b *bus) notices() []core.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.published)
}

func TestChangesOfAnIntervalShareOneNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &bus{err: errors.New("the first fails")}
		announcer := datachanges.New(heard, slog.New(slog.DiscardHandler))
		test, live := backend.Place{Project: core.NewID(), Env: core.DataTest}, backend.Place{Project: core.NewID(), Env: core.DataLive}
		var writers sync.WaitGroup
		for range 100 {
			writers.Go(func() { announcer.Changed(test) })
		}
		writers.Wait()
		if got := heard.notices(); len(got) != 0 {
			t.Errorf("got %v before the interval is over, want none", got)
		}
		time.Sleep(datachanges.Interval)
		synctest.Wait()
		announcer.Changed(test)
		announcer.Changed(live)
		announcer.Changed(backend.Place{Project: live.Project, Env: core.DataTest, Copy: core.NewID()})
		time.Sleep(datachanges.Interval)
		synctest.Wait()
		var got []backend.Place
		for _, notice := range heard.notices() {
			if notice.Kind != core.NoticeData {
				t.Errorf("got %+v, want a notice of data", notice)
			}
			got = append(got, backend.Place{Project: notice.ProjectID, Env: notice.Data})
		}
		if len(got) != 3 || got[0] != test || !slices.Contains(got[1:], test) || !slices.Contains(got[1:], live) {
			t.Errorf("got %v, want %v twice and %v once", got, test, live)
		}
	})
}

func TestRequestsThatReadAnnounceNothing(t *testing.T) {
	for request, want := range map[string]int{
		"GET /api/collections/posts/records": 0, "HEAD /api/collections/posts/records": 0, "POST /api/realtime": 0, "GET /api/batch": 0,
		"POST /api/files/token": 0, "POST /api/batch": 1, "POST /api/collections/posts/records": 1, "PATCH /api/collections/posts/records/a": 1,
		"DELETE /api/collections/posts/records/a": 1, "POST /api/collections/users/confirm-verification": 1,
	} {
		synctest.Test(t, func(t *testing.T) {
			heard := &bus{}
			announcer := datachanges.New(heard, slog.New(slog.DiscardHandler))
			method, path, _ := strings.Cut(request, " ")
			announcer.Answered(httptest.NewRequest(method, path, http.NoBody), backend.Place{Project: core.NewID(), Env: core.DataTest})
			time.Sleep(datachanges.Interval)
			synctest.Wait()
			if got := len(heard.notices()); got != want {
				t.Errorf("%s: got %d notices, want %d", request, got, want)
			}
		})
	}
	var nobody *datachanges.Announcer
	nobody.Changed(backend.Place{})
}
