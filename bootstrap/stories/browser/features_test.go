package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/conformance"
)

// features is an application that asks for files in all ways that Vite knows.
var features = map[string]string{
	"src/main.ts": `import './main.css'
import data from './data.json'
import text from './note.md?raw'
import logo from './logo.svg'
import Echo from './echo?worker'
const show = (id: string, value: unknown) => {
  const p = document.createElement('p')
  p.id = id
  p.textContent = String(value)
  document.body.append(p)
}
const pages = import.meta.glob('./pages/*.ts', { import: 'title', eager: true })
show('pages', Object.values(pages).join())
show('data', [data.name, text, import.meta.env.MODE, import.meta.env.BASE_URL, import.meta.env.VITE_GREETING].join())
const name = 'de'
import(` + "`./lang/${name}.ts`" + `).then((lang) => show('lang', lang.default))
import('./lazy').then((lazy) => show('lazy', lazy.default))
const ask = (id: string, worker: Worker) => {
  worker.onmessage = (event) => show(id, event.data)
  worker.postMessage(20)
}
ask('imported', new Echo())
ask('constructed', new Worker(new URL('./echo.ts', import.meta.url), { type: 'module' }))
ask('classic', new Worker(new URL('./classic.js', import.meta.url)))
for (const [id, address] of [['logo', logo], ['dot', new URL('./dot.png', import.meta.url).href]]) {
  fetch(address).then((answer) => answer.text()).then((body) => show(id, body))
}
show('path', location.pathname)
`,
	"src/main.css":     "@import './base.css';\nbody { background: url('./logo.svg') }\n",
	"src/base.css":     "p { color: rgb(7, 8, 9) }\n",
	"src/data.json":    `{"name": "data"}`,
	"src/note.md":      "note",
	"src/logo.svg":     "<svg xmlns='http://www.w3.org/2000/svg'/>",
	"src/dot.png":      "dot",
	"src/pages/a.ts":   "export const title = 'a'\n",
	"src/pages/b.ts":   "export const title = 'b'\n",
	"src/lang/de.ts":   "export default 'hallo'\n",
	"src/lazy.ts":      "import './lazy.css'\nexport default 'lazy'\n",
	"src/lazy.css":     "#lazy { color: rgb(17, 18, 19) }\n",
	"src/echo.ts":      "import { twice } from './twice'\nself.onmessage = (event) => self.postMessage('echo ' + twice(event.data))\n",
	"src/twice.ts":     "export const twice = (n: number) => 2 * n\n",
	"src/classic.js":   "import { twice } from './twice'\nself.onmessage = (event) => self.postMessage('classic ' + twice(event.data))\n",
	"other/index.html": "<!doctype html><title>Other</title><link rel=\"icon\" href=\"data:,\"><h1>Other</h1><script type=\"module\">import { twice } from '/src/twice'; document.title = 'Other ' + twice(2)</script>",
	"index.html":       "<!doctype html><html><head><title>Features</title><link rel=\"icon\" href=\"data:,\"></head><body><h1>Features</h1><script type=\"module\" src=\"/src/main.ts\"></script></body></html>",
}

func createFeatures(t *testing.T, s *service) *project {
	t.Helper()
	p := s.signUp(t).create("blank")
	for path, text := range features {
		p.save(path, text)
	}
	p.call(204, "PUT", p.path("/env/VITE_GREETING"), map[string]string{"value": "hello"}, nil)
	return p
}

func whatViteKnowsWorks(t *testing.T, c *chromium, s *service) {
	p := createFeatures(t, s)
	for mode, address := range map[string]string{"development": p.preview(), "production": p.publish()} {
		page := c.open(t)
		page.visit(address + "/deep/link")
		for selector, want := range map[string]string{
			"#pages": "a,b", "#data": "data,note," + mode + ",/,hello", "#lang": "hallo", "#lazy": "lazy",
			"#imported": "echo 40", "#constructed": "echo 40", "#classic": "classic 40",
			"#logo": features["src/logo.svg"], "#dot": "dot", "#path": "/deep/link",
		} {
			page.wantText(selector, want)
		}
		page.until("the styles", "getComputedStyle(document.querySelector('#data')).color === 'rgb(7, 8, 9)'")
		page.until("the styles of what comes later", "getComputedStyle(document.querySelector('#lazy')).color === 'rgb(17, 18, 19)'")
		page.visit(address + "/other/")
		page.until("the title", "document.title === 'Other 4'")
		page.wantQuiet()
	}
}

func aGlobAndAWorkerFollowTheirFiles(t *testing.T, c *chromium, s *service) {
	p := createFeatures(t, s)
	page := c.open(t)
	page.visit(p.preview())
	page.wantText("#pages", "a,b")
	p.save("src/pages/c.ts", "export const title = 'c'\n")
	page.wantText("#pages", "a,b,c")
	p.remove("src/pages/a.ts")
	page.wantText("#pages", "b,c")
	p.alter("src/twice.ts", "2 * n", "n + n + 1")
	page.wantText("#imported", "echo 41")
	page.wantText("#constructed", "echo 41")
	page.until("another page", "window.marked = true")
	p.alter("src/base.css", "rgb(7, 8, 9)", "rgb(70, 80, 90)")
	page.until("the style sheet that another imports", "getComputedStyle(document.querySelector('#data')).color === 'rgb(70, 80, 90)'")
	p.save("other/index.html", "<!doctype html><title>Nobody looks</title>")
	p.alter("src/lazy.css", "rgb(17, 18, 19)", "rgb(27, 28, 29)")
	page.until("the styles of what came later", "getComputedStyle(document.querySelector('#lazy')).color === 'rgb(27, 28, 29)' && window.marked")
	page.wantQuiet()
}

func aModuleTakesItsOwnNewVersions(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("blank")
	p.save("index.html", "<!doctype html><html><head><link rel=\"icon\" href=\"data:,\"></head><body><h1>Hot</h1><p id=\"value\"></p><script type=\"module\" src=\"/src/main.ts\"></script></body></html>")
	p.save("src/main.ts", "import { start } from './clock'\nstart()\n")
	p.save("src/clock.ts", `const show = (text: string) => { document.querySelector('#value')!.textContent = text }
const word = 'one'
export const start = () => show(word + ' after ' + (import.meta.hot?.data.last ?? 'nothing'))
if (import.meta.hot) {
  import.meta.hot.dispose((data: Record<string, string>) => { data.last = word })
  import.meta.hot.accept((next: { start: () => void }) => next.start())
}
`)
	page := c.open(t)
	page.visit(p.preview())
	page.wantText("#value", "one after nothing")
	evaluate[bool](page, "window.marked = true")
	p.alter("src/clock.ts", "'one'", "'two'")
	page.wantText("#value", "two after one")
	p.alter("src/clock.ts", "'two'", "'one'")
	page.wantText("#value", "one after two")
	if !evaluate[bool](page, "window.marked === true") {
		t.Error("got another page, want the one that was there")
	}
	page.wantQuiet()
}

func reportsNameTheSource(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	reports := p.console()
	p.alter("src/Reader.tsx", "export const Reader", "\n\nconst fail = () => {\n  throw new Error('on click')\n}\nexport const Reader")
	p.alter("src/Reader.tsx", `id="reader"`, `id="reader" onClick={fail}`)
	page.until("the new component", "document.querySelector('#reader') && window.marked")
	var seen []string
	isNamed := conformance.Becomes(func() bool {
		page.click("#reader")
		for len(reports) > 0 {
			report := <-reports
			seen = append(seen, fmt.Sprintf("%s (%s:%d)", report.Message, report.Source, report.Line))
			if strings.Contains(report.Message, "on click") && report.Source == "src/Reader.tsx" && report.Line == 7 && strings.Contains(report.Message, "src/Reader.tsx:7:9") {
				return true
			}
		}
		return false
	})
	if !isNamed {
		t.Errorf("got reports %q, want one with src/Reader.tsx:7:9", seen)
	}
}
