// Package browsertest tests a browser.Browser against its port.
package browsertest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// Open returns a browser for the pages that a handler serves.
type Open func(t *testing.T, pages http.Handler) browser.Browser

// Run tests a browser against the port.
func Run(t *testing.T, open Open) {
	feed := newFeed()
	tested := open(t, newSite(feed))
	if err := tested.Available(t.Context()); err != nil {
		t.Fatalf("got %v, want a browser", err)
	}
	for name, clause := range map[string]func(t *testing.T, tested browser.Browser){
		"a snapshot tells what a page shows":             describes,
		"texts that follow each other are one":           joinsTexts,
		"a page without anything is blank":               noticesBlank,
		"a click follows a link":                         followsLinks,
		"a form is filled and sent":                      fillsForms,
		"an element keeps its reference":                 keepsReferences,
		"a page that does not change is awaited in vain": awaitsChanges,
		"a stream of events lasts as long as its page":   func(t *testing.T, tested browser.Browser) { streams(t, tested, feed) },
		"a list's option is chosen":                      chooses,
		"Enter sends a form":                             sendsByKey,
		"a path is opened":                               goesTo,
		"steps that cannot be done say why":              refusesSteps,
		"requests that fail are in the log":              logsRequests,
		"a read-only page sends nothing":                 readsOnly,
		"a page with an error status opens":              opensErrors,
		"tabs share nothing":                             separatesTabs,
		"a picture has the width":                        takesPictures,
		"different pages become different pictures":      takesDifferentPictures,
		"an ended context ends the opening":              ends,
		"many pages open, some at once":                  opensMany,
		"what is no address of a page does not open":     refusesAddresses,
		"a page that has more nodes than allowed is cut": cuts,
	} {
		t.Run(name, func(t *testing.T) { clause(t, tested) })
	}
}

// show opens a page, and closes it with the test.
func show(t *testing.T, in browser.Browser, path string) browser.Tab {
	t.Helper()
	return showPage(t, in, browser.Page{Address: Origin + path, Tenant: "shop"})
}

func showPage(t *testing.T, in browser.Browser, page browser.Page) browser.Tab {
	t.Helper()
	tab, err := in.Open(t.Context(), page)
	if err != nil {
		t.Fatalf("%s: got %v, want a tab", page.Address, err)
	}
	t.Cleanup(tab.Close)
	return tab
}

func look(t *testing.T, tab browser.Tab) browser.Snapshot {
	t.Helper()
	seen, err := tab.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("got %v, want a snapshot", err)
	}
	return seen
}

func do(t *testing.T, tab browser.Tab, step browser.Step) {
	t.Helper()
	if err := tab.Do(t.Context(), step); err != nil {
		t.Fatalf("%s %q: got %v, want it done", step.Do, step.Value, err)
	}
}

// find returns the first node with a role and a name.
func find(t *testing.T, seen browser.Snapshot, role browser.Role, name string) browser.Node {
	t.Helper()
	for _, node := range seen.Nodes {
		if node.Role == role && node.Name == name {
			return node
		}
	}
	t.Fatalf("got %v, want a %s %q in it", seen.Nodes, role, name)
	return browser.Node{}
}

// names returns the names of the nodes with a role.
func names(seen browser.Snapshot, role browser.Role) []string {
	var found []string
	for _, node := range seen.Nodes {
		if node.Role == role {
			found = append(found, node.Name)
		}
	}
	return found
}

func describes(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	seen := look(t, tab)
	if seen.URL != "/" || seen.Title != "The shop" || seen.Blank || seen.Cut || tab.Status() != http.StatusOK {
		t.Errorf("got %q, %q, blank %t, cut %t, status %d", seen.URL, seen.Title, seen.Blank, seen.Cut, tab.Status())
	}
	if heading := find(t, seen, browser.RoleHeading, "Welcome"); heading.Level != 1 {
		t.Errorf("got level %d, want 1", heading.Level)
	}
	for _, want := range []struct {
		role browser.Role
		name string
	}{
		{browser.RoleLink, "All things"}, {browser.RoleButton, "Remove the cup"}, {browser.RoleTextbox, "Your name"},
		{browser.RoleTextbox, "Search"}, {browser.RoleCheckbox, "As a gift"}, {browser.RoleImage, "A blue cup"}, {browser.RoleText, "Cups and plates"},
	} {
		if node := find(t, seen, want.role, want.name); node.Ref == "" {
			t.Errorf("got no reference of the %s %q", want.role, want.name)
		}
	}
	if box := find(t, seen, browser.RoleCheckbox, "As a gift"); !slices.Contains(box.States, browser.Checked) {
		t.Errorf("got the states %v, want %s", box.States, browser.Checked)
	}
	if button := find(t, seen, browser.RoleButton, "Pay"); !slices.Contains(button.States, browser.Disabled) {
		t.Errorf("got the states %v, want %s", button.States, browser.Disabled)
	}
	if all := names(seen, browser.RoleListitem); len(all) != 2 {
		t.Errorf("got the items %q, want 2", all)
	}
	if slices.Contains(names(seen, browser.RoleText), "hidden text") {
		t.Error("got a hidden text, want none")
	}
}

func joinsTexts(t *testing.T, in browser.Browser) {
	seen := look(t, show(t, in, "/texts"))
	if got, want := names(seen, browser.RoleText), []string{"3 items left", "another paragraph", "Loft, 2 nights", "unbelievable"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func noticesBlank(t *testing.T, in browser.Browser) {
	if seen := look(t, show(t, in, "/blank")); !seen.Blank {
		t.Errorf("got %v, want a blank page", seen.Nodes)
	}
}

func followsLinks(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	do(t, tab, browser.Step{Do: browser.Click, Ref: find(t, look(t, tab), browser.RoleLink, "All things").Ref})
	if seen := look(t, tab); seen.URL != "/all?page=1" || find(t, seen, browser.RoleHeading, "All things").Level != 2 {
		t.Errorf("got %q, want /all?page=1", seen.URL)
	}
}

func fillsForms(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	do(t, tab, browser.Step{Do: browser.Fill, Ref: find(t, look(t, tab), browser.RoleTextbox, "Your name").Ref, Value: "Grace & Ada"})
	if node := find(t, look(t, tab), browser.RoleTextbox, "Your name"); node.Value != "Grace & Ada" {
		t.Errorf("got the value %q, want what was filled in", node.Value)
	}
	do(t, tab, browser.Step{Do: browser.Click, Ref: find(t, look(t, tab), browser.RoleCheckbox, "As a gift").Ref})
	do(t, tab, browser.Step{Do: browser.Click, Ref: find(t, look(t, tab), browser.RoleButton, "Send").Ref})
	find(t, look(t, tab), browser.RoleText, "POST name=Grace & Ada gift= colour=red")
}

func keepsReferences(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	before := find(t, look(t, tab), browser.RoleTextbox, "Your name").Ref
	do(t, tab, browser.Step{Do: browser.Click, Ref: find(t, look(t, tab), browser.RoleCheckbox, "As a gift").Ref})
	if after := find(t, look(t, tab), browser.RoleTextbox, "Your name").Ref; after != before {
		t.Errorf("got the reference %q, then %q, want the same", before, after)
	}
	do(t, tab, browser.Step{Do: browser.Goto, Value: "/"})
	if other := find(t, look(t, tab), browser.RoleTextbox, "Your name").Ref; other == before {
		t.Errorf("got the reference %q on another page, too, want another", other)
	}
}

func awaitsChanges(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	look(t, tab)
	if changed, err := tab.Await(t.Context(), 50*time.Millisecond); changed || err != nil {
		t.Errorf("got %t, %v, want no change", changed, err)
	}
}

func streams(t *testing.T, in browser.Browser, feed *feed) {
	tab := show(t, in, "/streaming")
	if accepts := <-feed.opened; accepts != "text/event-stream" {
		t.Errorf("got a request that accepts %q, want a stream of events", accepts)
	}
	look(t, tab)
	tab.Close()
	<-feed.ended
}

func chooses(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	do(t, tab, browser.Step{Do: browser.Select, Ref: find(t, look(t, tab), browser.RoleCombobox, "Colour").Ref, Value: "Deep blue"})
	do(t, tab, browser.Step{Do: browser.Click, Ref: find(t, look(t, tab), browser.RoleButton, "Send").Ref})
	find(t, look(t, tab), browser.RoleText, "POST name= gift=on colour=blue")
}

func sendsByKey(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	search := find(t, look(t, tab), browser.RoleTextbox, "Search").Ref
	do(t, tab, browser.Step{Do: browser.Fill, Ref: search, Value: "cup"})
	do(t, tab, browser.Step{Do: browser.Press, Ref: search, Value: "Enter"})
	if seen := look(t, tab); seen.URL != "/all?q=cup" {
		t.Errorf("got %q, want /all?q=cup", seen.URL)
	}
}

func goesTo(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	do(t, tab, browser.Step{Do: browser.Goto, Value: "/texts"})
	do(t, tab, browser.Step{Do: browser.Wait})
	if seen := look(t, tab); seen.URL != "/texts" {
		t.Errorf("got %q, want /texts", seen.URL)
	}
}

func refusesSteps(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/")
	seen := look(t, tab)
	name, pay, colour := find(t, seen, browser.RoleTextbox, "Your name").Ref, find(t, seen, browser.RoleButton, "Pay").Ref, find(t, seen, browser.RoleCombobox, "Colour").Ref
	for _, c := range []struct {
		step browser.Step
		want string
	}{
		{browser.Step{Do: browser.Click, Ref: "e99999999"}, `"e99999999"`},
		{browser.Step{Do: browser.Click, Ref: pay}, "disabled"},
		{browser.Step{Do: browser.Fill, Ref: pay, Value: "x"}, string(pay)},
		{browser.Step{Do: browser.Select, Ref: name, Value: "x"}, string(name)},
		{browser.Step{Do: browser.Select, Ref: colour, Value: "Purple"}, "Purple"},
		{browser.Step{Do: browser.Press, Value: "Nonsense"}, "Nonsense"},
		{browser.Step{Do: browser.Goto, Value: "https://example.com/"}, "example.com"},
		{browser.Step{Do: browser.Goto, Value: "//example.com/"}, "example.com"},
		{browser.Step{Do: "dance"}, "dance"},
	} {
		err := tab.Do(t.Context(), c.step)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want code %s and %q", c.step, err, core.CodeValidationFailed, c.want)
		}
	}
	if again := look(t, tab); again.URL != "/" {
		t.Errorf("got %q afterwards, want the page as it was", again.URL)
	}
}

func logsRequests(t *testing.T, in browser.Browser) {
	tab := show(t, in, "/broken-picture")
	said := tab.Log()
	if want := (browser.Request{Method: "GET", URL: "/missing.png", Kind: browser.KindOther, Own: true, Status: http.StatusNotFound}); !slices.Contains(said.Requests, want) {
		t.Errorf("got %+v, want %+v in it", said.Requests, want)
	}
	if want := (browser.Request{Method: "GET", URL: "http://elsewhere.test/x.js", Kind: browser.KindScript}); !slices.Contains(said.Requests, want) {
		t.Errorf("got %+v, want %+v in it", said.Requests, want)
	}
	if again := tab.Log(); len(again.Requests) != 0 {
		t.Errorf("got %+v again, want it once", again)
	}
}

func readsOnly(t *testing.T, in browser.Browser) {
	tab := showPage(t, in, browser.Page{Address: Origin + "/", Tenant: "shop", ReadOnly: true})
	send := find(t, look(t, tab), browser.RoleButton, "Send").Ref
	if err := tab.Do(t.Context(), browser.Step{Do: browser.Click, Ref: send}); err != nil && !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s at most", err, core.CodeUnavailable)
	}
	if seen, err := tab.Snapshot(t.Context()); err == nil && slices.ContainsFunc(seen.Nodes, func(n browser.Node) bool { return strings.HasPrefix(n.Name, "POST") }) {
		t.Errorf("got %v, want nothing sent", seen.Nodes)
	}
}

func opensErrors(t *testing.T, in browser.Browser) {
	for path, want := range map[string]int{"/failing": http.StatusServiceUnavailable, "/nothing": http.StatusNotFound} {
		if tab := show(t, in, path); tab.Status() != want {
			t.Errorf("%s: got status %d, want %d", path, tab.Status(), want)
		}
	}
}

func separatesTabs(t *testing.T, in browser.Browser) {
	first := show(t, in, "/")
	do(t, first, browser.Step{Do: browser.Fill, Ref: find(t, look(t, first), browser.RoleTextbox, "Your name").Ref, Value: "Ada"})
	second := show(t, in, "/")
	if node := find(t, look(t, second), browser.RoleTextbox, "Your name"); node.Value != "" {
		t.Errorf("got %q in another tab, want nothing", node.Value)
	}
}

func ends(t *testing.T, in browser.Browser) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.Open(ended, browser.Page{Address: Origin + "/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func opensMany(t *testing.T, in browser.Browser) {
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			tab, err := in.Open(t.Context(), browser.Page{Address: Origin + "/blue", Tenant: "shop"})
			if err == nil {
				tab.Close()
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Errorf("got %v, want a tab", err)
		}
	}
}

func refusesAddresses(t *testing.T, in browser.Browser) {
	for _, address := range []string{"", "file:///etc/passwd", "chrome://version/", "javascript:1", "data:text/html,x", "http://", "view-source:" + Origin + "/red", Origin + strings.Repeat("/x", 5000)} {
		if _, err := in.Open(t.Context(), browser.Page{Address: address}); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%.60q: got %v, want code %s", address, err, core.CodeUnavailable)
		}
	}
}

func cuts(t *testing.T, in browser.Browser) {
	if seen := look(t, show(t, in, "/long")); !seen.Cut || len(seen.Nodes) > browser.MaxNodes {
		t.Errorf("got %d nodes, cut %t, want at most %d, cut", len(seen.Nodes), seen.Cut, browser.MaxNodes)
	}
	for _, name := range names(look(t, show(t, in, "/wordy")), browser.RoleText) {
		if len(name) > browser.MaxTextBytes {
			t.Errorf("got a text of %d bytes, want at most %d", len(name), browser.MaxTextBytes)
		}
	}
}
