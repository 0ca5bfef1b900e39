package browser

import (
	"testing"

	cdppage "github.com/chromedp/cdproto/page"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// aLostConnectionLosesNoRecord closes the stream of a page that shows records with the generated
// function, and adds one before the client connects again.
func aLostConnectionLosesNoRecord(t *testing.T, c *chromium, s *service) {
	p, _ := s.signUp(t).importProject(storytest.Zipped(t,
		"package.json", `{"dependencies": {"pocketbase": "0.28.1"}}`,
		"tsconfig.json", `{"compilerOptions": {"strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": true}}`,
		"index.html", `<!doctype html><html lang="en"><head><title>Entries</title></head><body><ul></ul><button>End</button><script type="module" src="/src/main.ts"></script></body></html>`,
		"src/main.ts", `import PocketBase from "pocketbase"
import { watch } from "./backend.gen"

const client = new PocketBase("/_data")
const end = await watch(client, "entries", { sort: "text" }, (records) => {
  document.querySelector("ul")!.replaceChildren(...records.map(({ text }) => Object.assign(document.createElement("li"), { textContent: text })))
})
document.querySelector("button")!.onclick = end
`,
		"backend/schema.json", `{"collections": [{"name": "entries", "fields": [{"name": "text", "type": "text"}], "listRule": "", "viewRule": "", "createRule": ""}]}`,
		"backend/seed.json", `{"entries": [{"text": "a"}]}`,
	))
	page := c.open(t)
	send(page, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const Stream = EventSource;
		window.streams = [];
		window.EventSource = function (address) { const stream = new Stream(address); if (address.includes('realtime')) streams.push(stream); return stream; };
		EventSource.CLOSED = Stream.CLOSED;
		window.add = (text) => fetch('/_data/collections/entries/records', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text }) });`})
	page.visit(p.preview())
	shows := func(what, want string) {
		page.until(what, "[...document.querySelectorAll('li')].map((item) => item.textContent).join() === '"+want+"'")
	}
	shows("the seed", "a")
	evaluate[bool](page, "add('b').then(() => true)")
	shows("a new record", "a,b")
	evaluate[bool](page, "streams[0].close(), add('c').then(() => { streams[0].onerror(new Event('error')); return true; })")
	shows("what was missed", "a,b,c")
	page.click("button")
	page.until("the end of the stream", "streams.at(-1).readyState === 2")
	page.wantQuiet()
	p.wantNoTypeErrors()
}

// wantNoTypeErrors checks the project's types.
func (p *project) wantNoTypeErrors() {
	p.t.Helper()
	var answer struct{ Diagnostics []any }
	p.call(200, "POST", p.path("/typecheck"), nil, &answer)
	if len(answer.Diagnostics) > 0 {
		p.t.Errorf("got the type errors %v, want none", answer.Diagnostics)
	}
}
