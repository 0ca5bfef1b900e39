package browser

import (
	"fmt"
	"strings"
	"testing"
)

// workbench is an application with all that a save can change: components, a hook,
// a context, a store, constants and style sheets.
var workbench = map[string]string{
	"src/main.tsx": `import { createRoot } from 'react-dom/client'
import App from './App'
import './index.css'
createRoot(document.getElementById('root')!).render(<App />)
`,
	"src/App.tsx": `import { Counter } from './Counter'
import { Reader } from './Reader'
import { Theme } from './theme'
export default function App() {
  return (
    <Theme.Provider value="dark">
      <h1>Bench</h1>
      <input id="field" />
      <Counter />
      <Reader />
    </Theme.Provider>
  )
}
`,
	"src/Counter.tsx": `import { useState } from 'react'
import { label } from './labels'
import { useDouble } from './useDouble'
import { store } from './store'
import styles from './Counter.module.css'
export function Counter() {
  const [count, setCount] = useState(0)
  const double = useDouble(count)
  return (
    <button id="count" className={styles.count} onClick={() => { setCount(count + 1); store.hits += 1 }}>
      {label}: {count}, twice {double}
    </button>
  )
}
`,
	"src/Reader.tsx": `import { useContext } from 'react'
import { Theme } from './theme'
import { store } from './store'
export const Reader = () => <p id="reader">{useContext(Theme)} of {store.id}</p>
`,
	"src/useDouble.ts": `import { useMemo } from 'react'
export function useDouble(value: number) {
  return useMemo(() => value * 2, [value])
}
`,
	"src/labels.ts":          "export const label = 'Clicks'\n",
	"src/theme.ts":           "import { createContext } from 'react'\nexport const Theme = createContext('none')\n",
	"src/store.ts":           "const w = window as unknown as { stores?: number }\nw.stores = (w.stores ?? 0) + 1\nexport const store = { hits: 0, id: w.stores }\n",
	"src/index.css":          "h1 { color: rgb(1, 2, 3) }\n",
	"src/Counter.module.css": ".count { color: rgb(4, 5, 6) }\n",
}

// openWorkbench shows the workbench, with a counter at 3, a text in the field, and
// a mark that no reload survives.
func openWorkbench(t *testing.T, c *chromium, s *service) (*project, *tab) {
	t.Helper()
	p := s.signUp(t).create("todo-app")
	for path, text := range workbench {
		p.save(path, text)
	}
	page := c.open(t)
	page.visit(p.preview())
	page.wantHeading("Bench")
	page.enter("#field", "typed")
	for range 3 {
		page.click("#count")
	}
	page.wantText("#count", "Clicks: 3, twice 6")
	evaluate[bool](page, "window.marked = true")
	return p, page
}

func (p *tab) wantText(selector, text string) {
	p.t.Helper()
	p.until("the text", fmt.Sprintf("document.querySelector(%q)?.textContent === %q", selector, text))
}

// wantKept checks that the page was not reloaded: it keeps what was typed, and has one
// store.
func (p *tab) wantKept() {
	p.t.Helper()
	if !evaluate[bool](p, "window.marked === true") {
		p.t.Error("got another page, want the one that was there")
	}
	if got := evaluate[string](p, "document.querySelector('#field').value"); got != "typed" {
		p.t.Errorf("got %q in the field, want what was typed", got)
	}
	if got := evaluate[int](p, "window.stores"); got != 1 {
		p.t.Errorf("got %d stores, want one", got)
	}
}

func aSavedComponentKeepsItsState(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	for i, title := range []string{"Bench two", "Bench three", "Bench two", "Bench"} {
		p.alter("src/App.tsx", before(after(p.read("src/App.tsx"), "<h1>"), "</h1>")+"</h1>", title+"</h1>")
		page.wantHeading(title)
		page.wantText("#count", "Clicks: 3, twice 6")
		p.alter("src/Counter.tsx", "twice", "doubled")
		page.wantText("#count", "Clicks: 3, doubled 6")
		p.alter("src/Counter.tsx", "doubled", "twice")
		page.wantText("#count", "Clicks: 3, twice 6")
		if i == 1 {
			p.alter("src/Reader.tsx", " of ", " from ")
			page.wantText("#reader", "dark from 1")
		}
	}
	page.wantKept()
	page.wantQuiet()
}

// after returns the text behind the first mark.
func after(text, mark string) string {
	_, tail, _ := strings.Cut(text, mark)
	return tail
}

func aSavedValueReachesThoseThatUseIt(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.alter("src/labels.ts", "Clicks", "Presses")
	page.wantText("#count", "Presses: 3, twice 6")
	p.alter("src/App.tsx", `value="dark"`, `value="light"`)
	page.wantText("#reader", "light of 1")
	page.wantText("#count", "Presses: 3, twice 6")
	page.wantKept()

	// A new context has a new provider, below which React remounts. Its readers and its
	// setters use the same one.
	p.alter("src/theme.ts", "'none'", "'nothing'")
	page.wantText("#count", "Presses: 0, twice 0")
	page.wantText("#reader", "light of 1")
	if !evaluate[bool](page, "window.marked === true") {
		t.Error("got another page, want the one that was there")
	}
	page.wantQuiet()
}

func aHookThatGainsAHookStartsAnew(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.alter("src/useDouble.ts", "value * 2", "value * 20")
	page.wantText("#count", "Clicks: 3, twice 60")
	p.save("src/useDouble.ts", "import { useMemo, useState } from 'react'\nexport function useDouble(value: number) {\n  const [by] = useState(3)\n  return useMemo(() => value * by, [value, by])\n}\n")
	page.wantText("#count", "Clicks: 0, twice 0")
	page.click("#count")
	page.wantText("#count", "Clicks: 1, twice 3")
	page.wantKept()
	page.wantQuiet()
}

// anExportMayBeAnotherComponent: Fast Refresh replaces components by their names, and importers keep
// the one that they got.
func anExportMayBeAnotherComponent(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.save("src/App.tsx", "export default () => <h1>Anonymous</h1>\n")
	page.wantHeading("Anonymous")
	p.save("src/App.tsx", "export default () => <h1>Still anonymous</h1>\n")
	page.wantHeading("Still anonymous")
	p.save("src/App.tsx", "function Old() {\n  return <h1>Old</h1>\n}\nfunction New() {\n  return <h1>Two</h1>\n}\nexport { New as default, Old }\n")
	page.wantHeading("Two")
	p.save("src/App.tsx", "function Old() {\n  return <h1>Old</h1>\n}\nfunction New() {\n  return <h1>Two</h1>\n}\nexport { Old as default, New }\n")
	page.wantHeading("Old")
	page.wantQuiet()
}

func aSavedStyleIsExchanged(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.alter("src/index.css", "rgb(1, 2, 3)", "rgb(11, 12, 13)")
	page.until("the new colour", "getComputedStyle(document.querySelector('h1')).color === 'rgb(11, 12, 13)'")
	p.alter("src/Counter.module.css", "rgb(4, 5, 6)", "rgb(14, 15, 16)")
	page.until("the new colour", "getComputedStyle(document.querySelector('#count')).color === 'rgb(14, 15, 16)'")
	p.save("src/Counter.module.css", ".count { color: rgb(24, 25, 26) }\n.more { top: 0 }\n")
	page.until("the new colour", "getComputedStyle(document.querySelector('#count')).color === 'rgb(24, 25, 26)'")
	page.wantText("#count", "Clicks: 3, twice 6")
	p.alter("src/App.tsx", "import { Counter }", "import './late.css'\nimport { Counter }")
	p.save("src/late.css", "h1 { color: rgb(31, 32, 33) }\n")
	page.until("the style sheet that is new", "getComputedStyle(document.querySelector('h1')).color === 'rgb(31, 32, 33)'")
	p.alter("src/App.tsx", "import './late.css'\n", "")
	page.until("the end of the style sheet", "getComputedStyle(document.querySelector('h1')).color === 'rgb(11, 12, 13)'")
	page.wantKept()
}

func aMistakeInASourceCostsNoState(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.alter("src/Counter.tsx", "<button", "<buton")
	page.until("the overlay", "document.querySelector('atelier-diagnostics') !== null")
	if got := page.overlay(); !strings.Contains(got, "src/Counter.tsx:12:") {
		t.Errorf("got the overlay %q, want the place of the mistake", got)
	}
	p.alter("src/Counter.tsx", "<buton", "<button")
	page.until("the end of the overlay", "document.querySelector('atelier-diagnostics') === null")
	p.alter("src/Counter.tsx", "twice", "doubled")
	page.wantText("#count", "Clicks: 3, doubled 6")
	for _, wrong := range []struct{ old, new, says string }{
		{"'./labels'", "'./labls'", `there is no file "./labls"`},
		{"'./labels'", "'no-such-package'", `"no-such-package" is not installed`},
		{"{ label }", "{ labell as label }", `No matching export in "src/labels.ts" for import "labell"`},
	} {
		p.alter("src/Counter.tsx", wrong.old, wrong.new)
		page.wait("the overlay", func() bool { return strings.Contains(page.overlay(), wrong.says) })
		p.alter("src/Counter.tsx", wrong.new, wrong.old)
		page.until("the end of the overlay", "document.querySelector('atelier-diagnostics') === null")
	}
	p.remove("src/labels.ts")
	page.wait("the overlay", func() bool { return strings.Contains(page.overlay(), `there is no file "./labels"`) })
	p.save("src/labels.ts", "export const label = 'Anew'\n")
	page.wantText("#count", "Anew: 3, doubled 6")
	page.wantKept()
}

func aModuleThatThrowsIsShownAndRecovers(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	p.save("src/labels.ts", "export const label = (undefined as any).missing\n")
	page.wait("the overlay", func() bool { return strings.Contains(page.overlay(), "src/labels.ts:1:") })
	page.wantText("#count", "Clicks: 3, twice 6")
	p.save("src/labels.ts", "export const label = 'Mended'\n")
	page.wantText("#count", "Mended: 0, twice 0")
	p.save("src/labels.ts", "throw new Error('at the start')\nexport const label = ''\n")
	page.wait("the overlay", func() bool { return strings.Contains(page.overlay(), "at the start") })
	page.reload()
	page.wait("the overlay after a reload", func() bool { return strings.Contains(page.overlay(), "src/labels.ts:1:") })
	p.save("src/labels.ts", "export const label = 'Again'\n")
	page.wantText("#count", "Again: 0, twice 0")

	// A component that throws unmounts its whole root; a better one restores it.
	evaluate[bool](page, "window.marked = true")
	p.alter("src/Reader.tsx", "{store.id}", "{(store as any).missing.id}")
	page.until("the empty root", "document.querySelector('#root').children.length === 0")
	p.alter("src/Reader.tsx", "{(store as any).missing.id}", "{store.id}")
	page.wantText("#count", "Again: 0, twice 0")
	if !evaluate[bool](page, "window.marked === true") {
		t.Error("got another page, want the one that was there")
	}
}

func whatAPageCannotFollowLoadsItAgain(t *testing.T, c *chromium, s *service) {
	p, page := openWorkbench(t, c, s)
	again := func(what string) {
		t.Helper()
		page.until("the reload after "+what, "window.marked !== true && document.querySelector('#count') !== null")
		evaluate[bool](page, "window.marked = true")
	}
	p.alter("src/main.tsx", "createRoot(", "/* changed */ console.log(1); createRoot(")
	again("an entry")
	p.alter("index.html", "<title>", "<title>New ")
	again("the page")
	p.save("public/new.txt", "new")
	again("a public file")
	p.call(204, "PUT", p.path("/env/VITE_NAME"), map[string]string{"value": "x"}, nil)
	again("an environment value")
	p.alter("src/store.ts", "hits: 0", "hits: 1")
	page.until("another store", "window.stores === 2 && window.marked")
	p.alter("src/store.ts", "hits: 1", "hits: 0")
	again("a module that was there before")
	page.wantQuiet()
}

// remove deletes a file.
func (p *project) remove(path string) {
	p.t.Helper()
	response := p.send("DELETE", p.path("/files/"+path), "text/plain", nil)
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		p.t.Fatalf("DELETE %s: got %d, want it gone", path, response.StatusCode)
	}
}
