package chromium_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/browser"
)

// later are statements that call done after a while, each by other means. Every page that has begun
// one of them is waited for.
var later = map[string]string{
	"a timer":            `setTimeout(done, 700)`,
	"a string":           `globalThis.done = done; setTimeout("done()", 700)`,
	"timers in turn":     `let n = 0; const tick = () => { if (++n > 7) done(); else setTimeout(tick, 100) }; tick()`,
	"an interval":        `let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); done() } }, 500)`,
	"frames":             `const end = performance.now() + 700; const draw = (at) => { if (at > end) done(); else requestAnimationFrame(draw) }; requestAnimationFrame(draw)`,
	"idle moments":       `const end = performance.now() + 700; const rest = () => { if (performance.now() > end) done(); else requestIdleCallback(rest) }; rest()`,
	"a request":          `fetch("/slow").then((a) => a.text()).then(done)`,
	"an answer unread":   `fetch("/slow").then(done)`,
	"requests in turn":   `const ask = async () => { for (let i = 0; i < 3; i++) await (await fetch("/slow?" + i)).json().catch(() => {}); done() }; ask()`,
	"an old request":     `const asked = new XMLHttpRequest(); asked.onload = done; asked.open("GET", "/slow"); asked.send()`,
	"a picture":          `const i = new Image(); i.onerror = done; i.src = "/slow"`,
	"a module":           `import("/slow.js").catch(done)`,
	"a stream":           `new EventSource("/feed").onmessage = done`,
	"a transition":       `p.style.transition = "opacity 0.7s"; p.ontransitionend = done; p.getBoundingClientRect(); p.style.opacity = 0.5`,
	"an animation":       `p.animate([{ opacity: 0 }, { opacity: 1 }], 700).onfinish = done`,
	"a worker":           `new Worker(URL.createObjectURL(new Blob(["setTimeout(() => postMessage(1), 700)"]))).onmessage = done`,
	"a frame":            `const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.setTimeout(done, 700)`,
	"a channel":          `const c = new MessageChannel(), end = performance.now() + 700; c.port1.onmessage = () => { if (performance.now() > end) done(); else c.port2.postMessage(1) }; c.port2.postMessage(1)`,
	"readings in turn":   `(async () => { const end = performance.now() + 700; while (performance.now() < end) await new Blob(["x"]).text(); done() })()`,
	"a database":         `indexedDB.open("db").onsuccess = (e) => { e.target.result.close(); setTimeout(done, 700) }`,
	"another page":       `setTimeout(() => { location = "/next" }, 700)`,
	"a scheduled task":   `scheduler.postTask(done, { delay: 700 })`,
	"a form":             `document.body.insertAdjacentHTML("beforeend", '<form action="/slow-next"></form>'); document.forms[0].submit()`,
	"a click far behind": `addEventListener("click", () => setTimeout(done, 700))`,
}

// delaying answers some paths late.
func delaying(pages map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := time.NewTimer(700 * time.Millisecond)
		defer wait.Stop()
		switch r.URL.Path {
		case "/slow", "/slow.js", "/slow-next":
			select {
			case <-wait.C:
			case <-r.Context().Done():
			}
			r.URL.Path = "/next"
		case "/feed":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-wait.C:
				_, _ = w.Write([]byte("data: x\n\n"))
			case <-r.Context().Done():
			}
			return
		}
		host(pages).ServeHTTP(w, r)
	})
}

func TestAPageIsAwaitedWhileAnythingIsUnderWay(t *testing.T) {
	pages := map[string]string{"/next": `<!doctype html><p>next</p>`}
	for name, script := range later {
		pages["/"+name] = `<!doctype html><p id="p">before</p><button onclick="start()">Start</button><script>
const p = document.getElementById("p"), done = () => { p.textContent = "after" }, start = () => { ` + script + ` };</script>`
	}
	in := newBrowser(t, delaying(pages), time.Hour)
	for name := range later {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, in, browser.Page{Address: "/" + url.PathEscape(name)})
			defer tab.Close()
			step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, snapshot(t, tab), browser.RoleButton, "Start").Ref})
			for seen := snapshot(t, tab); seen.Nodes[0].Name == "before"; seen = snapshot(t, tab) {
				if changed, err := tab.Await(t.Context(), time.Minute); !changed || err != nil {
					t.Fatalf("got %t, %v, want a change", changed, err)
				}
			}
		})
	}
}

func TestAPageWithNothingUnderWayIsNotAwaited(t *testing.T) {
	in := newHurriedBrowser(t, host(map[string]string{"/": `<!doctype html><button>Nothing</button><script>
setTimeout(() => { location = "/next" }, 3_600_000); clearInterval(setInterval(() => {}, 10)); cancelAnimationFrame(requestAnimationFrame(() => {}));
new MessageChannel().port1.postMessage(1); requestAnimationFrame(() => fetch("/").then((answer) => answer.text()));
</script>`}), time.Hour, time.Hour)
	tab := open(t, in, browser.Page{Address: "/"})
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, snapshot(t, tab), browser.RoleButton, "Nothing").Ref})
	snapshot(t, tab)
	// The end of this wait is not reached by the test.
	if changed, err := tab.Await(t.Context(), 30*time.Minute); changed || err != nil {
		t.Errorf("got %t, %v, want no change", changed, err)
	}
}
