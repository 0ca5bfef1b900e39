package project

import (
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// StylePrefetch compiles the style sheets of one build in the background, from the moment in
// which one is first met. The first sheet of a process waits for Tailwind to load, which
// takes as long as everything else.
type StylePrefetch struct {
	styles StyleMaker

	running sync.WaitGroup
	mu      sync.Mutex
	sheets  map[string]*earlySheet // by name
}

// StyleMaker compiles a style sheet that own reads to plain CSS.
type StyleMaker func(own *Project, name string, text []byte) ([]byte, []api.Message)

// earlySheet is the result for a style sheet. It is valid once done is closed.
type earlySheet struct {
	done     chan struct{}
	css      []byte
	messages []api.Message
}

// NewStylePrefetch returns a prefetch that compiles style sheets with styles.
func NewStylePrefetch(styles StyleMaker) *StylePrefetch {
	return &StylePrefetch{styles: styles, sheets: make(map[string]*earlySheet)}
}

// Begin starts to compile a sheet and does not wait.
func (h *StylePrefetch) Begin(own *Project, name string, text []byte) ([]byte, []api.Message) {
	h.sheet(own, name, text)
	return nil, nil
}

// Finish waits for a sheet, and starts it if necessary.
func (h *StylePrefetch) Finish(own *Project, name string, text []byte) ([]byte, []api.Message) {
	sheet := h.sheet(own, name, text)
	<-sheet.done
	return sheet.css, sheet.messages
}

// Wait waits for all started sheets, because they read the sources of the build.
func (h *StylePrefetch) Wait() { h.running.Wait() }

func (h *StylePrefetch) sheet(own *Project, name string, text []byte) *earlySheet {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.sheets[name]; known != nil {
		return known
	}
	sheet := &earlySheet{done: make(chan struct{})}
	h.sheets[name] = sheet
	h.running.Go(func() {
		defer close(sheet.done)
		var failed error
		defer func() {
			if failed != nil {
				sheet.messages = []api.Message{{Text: failed.Error(), Location: &api.Location{File: name, Namespace: NsProject}}}
			}
		}()
		defer Contain(&failed)
		sheet.css, sheet.messages = h.styles(own, name, text)
	})
	return sheet
}
