package regexsearch_test

import (
	"bytes"
	"io/fs"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/search/searchtest"
)

func TestSearch(t *testing.T) {
	searchtest.Run(t, func(*testing.T) search.Engine { return regexsearch.New() })
}

// heldFiles are files whose contents come when they may: every file that is opened is counted first.
type heldFiles struct {
	fstest.MapFS
	opened chan<- string
	free   <-chan struct{}
}

func (h heldFiles) Open(name string) (fs.File, error) {
	if name != "." {
		h.opened <- name
		<-h.free
	}
	return h.MapFS.Open(name)
}

// TestATenantThatSearchesALotKeepsNobodyWaiting has one tenant take all places that it gets.
func TestATenantThatSearchesALotKeepsNobodyWaiting(t *testing.T) {
	engine, opened, free := regexsearch.New(), make(chan string), make(chan struct{})
	var burning sync.WaitGroup
	files := heldFiles{fstest.MapFS{"f": &fstest.MapFile{Data: []byte("text")}}, opened, free}
	places := runtime.GOMAXPROCS(0)
	for range 4 * places {
		burning.Go(func() {
			if _, err := engine.Search(fair.WithTenant(t.Context(), "burner"), files, search.Query{Pattern: "text", Limit: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	for range places {
		<-opened
	}
	found, err := engine.Search(fair.WithTenant(t.Context(), "neighbour"), files.MapFS, search.Query{Pattern: "text", Limit: 1})
	if err != nil || len(found.Matches) != 1 {
		t.Errorf("got %+v, %v, want the match while the other waits", found, err)
	}
	close(free)
	go func() {
		for range opened {
		}
	}()
	burning.Wait()
	close(opened)
}

// TestACostlyPatternIsRefused searches lines that are too short for a match, which regexp sees at
// once: the bound holds for the pattern and the text, whatever they cost in the end.
func TestACostlyPatternIsRefused(t *testing.T) {
	files := fstest.MapFS{"f": &fstest.MapFile{Data: bytes.Repeat([]byte("ababababab\n"), 100_000)}}
	found, err := regexsearch.New().Search(t.Context(), files, search.Query{Pattern: "[ab]{900}", Limit: 1})
	if !core.IsCode(err, core.CodeInvalidRegex) {
		t.Errorf("got %+v, %v, want code invalid_regex", found, err)
	}
}
