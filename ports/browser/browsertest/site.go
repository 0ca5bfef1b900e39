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

// newSite serves the pages of the suite.
func newSite() http.Handler {
	pages := map[string]string{
		"/":               shopPage,
		"/texts":          `<!doctype html><title>Texts</title><p>3<!-- --> items <b>left</b></p><p>another paragraph</p><p>Loft<span>, </span>2<span> </span>nights</p><p>un<b>believ</b>able </p>`,
		"/blank":          `<!doctype html><title>Blank</title><div id="root"></div>`,
		"/all":            `<!doctype html><title>All</title><h2>All things</h2>`,
		"/broken-picture": `<!doctype html><title>Broken</title><p>text</p><img src="/missing.png" alt=""><script src="http://elsewhere.test/x.js"></script>`,
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
