package browser_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/browser"
	port "github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/browser/browsertest"
)

func TestBrowser(t *testing.T) {
	browsertest.Run(t, func(_ *testing.T, pages http.Handler) port.Browser { return browser.New(pages) })
}

func TestStatementsOfScriptsAreKnown(t *testing.T) {
	opened, err := browser.New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<div id="root"></div><script src="/app.js"></script><script>console.warn("one"); console.error("two"); throw new Error("three")</script>`))
	})).Open(t.Context(), port.Page{Address: browsertest.Origin + "/"})
	if err != nil {
		t.Fatal(err)
	}
	want := []port.Line{{Kind: port.ConsoleWarning, Text: "one"}, {Kind: port.ConsoleError, Text: "two"}, {Kind: port.Exception, Text: "Error: three"}}
	if got := opened.Log().Lines; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if seen, err := opened.Snapshot(t.Context()); err != nil || seen.Blank {
		t.Errorf("got a blank page (%v), want it unknown what the script shows", err)
	}
}
