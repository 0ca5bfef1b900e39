package browsing_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/ports/browser"
)

func TestFaults(t *testing.T) {
	script := browser.Request{Method: "GET", URL: "https://cdn.example/x.js", Kind: browser.KindScript}
	weather := browser.Request{Method: "GET", URL: "https://weather.example/", Kind: browser.KindData}
	own := func(kind browser.RequestKind, url string, status int) []browser.Request {
		return []browser.Request{{Method: "GET", URL: url, Kind: kind, Own: true, Status: status}}
	}
	for name, c := range map[string]struct {
		view browsing.View
		want string
	}{
		"a sound page":                            {browsing.View{Status: 200}, ""},
		"a blank one":                             {browsing.View{URL: "/", Blank: true}, "certain: the page / is blank"},
		"one whose script is elsewhere":           {browsing.View{Blank: true, Exceptions: []string{"React is not defined"}, Refused: []browser.Request{script}}, ""},
		"an exception":                            {browsing.View{Exceptions: []string{"TypeError: x"}}, "certain: uncaught exception: TypeError: x"},
		"data from elsewhere":                     {browsing.View{Exceptions: []string{"in a promise: TypeError: Failed to fetch"}, Refused: []browser.Request{weather}}, ""},
		"data from nowhere":                       {browsing.View{Exceptions: []string{"in a promise: TypeError: Failed to fetch"}}, "certain: uncaught"},
		"another exception beside":                {browsing.View{Exceptions: []string{"TypeError: x"}, Refused: []browser.Request{weather}}, "certain: uncaught"},
		"a warning of the browser":                {browsing.View{Exceptions: []string{"ResizeObserver loop completed with undelivered notifications."}}, ""},
		"errors in the console alone":             {browsing.View{Errors: []string{"Warning: each child needs a key"}}, ""},
		"a script that is missing":                {browsing.View{Failures: own(browser.KindScript, "/app.js", 404)}, "certain: request failed: GET /app.js 404"},
		"a picture that is missing":               {browsing.View{Failures: own(browser.KindOther, "/logo.png", 404)}, "request failed: GET /logo.png 404"},
		"a collection that is missing":            {browsing.View{Failures: own(browser.KindData, "/_data/collections/posts/records?page=1", 404)}, "request failed"},
		"an interface that is missing":            {browsing.View{Failures: own(browser.KindData, "/api/todos", 404)}, "request failed: GET /api/todos 404"},
		"a record that is missing":                {browsing.View{Failures: own(browser.KindData, "/_data/collections/posts/records/x", 404)}, ""},
		"nobody is signed in":                     {browsing.View{Failures: own(browser.KindData, "/_data/collections/users/auth-refresh", 401)}, ""},
		"a function that fails":                   {browsing.View{Failures: own(browser.KindData, "/_fn/hello", 500)}, "request failed: GET /_fn/hello 500"},
		"no answer":                               {browsing.View{Failures: own(browser.KindData, "/_fn/hello", 0)}, "request failed: GET /_fn/hello without an answer"},
		"no page":                                 {browsing.View{URL: "/", Status: 404, Failures: own(browser.KindPage, "/", 404)}, "the page / answers with status Not Found"},
		"a preview that is starting":              {browsing.View{Status: 503, Blank: true}, ""},
		"a project that does not build":           {browsing.View{Status: 200, Outdated: true, Blank: true}, ""},
		"a worker that is registered in its face": {browsing.View{Exceptions: []string{"TypeError: Cannot read properties of undefined (reading 'register')"}}, ""},
	} {
		var got []string
		for _, fault := range c.view.Faults() {
			text := fault.Text
			if fault.Certain {
				text = "certain: " + text
			}
			got = append(got, text)
		}
		if all := strings.Join(got, "; "); !strings.HasPrefix(all, c.want) || (all == "") != (c.want == "") || len(got) > 1 {
			t.Errorf("%s: got %q, want %q", name, all, c.want)
		}
	}
}
