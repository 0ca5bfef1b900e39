package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/ports/conformance"
)

func aSavedFileAppearsByItself(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	page := c.open(t)
	page.visit(p.preview())
	page.wantHeading("My todos")
	for _, heading := range []string{"Our todos", "All todos", "My todos"} {
		before := evaluate[string](page, "document.querySelector('h1').textContent")
		p.alter("src/App.tsx", "<h1>"+before+"</h1>", "<h1>"+heading+"</h1>")
		page.wantHeading(heading)
	}
	p.alter("src/index.css", "#f4f1ea", "#123456")
	page.until("the new colour", "getComputedStyle(document.body).backgroundColor === 'rgb(18, 52, 86)'")
	page.wantQuiet()
}

// aPageWithoutAStreamAsksAgain refuses a page its first two streams, as a process does that
// has no place for them, and lets no time pass before it may ask again.
func aPageWithoutAStreamAsksAgain(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	page := c.open(t)
	send(page, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const later = setTimeout, Stream = EventSource;
		window.pauses = [];
		window.setTimeout = (act, pause, ...more) => pause >= 10000 ? (pauses.push(pause), later(act, 0, ...more)) : later(act, pause, ...more);
		window.EventSource = function (address) { return new Stream(pauses.length < 2 ? '/@atelier/none' : address); };
		EventSource.CLOSED = Stream.CLOSED;`})
	page.visit(p.preview())
	page.wantHeading("My todos")
	page.until("the third stream", "pauses.length === 2")
	p.alter("src/App.tsx", "<h1>My todos</h1>", "<h1>Our todos</h1>")
	page.wantHeading("Our todos")
	if got := evaluate[bool](page, "pauses[0] <= 20000 && pauses[1] >= 20000"); !got {
		t.Errorf("got the pauses %v, want the second longer", evaluate[[]float64](page, "pauses"))
	}
}

func aFileThatDoesNotBuildLeavesTheLastPage(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	page := c.open(t)
	page.visit(p.preview())
	page.wantHeading("My todos")
	p.alter("src/App.tsx", "<h1>My todos</h1>", "<h1>My todos</h2>")
	page.until("the overlay", "document.querySelector('atelier-diagnostics') !== null")
	line := 1 + strings.Count(before(p.read("src/App.tsx"), "</h2>"), "\n")
	if got, want := page.overlay(), fmt.Sprintf("src/App.tsx:%d:", line); !strings.Contains(got, want) {
		t.Errorf("got the overlay %q, want %q in it", got, want)
	}
	page.wantHeading("My todos")
	p.alter("src/App.tsx", "<h1>My todos</h2>", "<h1>My todos</h1>")
	page.until("the end of the overlay, over the page as it is", "document.querySelector('atelier-diagnostics') === null")

	p.alter("src/App.tsx", "<h1>My todos</h1>", "<h1>My todos</h2>")
	page.reload()
	page.wantHeading("My todos")
	page.until("the overlay after a reload", "document.querySelector('atelier-diagnostics') !== null")
	page.picture("overlay")
	page.enter("#new-todo", "Still works")
	page.wantTodos("Still works")

	p.alter("src/App.tsx", "<h1>My todos</h2>", "<h1>Mended</h1>")
	page.wantHeading("Mended")
	page.until("the end of the overlay", "document.querySelector('atelier-diagnostics') === null")
	page.wantQuiet()
}

func aProjectThatNeverBuiltSaysWhy(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	p.alter("src/App.tsx", "<h1>My todos</h1>", "<h1>My todos</h2>")
	page := c.open(t)
	page.visit(p.preview())
	page.until("the notice", "document.body.innerText.includes('src/App.tsx:18:25')")
	p.alter("src/App.tsx", "</h2>", "</h3>")
	page.until("the notice about what is wrong now", `document.body.innerText.includes('Unexpected closing "h3" tag')`)
	if got := evaluate[int](page, "document.querySelectorAll('atelier-diagnostics').length"); got != 0 {
		t.Errorf("got the overlay over the notice, want what is wrong told once")
	}
	page.picture("notice")
	p.alter("src/App.tsx", "<h1>My todos</h3>", "<h1>Mended</h1>")
	page.wantHeading("Mended")
}

// before returns the text in front of the first mark.
func before(text, mark string) string {
	head, _, _ := strings.Cut(text, mark)
	return head
}

// overlay returns the text of the diagnostics, which are in a shadow tree that the page's
// own scripts cannot see into.
func (p *tab) overlay() string {
	p.t.Helper()
	depth, pierce := int64(-1), true
	tree := send(p, dom.GetDocument, dom.GetDocumentParams{Depth: &depth, Pierce: &pierce})
	return shadowText(tree.Root, false)
}

func shadowText(node *cdp.Node, inside bool) string {
	var text strings.Builder
	if inside && node.NodeType == chromedp.NodeTypeText {
		text.WriteString(node.NodeValue)
	}
	for _, child := range node.Children {
		text.WriteString(shadowText(child, inside && child.LocalName != "style"))
	}
	if node.LocalName == "atelier-diagnostics" {
		for _, root := range node.ShadowRoots {
			text.WriteString(shadowText(root, true))
		}
	}
	return text.String()
}

func whatGoesWrongInAPageIsReported(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	p.alter("src/main.tsx", "createRoot(root)", `console.error('told', { list: [1, 2] })
for (const level of ['log', 'info', 'debug', 'warn'] as const) console[level]('said as ' + level)
setTimeout(() => { throw new Error('nobody caught this') }, 0)
Promise.reject(new Error('nobody awaited this'))
createRoot(root)`)
	address := p.preview()
	reports := p.console()
	page := c.open(t)
	page.visit(address)
	page.wantHeading("My todos")
	want := []string{`told {"list":[1,2]}`, "nobody caught this", "nobody awaited this", "said as log", "said as info", "said as debug", "said as warn"}
	for len(want) > 0 {
		report := conformance.Await(t, fmt.Sprintf("reports of %q", want), reports)
		if report == (entry{}) {
			t.Fatalf("the stream ended, want %q in it", want)
		}
		if strings.Contains(report.Message, strings.TrimPrefix(address, "http://")) {
			t.Errorf("got the preview's secret host in %q, want it left out", report.Message)
		}
		want = without(want, report.Message)
	}
}

// without returns the texts that do not occur in message.
func without(texts []string, message string) []string {
	var left []string
	for _, text := range texts {
		if !strings.Contains(message, text) {
			left = append(left, text)
		}
	}
	return left
}

// entry is a line of a page's console.
type entry struct {
	Type, Level, Message, Source string
	Line                         int
}

// console follows the preview's events and returns those of the console.
func (p *project) console() <-chan entry {
	p.t.Helper()
	response := p.send(http.MethodGet, p.path("/preview/events"), "", nil)
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("got %d, want the preview's events", response.StatusCode)
	}
	p.t.Cleanup(func() { response.Body.Close() })
	entries := make(chan entry, 100)
	go func() {
		defer close(entries)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			data, isData := strings.CutPrefix(lines.Text(), "data: ")
			var e entry
			if isData && json.Unmarshal([]byte(data), &e) == nil && e.Type == "console" {
				entries <- e
			}
		}
	}()
	return entries
}
