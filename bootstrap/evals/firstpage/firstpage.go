// Package firstpage judges the first page of a site in a real browser, without a model: whether
// axe finds nothing, whether the page fits windows of 320 to 1920 pixels in light and dark, stays
// still while it loads, and takes its colours from a theme.
//
// The browser has no network (adapters/chromium): a page is served from memory, with axe and a
// script that looks at the page and reports on the console.
package firstpage

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/build"
)

//go:embed look.js
var lookScript string

// Judge judges sites. It is safe for concurrent use. Close it.
type Judge struct {
	browser *chromium.Browser
	axe     []byte

	mu    sync.Mutex
	sites map[string]site
}

// site is a site that is being judged. Its mark is in the lines of the console that the script
// writes, and that the page cannot know before it runs.
type site struct {
	files map[string][]byte
	mark  string
}

// New returns a judge that uses a copy of axe.
func New(axe []byte, log *slog.Logger) *Judge {
	j := &Judge{axe: axe, sites: map[string]site{}}
	j.browser = chromium.New(chromium.Config{Pages: http.HandlerFunc(j.serve), Log: log})
	return j
}

// Close ends the browser.
func (j *Judge) Close() { j.browser.Close() }

// view is a window in which a page is looked at.
type view struct {
	width int
	dark  bool
}

// views are the widths of the bar in light colours, and a phone and a desktop in dark ones.
func views() []view {
	return []view{{320, false}, {390, false}, {768, false}, {1024, false}, {1440, false}, {1920, false}, {390, true}, {1440, true}}
}

// lookTime bounds a look at one view.
const lookTime = time.Minute

// maxFaults bounds the faults that are told.
const maxFaults = 12

// Judge returns what is wrong with the first page of a built site, nothing if it is sound. Its
// error says why the page could not be judged.
func (j *Judge) Judge(ctx context.Context, built []build.File) ([]string, error) {
	host := "site-" + strings.ToLower(string(core.NewID())) + ".test"
	shown := site{files: map[string][]byte{}, mark: string(core.NewID())}
	for _, file := range built {
		shown.files["/"+file.Path] = file.Content
	}
	j.keep(host, &shown)
	defer j.keep(host, nil)
	var faults []string
	grounds := map[bool]string{}
	for _, v := range views() {
		got, err := j.look(ctx, host, shown.mark, v)
		if err != nil {
			return nil, fmt.Errorf("the page at %d pixels: %w", v.width, err)
		}
		grounds[v.dark] = got.Ground
		for _, fault := range got.Faults {
			if !slices.ContainsFunc(faults, func(known string) bool { return strings.HasSuffix(known, fault) }) {
				faults = append(faults, fmt.Sprintf("at %d pixels, %s: %s", v.width, schemeOf(v.dark), fault))
			}
		}
	}
	if grounds[false] == grounds[true] {
		faults = append(faults, "the background is "+grounds[true]+" in light and in dark")
	}
	return faults[:min(len(faults), maxFaults)], nil
}

func schemeOf(dark bool) string {
	if dark {
		return "dark"
	}
	return "light"
}

// pageReport is the script's report.
type pageReport struct {
	Ground string
	Faults []string
}

// look opens the page in a window and waits for the report.
func (j *Judge) look(ctx context.Context, host, mark string, v view) (pageReport, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	tab, err := j.browser.Open(ctx, browser.Page{
		Address: "http://" + host + "/", Tenant: host, Window: browser.Window{Width: v.width, Height: 900}, Dark: v.dark,
	})
	if err != nil {
		return pageReport{}, err
	}
	defer tab.Close()
	var got pageReport
	for {
		for _, line := range tab.Log().Lines {
			report, ours := strings.CutPrefix(line.Text, mark+" ")
			switch {
			case ours && report == "end":
				return got, nil
			case ours && strings.HasPrefix(report, "ground "):
				got.Ground = strings.TrimPrefix(report, "ground ")
			case ours:
				got.Faults = append(got.Faults, report)
			case line.Kind == browser.Exception:
				got.Faults = append(got.Faults, "an exception: "+line.Text)
			}
		}
		if err := tab.Do(ctx, browser.Step{Do: browser.Wait}); err != nil {
			return pageReport{}, err
		}
	}
}

// keep adds a site, or removes one.
func (j *Judge) keep(host string, shown *site) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if delete(j.sites, host); shown != nil {
		j.sites[host] = *shown
	}
}

// scriptsPath is where the judge's own scripts are.
const scriptsPath = "/.first-page/"

func (j *Judge) serve(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	shown, known := j.sites[(&url.URL{Host: r.Host}).Hostname()]
	j.mu.Unlock()
	name := path.Clean("/" + r.URL.Path)
	content, found := shown.files[name]
	switch {
	case !known:
		http.NotFound(w, r)
		return
	case name == scriptsPath+"axe.js":
		content = j.axe
	case name == scriptsPath+"look.js":
		mark, _ := json.Marshal(shown.mark) // a text always has JSON
		content = []byte(strings.Replace(lookScript, "'MARK'", string(mark), 1))
	case name == "/":
		name, content = "/index.html", withScripts(shown.files["/index.html"])
	case !found:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	_, _ = w.Write(content)
}

var headEnd = regexp.MustCompile(`(?i)</head>`)

// withScripts puts the judge's scripts into a page, before its own.
func withScripts(page []byte) []byte {
	scripts := []byte(`<script src="` + scriptsPath + `axe.js"></script><script src="` + scriptsPath + `look.js"></script>`)
	if at := headEnd.FindIndex(page); at != nil {
		return slices.Concat(page[:at[0]], scripts, page[at[0]:])
	}
	return append(scripts, page...)
}

// literal finds colours and pixels that are not the theme's.
var literal = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|\[-?\d+(?:\.\d+)?px\]|\b(?:bg|text|border|from|to|via|ring|fill|stroke)-(?:white|black|(?:slate|gray|zinc|neutral|stone|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose)-\d{2,3})\b`)

// Literals returns colours and pixels in the sources of components, where names of the theme's
// tokens belong.
func Literals(sources map[string][]byte) []string {
	var found []string
	for name, source := range sources {
		if extension := path.Ext(name); strings.HasPrefix(name, "src/") && (extension == ".tsx" || extension == ".jsx") {
			for _, text := range literal.FindAll(bytes.TrimSpace(source), 3) {
				found = append(found, fmt.Sprintf("%s has %s instead of a token of the theme", name, text))
			}
		}
	}
	slices.Sort(found)
	return found
}
