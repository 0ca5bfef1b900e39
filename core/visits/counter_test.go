package visits_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/visits"
	"github.com/atelierhq/atelier/ports/storage"
)

// fixture is a project with a member, and a counter whose database may fail.
type fixture struct {
	*testing.T
	store   *brokenStore
	counter *visits.Counter
	project core.ID
	member  core.Actor
	// ahead is how far the clock is ahead.
	ahead time.Duration
}

type brokenStore struct {
	storage.Store
	broken error
}

func (s *brokenStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	if s.broken != nil {
		return s.broken
	}
	return s.Store.InTx(ctx, do)
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, store: &brokenStore{Store: memory.NewStore()}, project: core.NewID(), member: core.Actor{UserID: core.NewID()}}
	f.counter = f.newCounter()
	tables, space := f.store.Tables(), core.NewID()
	f.must(tables.Users.Create(t.Context(), core.User{ID: f.member.UserID, Email: "a@example.com"}))
	f.must(tables.Workspaces.Create(t.Context(), core.Workspace{ID: space, Name: "Space", Slug: "space"}))
	f.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space, UserID: f.member.UserID, Role: core.RoleMember}))
	f.must(tables.Projects.Create(t.Context(), core.Project{ID: f.project, WorkspaceID: space, Name: "Shop", Slug: "shop", Visibility: core.VisibilityPublic, CreatedBy: f.member.UserID}))
	return f
}

func (f *fixture) newCounter() *visits.Counter {
	return visits.NewCounter(visits.Deps{
		Store: f.store, Gate: access.NewGate(f.store), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC).Add(f.ahead) },
	})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) report(days int) visits.Report {
	f.Helper()
	report, err := f.counter.Report(f.Context(), f.member, f.project, days)
	f.must(err)
	return report
}

func TestAReportSaysWhatWasOpenedAndFromWhere(t *testing.T) {
	f := newFixture(t)
	f.counter.Count(f.project, "/", "", false)
	f.ahead = 24 * time.Hour
	f.counter.Count(f.project, "/", "Search.example", false)
	f.counter.Count(f.project, "/about", "shop.example", true)
	f.counter.Count(f.project, "/about", "search.example", false)
	got := f.report(2)
	want := visits.Report{
		Visits: 3, Views: 4,
		Days:      []visits.Day{{Day: "2026-11-24", Visits: 1, Views: 1}, {Day: "2026-11-25", Visits: 2, Views: 3}},
		Pages:     []visits.Page{{Path: "/", Views: 2}, {Path: "/about", Views: 2}},
		Referrers: []visits.Referrer{{Host: "search.example", Visits: 2}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if today := f.report(1); today.Views != 3 || len(today.Days) != 1 {
		t.Errorf("got %+v, want today's three views", today)
	}
}

func TestNamesBeyondTheBoundAreCountedTogether(t *testing.T) {
	f := newFixture(t)
	for i := range 500 {
		f.counter.Count(f.project, fmt.Sprintf("/%03d", i), "", true)
		if i%150 == 0 {
			f.report(1)
		}
	}
	f.counter.Count(f.project, "/000", "", true)
	report := f.report(1)
	last := report.Pages[len(report.Pages)-1]
	if report.Views != 501 || len(report.Pages) != 51 || report.Pages[0] != (visits.Page{Path: "/000", Views: 2}) || last.Path != "" || last.Views != 501-51 {
		t.Errorf("got %d views and %+v, want 50 pages and the others in one", report.Views, report.Pages)
	}
	rows, err := f.store.Tables().SiteCounts.List(t.Context(), f.project, 0)
	if err != nil || len(rows) > 202 {
		t.Errorf("got %d rows, %v, want at most 202", len(rows), err)
	}
}

func TestAnyPathCanBeCounted(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/\x00\xff", "/" + strings.Repeat("ü", 200), ""} {
		f.counter.Count(f.project, path, "\x00", false)
	}
	report := f.report(1)
	var paths []string
	for _, page := range report.Pages {
		paths = append(paths, page.Path)
	}
	slices.Sort(paths)
	if want := []string{"", "/", "/" + strings.Repeat("ü", 99)}; !slices.Equal(paths, want) || report.Visits != 3 {
		t.Errorf("got %q, want %q", paths, want)
	}
}

func TestCountsSurviveADatabaseThatIsAway(t *testing.T) {
	f := newFixture(t)
	f.counter.Count(f.project, "/", "", false)
	f.store.broken = core.Wrap(core.CodeUnavailable, errors.New("away"), "the database is away")
	f.report(1)
	f.counter.Count(f.project, "/", "", false)
	f.store.broken = nil
	if report := f.report(1); report.Visits != 2 {
		t.Errorf("got %d visits, want both", report.Visits)
	}
}

func TestAProjectThatIsGoneKeepsNoOtherFromBeingCounted(t *testing.T) {
	f := newFixture(t)
	f.counter.Count(core.NewID(), "/", "", false)
	f.counter.Count(f.project, "/", "", false)
	if report := f.report(1); report.Visits != 1 {
		t.Errorf("got %d visits, want 1", report.Visits)
	}
}

func TestCountsAreWrittenWhileTheServiceRunsAndWhenItStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		old := core.SiteDay(core.At(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)))
		f.must(f.store.Tables().SiteCounts.Add(t.Context(), []core.SiteCount{{ProjectID: f.project, Day: old, Kind: core.CountVisits, Count: 1}}))
		f.counter.Start()
		f.counter.Count(f.project, "/", "", false)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		rows, err := f.store.Tables().SiteCounts.List(t.Context(), f.project, 0)
		if err != nil || len(rows) != 2 {
			t.Errorf("got %+v, %v, want the view and the visit, and nothing of long ago", rows, err)
		}
		f.counter.Count(f.project, "/late", "", true)
		f.must(f.counter.Close(t.Context()))
		f.counter = f.newCounter()
		if report := f.report(1); report.Views != 2 {
			t.Errorf("got %d views after the stop, want 2", report.Views)
		}
	})
}

func TestOnlyMembersReadReports(t *testing.T) {
	f := newFixture(t)
	stranger := core.Actor{UserID: core.NewID()}
	f.must(f.store.Tables().Users.Create(t.Context(), core.User{ID: stranger.UserID, Email: "b@example.com"}))
	if _, err := f.counter.Report(t.Context(), stranger, f.project, 1); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	for _, days := range []int{0, -1, 366} {
		if _, err := f.counter.Report(t.Context(), f.member, f.project, days); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("got %v for %d days, want validation_failed", err, days)
		}
	}
}

func TestNoSiteTakesTheNamesOfAnother(t *testing.T) {
	f := newFixture(t)
	loud := core.NewID()
	for i := range 60_000 {
		f.counter.Count(loud, fmt.Sprint("/", i), fmt.Sprint(i, ".example"), false)
	}
	f.counter.Count(f.project, "/about", "search.example", false)
	got := f.report(1)
	if len(got.Pages) != 1 || got.Pages[0].Path != "/about" || len(got.Referrers) != 1 || got.Referrers[0].Host != "search.example" {
		t.Errorf("got %+v and %+v, want the page and the host by name", got.Pages, got.Referrers)
	}
}

func TestOnlyHostsAreReferrers(t *testing.T) {
	f := newFixture(t)
	hosts := []string{"search.example", "com.example.app", "xn--bcher-kva.example", "192.0.2.1", "2001:db8::1", "intranet", "a_b.example", "SEARCH.example."}
	others := []string{"", "<script>alert(1)<", "a b", strings.Repeat("a", 200), strings.Repeat("a.", 150) + "a", "-a.example", "a..example", ".", "a/b", "büch.example", "fe80::1%<b>"}
	for _, from := range append(slices.Clone(hosts), others...) {
		f.counter.Count(f.project, "/", from, false)
	}
	f.must(f.counter.Close(t.Context()))
	got, err := f.newCounter().Report(t.Context(), f.member, f.project, 1)
	f.must(err)
	var names []string
	for _, referrer := range got.Referrers {
		names = append(names, referrer.Host)
	}
	slices.Sort(names)
	if want := []string{"192.0.2.1", "2001:db8::1", "a_b.example", "com.example.app", "intranet", "search.example", "xn--bcher-kva.example"}; !slices.Equal(names, want) || got.Visits != int64(len(hosts)+len(others)) {
		t.Errorf("got %q of %d visits, want %q, and every visit counted", names, got.Visits, want)
	}
}
