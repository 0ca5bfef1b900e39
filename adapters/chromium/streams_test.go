package chromium_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/conformance"
)

// feedPage shows the events of a stream.
const feedPage = `<!doctype html><title>Feed</title><ul id="l"></ul><p id="s"></p><button onclick="feed.close(); say('closed ' + feed.readyState)">Close</button><script>
const say = (text) => { const item = document.createElement("li"); item.append(text); l.append(item) };
const feed = new EventSource("/feed?a=b");
feed.onopen = () => { s.textContent = "open " + feed.readyState };
feed.onmessage = (event) => say(event.data + " " + event.lastEventId);
feed.addEventListener("news", (event) => say("news: " + event.data));
feed.onerror = () => { s.textContent = "error " + feed.readyState };
</script>`

func awaitText(t *testing.T, tab browser.Tab, text string) browser.Snapshot {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		seen := snapshot(t, tab)
		if slices.ContainsFunc(seen.Nodes, func(n browser.Node) bool { return n.Name == text }) {
			return seen
		}
		if time.Now().After(end) {
			t.Fatalf("got %+v, want %q", seen.Nodes, text)
		}
		if _, err := tab.Await(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEventsReachThePageOneByOne(t *testing.T) {
	next, ended := make(chan string, 1), make(chan struct{}, 10)
	var asked atomic.Int64
	in := newBrowser(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/feed" {
			host(map[string]string{"/": feedPage}).ServeHTTP(w, r)
			return
		}
		asked.Add(1)
		defer func() { ended <- struct{}{} }()
		if r.Header.Get("Accept") != "text/event-stream" || r.URL.RawQuery != "a=b" {
			t.Errorf("got the request %s %v, want that of a stream", r.URL, r.Header)
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = fmt.Fprintf(w, "retry: 100\n: hello\n\nid: %s7\ndata: first\ndata: line\n\n", r.Header.Get("Last-Event-ID"))
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case line := <-next:
				if line == "" {
					return
				}
				_, _ = w.Write([]byte(line))
			case <-r.Context().Done():
				return
			}
		}
	}), 0)
	tab := open(t, in, browser.Page{Address: "/"})
	awaitText(t, tab, "first line 7")
	awaitText(t, tab, "open 1")
	next <- "event: news\ndata: </script>\u2028 <b>\n\n"
	awaitText(t, tab, "news: </script>\u2028 <b>")
	// The server ends the stream, and the page asks again with what it has seen.
	next <- ""
	awaitText(t, tab, "first line 77")
	conformance.Await(t, "the end of the stream", ended)
	seen := snapshot(t, tab)
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, seen, browser.RoleButton, "Close").Ref})
	conformance.Await(t, "the end of the stream", ended)
	awaitText(t, tab, "closed 2")
	if failed := tab.Log().Requests; len(failed) > 0 || asked.Load() != 2 {
		t.Errorf("got the failures %+v after %d requests, want none after 2", failed, asked.Load())
	}
}

func TestStreamsEndWithTheirPage(t *testing.T) {
	ended := make(chan struct{}, 10)
	in := newBrowser(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/feed" {
			host(map[string]string{"/": feedPage, "/next": `<!doctype html><p>next</p>`}).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		ended <- struct{}{}
	}), 0)
	tab := open(t, in, browser.Page{Address: "/"})
	awaitText(t, tab, "open 1")
	step(t, tab, browser.Step{Do: browser.Goto, Value: "/next"})
	conformance.Await(t, "the end of the stream", ended)
	step(t, tab, browser.Step{Do: browser.Goto, Value: "/"})
	awaitText(t, tab, "open 1")
	tab.Close()
	conformance.Await(t, "the end of the stream", ended)
}

func TestStreamsAreBounded(t *testing.T) {
	var feeds atomic.Int64
	pages := map[string]string{
		"/many": `<!doctype html><p id="p">0</p><script>let n = 0; for (let i = 0; i < 50; i++) { new EventSource("/feed").onerror = () => { p.textContent = ++n + " refused" } }</script>`,
		"/far":  `<!doctype html><p id="p"></p><script>new EventSource("http://elsewhere.test/feed").onerror = () => { p.textContent = "refused" }</script>`,
		"/none": `<!doctype html><p id="p"></p><script>const f = new EventSource("/missing"); f.onerror = () => { p.textContent = "refused " + f.readyState }</script>`,
		"/long": `<!doctype html><p id="p"></p><script>const f = new EventSource("/endless"); f.onmessage = () => { p.textContent = "too long" }; f.onerror = () => { p.textContent = "ended " + f.readyState; f.close() }</script>`,
		"/rude": `<!doctype html><p id="p"></p><script>for (const word of ["__atelierAskStream", "__atelierTakeStream"]) try { globalThis[word]("x"); globalThis[word](JSON.stringify({ open: 1, url: "file:///etc/passwd" })); globalThis[word] = () => { throw 1 } } catch {}
JSON.stringify = Map.prototype.get = () => { throw 2 }; try { new EventSource("/feed") } catch {} p.textContent = "still here"</script>`,
	}
	in := newBrowser(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/feed":
			if feeds.Add(1) > 6 {
				t.Error("got more than 6 streams at once")
			}
			defer feeds.Add(-1)
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/endless":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: "))
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		default:
			host(pages).ServeHTTP(w, r)
		}
	}), 0)
	for path, want := range map[string]string{"/many": "44 refused", "/far": "refused", "/none": "refused 2", "/long": "ended 0", "/rude": "still here"} {
		tab := open(t, in, browser.Page{Address: path})
		awaitText(t, tab, want)
		requests := tab.Log().Requests
		if path == "/far" && !slices.Contains(requests, browser.Request{Method: "GET", URL: "http://elsewhere.test/feed", Kind: browser.KindData}) {
			t.Errorf("got %+v, want the refusal", requests)
		}
		if path == "/none" && !slices.Contains(requests, browser.Request{Method: "GET", URL: "/missing", Kind: browser.KindData, Own: true, Status: 404}) {
			t.Errorf("got %+v, want the failure", requests)
		}
		tab.Close()
	}
}
