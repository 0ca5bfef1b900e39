package browsertest

import (
	"html"
	"net/http"
	"strings"
)

// Origin is where the pages of the suite are, Host their host.
const (
	Host   = "shop.preview.test:8080"
	Origin = "http://" + Host
)

// shopPage has what a page without scripts has.
const shopPage = `<!doctype html><html lang="en"><title>The shop</title><body>
<h1>Welcome</h1><p>Cups and plates</p><p hidden>hidden text</p>
<nav aria-label="Main"><a href="/all?page=1">All things</a></nav>
<ul><li>Cup <button aria-label="Remove the cup">×</button></li><li>Plate</li></ul>
<img src="/cup.png" alt="A blue cup" width="10" height="10">
<form action="/all"><input name="q" aria-label="Search"></form>
<form method="post" action="/order">
<label>Your name <input name="name"></label>
<label><input type="checkbox" name="gift" checked> As a gift</label>
<label>Colour <select name="colour"><option value="red">Red</option><option value="blue">Deep blue</option></select></label>
<button>Send</button> <button disabled>Pay</button>
</form></body></html>`

// feed is a stream of events that tells when it is opened, with what the request accepts, and when
// it has ended.
type feed struct {
	opened chan string
	ended  chan struct{}
}

func newFeed() *feed { return &feed{make(chan string, 1), make(chan struct{}, 1)} }

// ServeHTTP implements http.Handler.
func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_ = http.NewResponseController(w).Flush()
	f.opened <- r.Header.Get("Accept")
	<-r.Context().Done()
	f.ended <- struct{}{}
}

// newSite serves the pages of the suite.
func newSite(feed http.Handler) http.Handler {
	pages := map[string]string{
		"/":               shopPage,
		"/texts":          `<!doctype html><title>Texts</title><p>3<!-- --> items <b>left</b></p><p>another paragraph</p><p>Loft<span>, </span>2<span> </span>nights</p><p>un<b>believ</b>able </p>`,
		"/blank":          `<!doctype html><title>Blank</title><div id="root"></div>`,
		"/all":            `<!doctype html><title>All</title><h2>All things</h2>`,
		"/broken-picture": `<!doctype html><title>Broken</title><p>text</p><img src="/missing.png" alt=""><script src="http://elsewhere.test/x.js"></script>`,
		"/streaming":      `<!doctype html><title>Streaming</title><p>text</p><script>new EventSource("/events")</script>`,
		"/red":            `<!doctype html><body style="margin:0;background:#f00">red`,
		"/blue":           `<!doctype html><body style="margin:0;background:#00f">blue`,
		"/long":           `<!doctype html><title>Long</title><ul>` + strings.Repeat(`<li><a href="/">a link</a></li>`, 1500) + `</ul>`,
		"/wordy":          `<!doctype html><title>Wordy</title><p>` + strings.Repeat("many words ", 2000) + `</p>`,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.Host != Host:
			http.Error(w, "another host", http.StatusTeapot)
		case r.URL.Path == "/order":
			content := r.Method + " name=" + r.FormValue("name") + " gift=" + r.FormValue("gift") + " colour=" + r.FormValue("colour")
			_, _ = w.Write([]byte("<!doctype html><title>Order</title><p>" + html.EscapeString(content) + "</p>"))
		case r.URL.Path == "/events":
			feed.ServeHTTP(w, r)
		case r.URL.Path == "/failing":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("<!doctype html><title>Failing</title><p>It failed</p>"))
		case r.URL.Path == "/cup.png":
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10" fill="blue"/></svg>`))
		case pages[r.URL.Path] != "":
			_, _ = w.Write([]byte(pages[r.URL.Path]))
		default:
			http.NotFound(w, r)
		}
	})
}
