package chromium_test

import (
	"bytes"
	"context"
	"image/png"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/browser/browsertest"
	"github.com/atelierhq/atelier/ports/conformance"
)

func newBrowser(t *testing.T, pages http.Handler, idle time.Duration) *chromium.Browser {
	t.Helper()
	return newHurriedBrowser(t, pages, idle, time.Minute)
}

func newHurriedBrowser(t *testing.T, pages http.Handler, idle, patience time.Duration) *chromium.Browser {
	t.Helper()
	made := chromium.New(chromium.Config{Pages: pages, Idle: idle, Patience: patience, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(made.Close)
	return made
}

func TestBrowser(t *testing.T) {
	browsertest.Run(t, func(t *testing.T, pages http.Handler) browser.Browser { return newBrowser(t, pages, 0) })
}

// take takes a picture of a page.
func take(ctx context.Context, in *chromium.Browser, address string) ([]byte, error) {
	tab, err := in.Open(ctx, browser.Page{Address: address, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tab.Close()
	return tab.Picture(ctx, width)
}

const width, height = 640, 400

// host serves pages by their paths on one host, and records other requests.
func host(pages map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		kind := "text/html; charset=utf-8"
		switch filepath.Ext(r.URL.Path) {
		case ".js":
			kind = "text/javascript"
		case ".css":
			kind = "text/css"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(page))
	})
}

const origin = "http://shop.test:8080"

// middle takes a picture and returns the colour of its middle.
func middle(t *testing.T, in *chromium.Browser, path string) (red, green, blue uint32) {
	t.Helper()
	picture, err := take(t.Context(), in, origin+path)
	if err != nil {
		t.Fatalf("%s: got %v, want a picture", path, err)
	}
	return colourOf(t, picture)
}

// colourOf returns the colour of a picture's middle.
func colourOf(t *testing.T, picture []byte) (red, green, blue uint32) {
	t.Helper()
	seen, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	red, green, blue, _ = seen.At(width/2, height/2).RGBA()
	return red >> 8, green >> 8, blue >> 8
}

const paint = "<style>html,body{margin:0;height:100%}</style>"

func TestPictures(t *testing.T) {
	in := newBrowser(t, host(map[string]string{
		"/app":       `<!doctype html>` + paint + `<link rel="stylesheet" href="/app.css"><div id="root"></div><script type="module" src="/app.js"></script>`,
		"/app.css":   `.there { height: 100vh; background: rgb(0, 128, 0) }`,
		"/app.js":    `import { text } from "/text.js"; setTimeout(() => { const div = document.createElement("div"); div.className = "there"; div.textContent = text; document.getElementById("root").append(div) }, 300)`,
		"/text.js":   `export const text = "there"`,
		"/dialog":    `<!doctype html>` + paint + `<body style="background:rgb(0,0,128)"><script>alert(1); confirm(2); prompt(3)</script>`,
		"/abroad":    `<!doctype html>` + paint + `<body style="background:rgb(128,0,0)"><script src="http://evil.test/x.js"></script><img src="http://127.0.0.1:1/x"><iframe src="http://169.254.169.254/"></iframe><script>new WebSocket("ws://127.0.0.1:1/"); new EventSource("/events"); fetch("http://10.0.0.1/").catch(() => {})</script>`,
		"/empty":     `<!doctype html>` + paint + `<body style="background:rgb(9,9,9)"><div id="root"></div>`,
		"/elsewhere": `<!doctype html>` + paint + `<body style="background:rgb(1,2,3)"><script>open("http://evil.test/"); location.hash = "x"</script>`,
	}), 0)
	for path, want := range map[string][3]uint32{
		"/app": {0, 128, 0}, "/dialog": {0, 0, 128}, "/abroad": {128, 0, 0}, "/empty": {9, 9, 9}, "/elsewhere": {1, 2, 3},
	} {
		red, green, blue := middle(t, in, path)
		if got := [3]uint32{red, green, blue}; got != want {
			t.Errorf("%s: got the colour %v, want %v", path, got, want)
		}
	}
}

func TestHostilePages(t *testing.T) {
	for path, row := range map[string]struct {
		script   string
		patience time.Duration
	}{
		"/loop": {`for (;;) {}`, 3 * time.Second},
		// A page that cannot have more memory may live on without it.
		"/memory": {`const kept = []; for (;;) kept.push(new Uint8Array(1 << 26).fill(1))`, 20 * time.Second},
	} {
		in := newHurriedBrowser(t, host(map[string]string{
			path:    "<script>" + row.script + "</script>",
			"/good": `<!doctype html>` + paint + `<body style="background:rgb(0,128,0)">good`,
		}), 0, row.patience)
		if _, err := take(t.Context(), in, origin+path); !core.IsCode(err, core.CodeUnavailable) && (err != nil || path == "/loop") {
			t.Errorf("%s: got %v, want code %s", path, err, core.CodeUnavailable)
		}
		conformance.Eventually(t, "a picture after "+path, func() bool {
			picture, err := take(t.Context(), in, origin+"/good")
			if err != nil && !core.IsCode(err, core.CodeUnavailable) {
				t.Fatalf("after %s: got %v", path, err)
			}
			if err != nil {
				return false
			}
			_, green, _ := colourOf(t, picture)
			return green == 128
		})
		in.Close()
	}
}

// browsers lists the running processes that were started by this one and are named
// so.
func browsers(t *testing.T) []string {
	t.Helper()
	var found []string
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for pid := range strings.FieldsSeq(string(children)) {
			if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(line), "chromium") {
				found = append(found, pid)
			}
		}
	}
	return found
}

func TestTheBrowserEnds(t *testing.T) {
	good := host(map[string]string{"/good": `<!doctype html>` + paint + `<body style="background:rgb(0,128,0)">good`})
	ended := func(t *testing.T) {
		t.Helper()
		if !conformance.Becomes(func() bool { return len(browsers(t)) == 0 }) {
			t.Errorf("got the processes %v, want none", browsers(t))
		}
	}

	t.Run("when nobody opens a page for a while", func(t *testing.T) {
		in := newBrowser(t, good, 100*time.Millisecond)
		middle(t, in, "/good")
		ended(t)
		middle(t, in, "/good")
	})

	t.Run("with the service", func(t *testing.T) {
		in := newBrowser(t, good, time.Hour)
		middle(t, in, "/good")
		in.Close()
		ended(t)
		if _, err := take(t.Context(), in, origin+"/good"); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v from a closed browser, want code %s", err, core.CodeUnavailable)
		}
	})

	t.Run("and another takes its place when it is killed in the middle", func(t *testing.T) {
		killed := make(chan struct{}, 1)
		in := newBrowser(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-killed:
				for _, pid := range browsers(t) {
					killTree(t, pid)
				}
			default:
			}
			good.ServeHTTP(w, r)
		}), time.Hour)
		killed <- struct{}{}
		if _, err := take(t.Context(), in, origin+"/good"); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
		middle(t, in, "/good")
	})
}

func TestABrowserThatIsOffSaysWhy(t *testing.T) {
	in := chromium.New(chromium.Config{Off: true})
	for _, err := range []error{in.Available(t.Context()), second(take(t.Context(), in, origin))} {
		if !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "SANDBOX") {
			t.Errorf("got %v, want code %s and the setting", err, core.CodeSandboxUnavailable)
		}
	}
}

func second(_ []byte, err error) error { return err }
