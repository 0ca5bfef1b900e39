package browsing_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestAPageIsLoadedAnewByGo(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	page := s.page("/")
	s.show("/", "<p>two</p>")
	if view := look(t, page); !strings.Contains(view.Text, "one") {
		t.Errorf("got %q, want the page as it was loaded", view.Text)
	}
	must(t, page.Go(t.Context(), ""))
	if view := look(t, page); !strings.Contains(view.Text, "two") {
		t.Errorf("got %q, want the present page", view.Text)
	}
}

func TestAPageWaitsUntilItsPreviewHasStarted(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	s.starting = 3
	s.page("/")
	if s.starting != 0 || s.loads != 1 {
		t.Errorf("the page was loaded %d times while the preview was starting for %d more answers", s.loads, s.starting)
	}
	s.starting = 1000
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.service.Open(ctx, browsing.Visit{Project: core.NewID()}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestAPageFollowsItsPreviewToAnotherAddress(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	page := s.page("/")
	s.mu.Lock()
	s.host = "http://two.preview.test"
	s.mu.Unlock()
	must(t, page.Go(t.Context(), "/"))
	if view := look(t, page); view.Status != 200 || s.most.Load() != 1 {
		t.Errorf("got %q with %d tabs, want the page in one tab", view.Text, s.most.Load())
	}
}

func TestAnIdlePageIsClosedAndOpensAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, map[string]string{"/": shop})
		page := s.page("/")
		must(t, page.Perform(t.Context(), core.CheckStep{Do: core.CheckFill, Target: at("textbox", "Search"), Value: "cup"}))
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if open := s.open.Load(); open != 0 {
			t.Errorf("got %d open tabs, want none", open)
		}
		if _, trail := page.Trail(); len(trail) != 1 {
			t.Errorf("got %+v, want what was done", trail)
		}
		if view := look(t, page); strings.Contains(view.Text, "cup\"") {
			t.Errorf("got %s, want the page from its beginning", view.Text)
		}
		page.Close()
		if _, err := page.Look(t.Context()); !core.IsCode(err, core.CodeUnavailable) || s.open.Load() != 0 {
			t.Errorf("got %v and %d tabs after the end, want code %s and none", err, s.open.Load(), core.CodeUnavailable)
		}
	})
}

func TestPagesThatRestGiveWay(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	var pages []*browsing.Page
	for range 3 * browsing.MaxPages {
		pages = append(pages, s.page("/"))
	}
	if most := s.most.Load(); most > browsing.MaxPages {
		t.Errorf("got %d tabs at once, want at most %d", most, browsing.MaxPages)
	}
	for _, page := range pages {
		if view := look(t, page); !strings.Contains(view.Text, "one") {
			t.Errorf("got %q, want the page", view.Text)
		}
		page.Close()
	}
	if open := s.open.Load(); open != 0 {
		t.Errorf("got %d open tabs, want none", open)
	}
}

func TestPlacesAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, map[string]string{"/": "<p>one</p>"})
		open := func() *browsing.Page {
			page, err := s.service.Open(t.Context(), browsing.Visit{Project: core.NewID(), Kept: true})
			must(t, err)
			return page
		}
		var held []*browsing.Page
		for range browsing.MaxPages {
			held = append(held, open())
		}
		given := make(chan int, 5)
		for i := range cap(given) {
			go func() {
				page := open()
				given <- i
				page.Close()
			}()
			synctest.Wait()
		}
		// One who gives up leaves the queue.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.service.Open(ctx, browsing.Visit{Project: core.NewID()}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		held[0].Close()
		synctest.Wait()
		for want := range cap(given) {
			if got := <-given; got != want {
				t.Errorf("got the place of waiter %d, want %d", got, want)
			}
		}
		for _, page := range held[1:] {
			page.Close()
		}
		if open := s.open.Load(); open != 0 {
			t.Errorf("got %d open tabs, want none", open)
		}
	})
}

// TestAWorkspaceWhosePagesHangLeavesAPlace has more projects of a workspace hang than there are
// places, while others open their pages.
func TestAWorkspaceWhosePagesHangLeavesAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, map[string]string{"/": "<p>one</p>"})
		greedy, end := context.WithCancel(fair.WithTenant(t.Context(), "greedy"))
		for range 6 {
			go func() { _, _ = s.service.Open(greedy, browsing.Visit{Project: core.NewID(), Path: hanging}) }()
		}
		synctest.Wait()
		for range 5 {
			page, err := s.service.Open(fair.WithTenant(t.Context(), core.NewID()), browsing.Visit{Project: core.NewID()})
			must(t, err)
			page.Close()
		}
		end()
		synctest.Wait()
		if open := s.open.Load(); open != 0 {
			t.Errorf("got %d open tabs, want none", open)
		}
	})
}

// TestWhoHasLittlePatienceEndsWithoutAPlace fills a workspace's places with pages that hang.
func TestWhoHasLittlePatienceEndsWithoutAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, map[string]string{"/": "<p>one</p>"})
		ctx, end := context.WithCancel(fair.WithTenant(t.Context(), "busy"))
		for range browsing.MaxPages {
			go func() { _, _ = s.service.Open(ctx, browsing.Visit{Project: core.NewID(), Path: hanging}) }()
		}
		synctest.Wait()
		page := s.service.Page(browsing.Visit{Project: core.NewID(), Patience: 15 * time.Second})
		defer page.Close()
		began := time.Now()
		_, err := page.Look(ctx)
		if waited := time.Since(began); !core.IsCode(err, core.CodeUnavailable) || waited != 15*time.Second {
			t.Errorf("got %v after %s, want code %s after its patience", err, waited, core.CodeUnavailable)
		}
		end()
		synctest.Wait()
		if view := look(t, page); view.Status != http.StatusOK {
			t.Errorf("got status %d of a page with a free place, want 200", view.Status)
		}
	})
}

// TestAPageThatHangsIsOpenedAgainWhenTheFilesHaveChanged counts how often it is.
func TestAPageThatHangsIsOpenedAgainWhenTheFilesHaveChanged(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	project := core.NewID()
	must(t, s.store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: "w", Name: "W", Slug: "w"}))
	must(t, s.store.Tables().Projects.Create(t.Context(), core.Project{ID: project, WorkspaceID: "w", Slug: "p", Name: "P", Visibility: core.VisibilityWorkspace}))
	opens := func(path string) error {
		page, err := s.service.Open(t.Context(), browsing.Visit{Project: project, Path: path})
		if err == nil {
			page.Close()
		}
		return err
	}
	for range 5 {
		if err := opens(hung); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
	}
	if err := opens(hung); s.hung.Load() != 2 || !strings.Contains(err.Error(), "when the project's files have changed") {
		t.Errorf("the page was opened %d times, and then %v; want twice, and what to do", s.hung.Load(), err)
	}
	must(t, opens("/")) // the others are
	_, err := s.store.Tables().Files.Apply(t.Context(), project, storage.FileDelta{})
	must(t, err)
	if _ = opens(hung); s.hung.Load() != 3 {
		t.Errorf("the page was opened %d times, want once more for other files", s.hung.Load())
	}
}

func TestManyUseTheirPagesAtOnce(t *testing.T) {
	s := newStudio(t, map[string]string{"/": shop})
	failed := make(chan error, 8)
	for range cap(failed) {
		go func() {
			page := s.service.Page(browsing.Visit{Project: core.NewID()})
			var err error
			for range 20 {
				_, looked := page.Look(t.Context())
				err = errors.Join(err, looked, page.Perform(t.Context(), core.CheckStep{Do: core.CheckFill, Target: at("textbox", "Search"), Value: "cup"}))
			}
			page.Close()
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if open := s.open.Load(); open != 0 || s.most.Load() > browsing.MaxPages {
		t.Errorf("got %d open tabs, at most %d, want none, and %d", open, s.most.Load(), browsing.MaxPages)
	}
}

func TestAPageIsNotOpened(t *testing.T) {
	s := newStudio(t, map[string]string{"/": "<p>one</p>"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.service.Open(ended, browsing.Visit{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	s.browser.SetAvailable(false)
	off := browsing.New(browsing.Deps{Browser: s, Previews: s})
	for _, service := range []*browsing.Service{s.service, off} {
		if _, err := service.Open(t.Context(), browsing.Visit{}); !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeSandboxUnavailable)
		}
	}
	s.browser.SetAvailable(true)
	s.page("/").Close()
}
