package chromium

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/runtime"
)

// TestTheEndOfAnotherProcesssPageEndsNoStream: the browser gives the number of a page again in
// another process, and may tell of the end of the first page only then.
func TestTheEndOfAnotherProcesssPageEndsNoStream(t *testing.T) {
	const number = 3
	begun := func(name string) *runtime.EventExecutionContextCreated {
		return &runtime.EventExecutionContextCreated{Context: &runtime.ExecutionContextDescription{ID: number, UniqueID: name}}
	}
	s := &streams{running: map[pageName]map[int]context.CancelFunc{}}
	s.notice(begun("old"))
	s.notice(begun("new"))
	ended := false
	s.running["new"] = map[int]context.CancelFunc{1: func() { ended = true }}
	s.notice(&runtime.EventExecutionContextDestroyed{ExecutionContextUniqueID: "old"})
	if page, found := s.page(number); ended || !found || page != "new" || !s.any() {
		t.Errorf("got the page %q, its stream ended: %t, want the new page with its stream", page, ended)
	}
	s.notice(&runtime.EventExecutionContextDestroyed{ExecutionContextUniqueID: "new"})
	if _, found := s.page(number); !ended || found || s.any() {
		t.Errorf("got the page: %t, its stream ended: %t, want neither", found, ended)
	}
}
