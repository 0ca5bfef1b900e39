package browsing

import (
	"context"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// Fault is why a page does not work.
type Fault struct {
	// Text says what is wrong. Where the page threw an exception, it has the page's own words.
	Text string
	// Certain says that no sound page has this fault. A request may fail on purpose.
	Certain bool
}

// Judge returns the faults of a page at an origin that was just opened. It may only be called once a tab.
func Judge(ctx context.Context, tab browser.Tab, origin string) ([]Fault, error) {
	seen, err := tab.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	page := Page{origin: origin, seen: seen}
	return page.viewOf(tab.Status(), tab.Log()).Faults(), nil
}

// Faults judges a page that was just loaded: whether it shows anything, throws, or lacks something
// of its own. What is missing only because the browser has no network does not count.
func (v View) Faults() []Fault {
	if v.Outdated || v.Status == http.StatusServiceUnavailable {
		return nil // The preview does not show the present state.
	}
	var faults []Fault
	if v.Status >= http.StatusBadRequest {
		return []Fault{{Text: "the page " + v.URL + " answers with status " + http.StatusText(v.Status)}}
	}
	lacks := map[browser.RequestKind]bool{}
	for _, request := range v.Refused {
		lacks[request.Kind] = true
	}
	for _, exception := range v.Exceptions {
		if !isExcused(exception, lacks) {
			faults = append(faults, Fault{Text: "uncaught exception: " + core.Shorten(exception, maxLineText), Certain: true})
		}
	}
	if v.Blank && !lacks[browser.KindScript] {
		faults = append(faults, Fault{Text: "the page " + v.URL + " is blank", Certain: true})
	}
	for _, request := range v.Failures {
		if !isMeant(request) {
			text := "request failed: " + core.Shorten(requestTexts([]browser.Request{request})[0], maxLineText)
			faults = append(faults, Fault{Text: text, Certain: request.Kind == browser.KindScript})
		}
	}
	return faults
}

// harmless are parts of exceptions that sound pages throw in any browser, or in one without
// service workers and without a person.
var harmless = []string{
	"ResizeObserver loop", "AbortError", "NotAllowedError", "signal is aborted without reason",
	"Cannot read properties of undefined (reading 'register')",
}

// isExcused reports whether an exception says nothing about the page.
func isExcused(exception string, lacks map[browser.RequestKind]bool) bool {
	if lacks[browser.KindScript] {
		return true
	}
	for _, part := range harmless {
		if strings.Contains(exception, part) {
			return true
		}
	}
	return lacks[browser.KindData] && strings.Contains(exception, "Failed to fetch")
}

// isMeant reports whether a sound page may let a request fail like this, to find out whether
// the visitor is signed in, or whether a record exists.
func isMeant(request browser.Request) bool {
	if request.Kind != browser.KindData {
		return false
	}
	switch request.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusNotFound:
		path, _, _ := strings.Cut(request.URL, "?")
		return strings.Contains(path, "/records/")
	}
	return false
}
