package browser

import (
	"bytes"
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

var _ port.Tab = (*tab)(nil)

// tab implements browser.Tab.
type tab struct {
	pages http.Handler
	page  port.Page
	// at is the address of the document, status and content its answer.
	at       *url.URL
	status   int
	content  []byte
	document *html.Node
	log      port.Log
	// life ends with the page that is shown, by leave.
	life  context.Context
	leave context.CancelFunc
	// refs are the elements of the last snapshot, names those of all snapshots.
	refs  map[port.Ref]*html.Node
	names map[*html.Node]port.Ref
}

// Status implements browser.Tab.
func (t *tab) Status() int { return t.status }

// Log implements browser.Tab.
func (t *tab) Log() port.Log {
	kept := t.log
	t.log = port.Log{}
	return kept
}

// Await implements browser.Tab: without scripts no page changes by itself.
func (t *tab) Await(ctx context.Context, _ time.Duration) (bool, error) { return false, ctx.Err() }

// Close implements browser.Tab.
func (t *tab) Close() { t.leave() }

// load opens an address. One of another host is refused, and the page stays.
func (t *tab) load(ctx context.Context, method string, at *url.URL, form url.Values) error {
	if at.Host != t.at.Host {
		t.addRequest(port.Request{Method: method, URL: at.String(), Kind: port.KindPage})
		return ctx.Err()
	}
	if t.page.ReadOnly && method != http.MethodGet {
		return core.Errorf(core.CodeUnavailable, "the page did not load: it may only be looked at")
	}
	answered := t.ask(ctx, method, at, form)
	if err := ctx.Err(); err != nil {
		return err
	}
	document, err := html.Parse(bytes.NewReader(answered.Body.Bytes()))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the page did not load")
	}
	t.leave()
	t.life, t.leave = context.WithCancel(context.WithoutCancel(ctx))
	t.at, t.status, t.content, t.document, t.refs = at, answered.Code, answered.Body.Bytes(), document, nil
	if t.status >= 400 {
		t.addRequest(port.Request{Method: method, URL: at.RequestURI(), Kind: port.KindPage, Own: true, Status: t.status})
	}
	t.loadParts(ctx)
	return nil
}

func (t *tab) ask(ctx context.Context, method string, at *url.URL, form url.Values) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(ctx, method, at.String(), strings.NewReader(form.Encode()))
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answered := httptest.NewRecorder()
	t.pages.ServeHTTP(answered, request)
	return answered
}

// loadParts asks for what the document shows and runs, and plays the inline scripts.
func (t *tab) loadParts(ctx context.Context) {
	for node := range t.document.Descendants() {
		switch {
		case node.Type != html.ElementNode:
		case node.Data == "script" && attribute(node, "src") == "":
			t.play(textOf(node))
		case node.Data == "script":
			t.loadPart(ctx, attribute(node, "src"), port.KindScript)
		case node.Data == "img":
			t.loadPart(ctx, attribute(node, "src"), port.KindOther)
		case node.Data == "link" && attribute(node, "rel") == "stylesheet":
			t.loadPart(ctx, attribute(node, "href"), port.KindStyle)
		}
	}
}

func (t *tab) loadPart(ctx context.Context, address string, kind port.RequestKind) {
	at, err := t.at.Parse(address)
	if err != nil || address == "" || at.Scheme != "http" && at.Scheme != "https" {
		return
	}
	if at.Host != t.at.Host {
		t.addRequest(port.Request{Method: http.MethodGet, URL: at.String(), Kind: kind})
		return
	}
	if answered := t.ask(ctx, http.MethodGet, at, nil); answered.Code >= 400 {
		t.addRequest(port.Request{Method: http.MethodGet, URL: at.RequestURI(), Kind: kind, Own: true, Status: answered.Code})
	}
}

func (t *tab) addRequest(failed port.Request) {
	if len(t.log.Requests) >= port.MaxLogLines {
		t.log.Dropped++
		return
	}
	t.log.Requests = append(t.log.Requests, failed)
}

// play does what the statements that are known say.
func (t *tab) play(script string) {
	statements := regexp.MustCompile(`(throw new Error|console\.error|console\.warn|new EventSource)\("([^"]*)"\)`)
	for _, found := range statements.FindAllStringSubmatch(script, -1) {
		if found[1] == "new EventSource" {
			t.follow(found[2])
			continue
		}
		kind, text := port.ConsoleWarning, found[2]
		switch found[1] {
		case "throw new Error":
			kind, text = port.Exception, "Error: "+found[2]
		case "console.error":
			kind = port.ConsoleError
		}
		if len(t.log.Lines) >= port.MaxLogLines {
			t.log.Dropped++
			continue
		}
		t.log.Lines = append(t.log.Lines, port.Line{Kind: kind, Text: core.Shorten(text, port.MaxLineBytes)})
	}
}

// follow asks for a stream of events, until the page is left.
func (t *tab) follow(address string) {
	at, err := t.at.Parse(address)
	if err != nil || at.Host != t.at.Host || t.page.ReadOnly {
		return
	}
	request := httptest.NewRequestWithContext(t.life, http.MethodGet, at.String(), nil)
	request.Header.Set("Accept", "text/event-stream")
	go t.pages.ServeHTTP(httptest.NewRecorder(), request)
}

// Picture implements browser.Tab. The colour depends on the document.
func (t *tab) Picture(ctx context.Context, width int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := fnv.New32()
	_, _ = sum.Write(t.content)
	mix := sum.Sum32()
	canvas := image.NewRGBA(image.Rect(0, 0, width, width*t.page.Window.Height/t.page.Window.Width))
	shade := color.RGBA{uint8(mix), uint8(mix >> 8), uint8(mix >> 16), 0xff}
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(shade), image.Point{}, draw.Src)
	var out bytes.Buffer
	// Writing to memory never fails.
	_ = png.Encode(&out, canvas)
	return out.Bytes(), nil
}
