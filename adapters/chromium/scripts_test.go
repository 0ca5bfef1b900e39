package chromium_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// application is a page that scripts make, as the agent's pages are.
const application = `<!doctype html><title>Todos</title><div id="root"></div><script type="module">
const root = document.getElementById("root");
root.innerHTML = '<h1>My todos</h1><form><label>New todo <input id="t"></label><label>Due <input id="d" type="date"></label><button>Add</button></form><ul id="l"></ul><p id="c"></p>';
root.append(Object.assign(document.createElement("div"), { textContent: "Clear all", onclick: () => { if (confirm("Clear all?")) document.getElementById("l").replaceChildren(); count() } }));
const count = () => { document.getElementById("c").textContent = document.getElementById("l").children.length + " items left" };
document.querySelector("form").addEventListener("submit", async (e) => {
	e.preventDefault();
	const text = document.getElementById("t").value;
	if (!text) throw new Error("title is empty");
	const saved = await fetch("/save", { method: "POST", body: JSON.stringify({ text, due: document.getElementById("d").value }), headers: { "content-type": "application/json" } });
	const item = document.createElement("li");
	item.textContent = await saved.text();
	document.getElementById("l").append(item);
	document.getElementById("t").value = "";
	count();
});
count();
</script>`

func node(t *testing.T, seen browser.Snapshot, role browser.Role, name string) browser.Node {
	t.Helper()
	for _, one := range seen.Nodes {
		if one.Role == role && one.Name == name {
			return one
		}
	}
	t.Fatalf("got %+v, want a %s %q in it", seen.Nodes, role, name)
	return browser.Node{}
}

func snapshot(t *testing.T, tab browser.Tab) browser.Snapshot {
	t.Helper()
	seen, err := tab.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func open(t *testing.T, in *chromium.Browser, page browser.Page) browser.Tab {
	t.Helper()
	page.Address = origin + page.Address
	tab, err := in.Open(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

func step(t *testing.T, tab browser.Tab, one browser.Step) {
	t.Helper()
	if err := tab.Do(t.Context(), one); err != nil {
		t.Fatalf("%+v: %v", one, err)
	}
}

func TestAnApplicationIsUsed(t *testing.T) {
	in := newBrowser(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/save" {
			if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Origin") != origin {
				t.Errorf("got the headers %v, want those of the page's request", r.Header)
			}
			body := make([]byte, 200)
			n, _ := r.Body.Read(body)
			_, _ = w.Write([]byte("saved " + string(body[:n])))
			return
		}
		host(map[string]string{"/": application}).ServeHTTP(w, r)
	}), 0)
	tab := open(t, in, browser.Page{Address: "/"})
	seen := snapshot(t, tab)
	step(t, tab, browser.Step{Do: browser.Fill, Ref: node(t, seen, browser.RoleTextbox, "New todo").Ref, Value: "Milk"})
	step(t, tab, browser.Step{Do: browser.Fill, Ref: node(t, seen, browser.RoleTextbox, "Due").Ref, Value: "2030-01-02"})
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, seen, browser.RoleButton, "Add").Ref})
	seen = snapshot(t, tab)
	node(t, seen, browser.RoleText, `saved {"text":"Milk","due":"2030-01-02"}`)
	node(t, seen, browser.RoleText, "1 items left")
	step(t, tab, browser.Step{Do: browser.Press, Ref: node(t, seen, browser.RoleTextbox, "New todo").Ref, Value: "Enter"})
	if said := tab.Log().Lines; len(said) != 1 || said[0].Kind != browser.Exception || !strings.Contains(said[0].Text, "title is empty") {
		t.Errorf("got %+v, want the exception", said)
	}
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, seen, browser.RoleText, "Clear all").Ref})
	node(t, snapshot(t, tab), browser.RoleText, "0 items left")
	if said := tab.Log().Lines; !slices.Equal(said, []browser.Line{{Kind: browser.Dialog, Text: "Clear all?"}}) {
		t.Errorf("got %+v, want the question", said)
	}
	if err := tab.Do(t.Context(), browser.Step{Do: browser.Fill, Ref: node(t, seen, browser.RoleTextbox, "Due").Ref, Value: "tomorrow"}); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "2030-12-31") {
		t.Errorf("got %v, want how a date is written", err)
	}
}

func TestStorageIsThereBeforeThePagesScripts(t *testing.T) {
	in := newBrowser(t, host(map[string]string{"/": `<!doctype html><p id="p"></p><script>p.textContent = localStorage.getItem("pocketbase_auth") + matchMedia("(prefers-color-scheme: dark)").matches + innerWidth</script>`}), 0)
	tab := open(t, in, browser.Page{Address: "/", Dark: true, Window: browser.Window{Width: browser.PhoneWidth, Height: browser.PhoneHeight}, Storage: map[string]string{"pocketbase_auth": `{"token":"</script>"}`}})
	// A page without a viewport of its own is wider than the phone.
	if seen := snapshot(t, tab); len(seen.Nodes) != 1 || !strings.HasPrefix(seen.Nodes[0].Name, `{"token":"</script>"}true`) {
		t.Errorf("got %+v, want what was stored, in dark colours", seen.Nodes)
	}
}

func TestChangesAreAwaited(t *testing.T) {
	in := newBrowser(t, host(map[string]string{
		"/":     `<!doctype html><p id="p">before</p><button onclick="setTimeout(() => { p.textContent = 'after' }, 300)">Later</button><button onclick="setTimeout(() => { location = '/next' }, 300)">Leave</button>`,
		"/next": `<!doctype html><p>next</p>`,
	}), 0)
	tab := open(t, in, browser.Page{Address: "/"})
	await := func(text string) {
		t.Helper()
		for seen := snapshot(t, tab); !slices.ContainsFunc(seen.Nodes, func(n browser.Node) bool { return n.Name == text }); seen = snapshot(t, tab) {
			if changed, err := tab.Await(t.Context(), 10*time.Second); !changed || err != nil {
				t.Fatalf("got %t, %v, want a change until there is %q", changed, err, text)
			}
		}
	}
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, snapshot(t, tab), browser.RoleButton, "Later").Ref})
	await("after")
	step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, snapshot(t, tab), browser.RoleButton, "Leave").Ref})
	await("next")
}

func TestPagesThatFightBack(t *testing.T) {
	pages := map[string]string{
		"/restless": `<!doctype html><p>restless</p><p id="p"></p><script>setInterval(() => { p.textContent = Math.random() }, 5)</script>`,
		"/animated": `<!doctype html><style>@keyframes a { to { translate: 9px } } p { animation: a 10ms infinite alternate }</style><p>animated</p>`,
		"/popups":   `<!doctype html><p>popups</p><script>for (let i = 0; i < 5; i++) open("/good?" + i)</script>`,
		"/dialogs":  `<!doctype html><p>dialogs</p><script>alert("one"); confirm("two"); prompt("three")</script>`,
		"/leave":    `<!doctype html><p>stayed</p><script>location = "http://elsewhere.test/"</script>`,
		"/worker":   `<!doctype html><p id="p"></p><script>p.textContent = "serviceWorker" in navigator</script>`,
		"/download": `<!doctype html><p>downloads</p><a id="a" download="x" href="/good">x</a><script>a.click()</script>`,
		"/stream":   `<!doctype html><p>stream</p><script>new EventSource("/events")</script>`,
		"/builtins": `<!doctype html><p>tampered</p><script>JSON.stringify = performance.now = Array.prototype.some = Array.from = () => { throw 1 }; Object.defineProperty(document, "title", { get() { throw 1 } })</script>`,
		"/reload":   `<!doctype html><p>reloads</p><script>setTimeout(() => location.reload(), 30)</script>`,
		"/unread":   `<!doctype html><p>unread</p><script>fetch("/missing"); fetch("/good")</script>`,
		"/good":     `<!doctype html><p>good</p>`,
	}
	in := newBrowser(t, host(pages), 0)
	for path, want := range map[string]string{
		"/restless": "restless", "/animated": "animated", "/popups": "popups", "/dialogs": "dialogs", "/leave": "stayed", "/worker": "false",
		"/download": "downloads", "/stream": "stream", "/builtins": "tampered", "/unread": "unread",
	} {
		tab := open(t, in, browser.Page{Address: path})
		node(t, snapshot(t, tab), browser.RoleText, want)
		tab.Close()
	}
	// A page that never stays may have no snapshot.
	tab, err := in.Open(t.Context(), browser.Page{Address: origin + "/reload"})
	if err == nil {
		_, err = tab.Snapshot(t.Context())
		tab.Close()
	}
	if err != nil && !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want a page, or code %s", err, core.CodeUnavailable)
	}
	node(t, snapshot(t, open(t, in, browser.Page{Address: "/good"})), browser.RoleText, "good")
}

func TestAPageThatSaysTooMuchEndsItsBrowser(t *testing.T) {
	in := newBrowser(t, host(map[string]string{
		"/huge": `<!doctype html><p>huge</p><script>console.error("x".repeat(60 << 20))</script>`,
		// 100 MB of text in its nodes.
		"/dom":   `<!doctype html><p>dom</p><script>for (let i = 0; i < 1000; i++) document.body.append(Object.assign(document.createElement("p"), { hidden: true, textContent: i + "x".repeat(100_000) }))</script>`,
		"/large": `<!doctype html><p>large</p><script>for (let i = 0; i < 30000; i++) document.body.append(document.createElement("p"))</script>`,
		"/good":  `<!doctype html><p>good</p>`,
	}), 0)
	for _, path := range []string{"/huge", "/dom"} {
		tab, err := in.Open(t.Context(), browser.Page{Address: origin + path})
		if err == nil {
			_, err = tab.Snapshot(t.Context())
			tab.Close()
		}
		if err != nil && !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want a page, or code %s", path, err, core.CodeUnavailable)
		}
	}
	if seen := snapshot(t, open(t, in, browser.Page{Address: "/large"})); !seen.Cut || len(seen.Nodes) > 0 {
		t.Errorf("got %d nodes of a page that is too large, want none", len(seen.Nodes))
	}
	node(t, snapshot(t, open(t, in, browser.Page{Address: "/good"})), browser.RoleText, "good")
}

func TestAProcessServesOneTenant(t *testing.T) {
	in := newBrowser(t, host(map[string]string{"/": `<!doctype html><p>good</p>`}), time.Hour)
	visit := func(tenant string) []string {
		tab := open(t, in, browser.Page{Address: "/", Tenant: tenant})
		defer tab.Close()
		return browsers(t)
	}
	first, again, other := visit("one"), visit("one"), visit("two")
	if len(first) != 1 || !slices.Equal(again, first) {
		t.Errorf("got the processes %v, then %v, want the same one for a tenant's next page", first, again)
	}
	if len(other) != 2 {
		t.Errorf("got the processes %v for another tenant, want one more than %v", other, first)
	}
	if third := visit("three"); len(third) != 2 || slices.Contains(third, first[0]) {
		t.Errorf("got the processes %v for a third tenant, want the longest resting one of %v ended", third, other)
	}
}
