package sitehost

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"html"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/streams"
)

// clientScript runs in every page of a preview.
//
//go:embed client.js
var clientScript []byte

// bridgeScript joins a page to the studio that frames it; pickerScript lets people
// choose elements in it.
var (
	//go:embed bridge.js
	bridgeScript []byte
	//go:embed picker.js
	pickerScript []byte
)

// ownScripts are the scripts of the preview's host itself.
func ownScripts() map[string]*asset {
	scripts := make(map[string]*asset)
	for path, content := range map[string][]byte{clientPath: clientScript, bridgePath: bridgeScript, pickerPath: pickerScript} {
		scripts[path] = newAsset(path, content, false, noCache)
	}
	return scripts
}

const (
	// pingEvery keeps proxies from closing a stream in which nothing happens.
	pingEvery = 15 * time.Second
	// maxReport is the largest report of a page, in bytes, and maxLines how many lines
	// it has.
	maxReport = 64 << 10
	maxLines  = 40
)

// tag is the element that brings the client into a page of the build; the client
// reads from it which build the page is of, and whom it may speak to.
func (h *previewHost) tag(made string) []byte {
	return []byte(`<script type="module" src="` + clientPath + `" data-build="` + html.EscapeString(made) +
		`" data-studio="` + html.EscapeString(h.app) + `"></script>`)
}

// serverTag is tag for a page of a development server, "" for none. Such a page
// brings itself up to date and shows by itself what is wrong.
func (h *previewHost) serverTag(server string) []byte {
	if server == "" {
		return h.tag("")
	}
	return bytes.Replace(h.tag(server), []byte("<script "), []byte(`<script data-runtime="node" `), 1)
}

// inject puts a tag where a page's scripts begin: at the start of its head, or
// where the head would be. Nothing comes before the doctype.
func inject(page, tag []byte) []byte {
	at := headOf(page)
	out := make([]byte, 0, len(page)+len(tag))
	out = append(out, page[:at]...)
	out = append(out, tag...)
	return append(out, page[at:]...)
}

// headOf returns the offset behind the opening tag of the head, else of the
// document, else behind the doctype, else of the first thing that is neither a
// comment nor blank.
func headOf(page []byte) int {
	at := 0
	for {
		rest := page[at:]
		trimmed := bytes.TrimLeft(rest, " \t\r\n\f\ufeff")
		start := at + len(rest) - len(trimmed)
		var end int
		switch {
		case bytes.HasPrefix(trimmed, []byte("<!--")):
			end = bytes.Index(trimmed, []byte("-->")) + len("-->")
			if end < len("<!---->") {
				return at
			}
		case isTag(trimmed, "<!doctype"), isTag(trimmed, "<html"), isTag(trimmed, "<head"):
			end = tagEnd(trimmed)
		}
		if end == 0 {
			return at
		}
		at = start + end
		if isTag(trimmed, "<head") {
			return at
		}
	}
}

func isTag(text []byte, name string) bool {
	if len(text) <= len(name) || !strings.EqualFold(string(text[:len(name)]), name) {
		return false
	}
	return strings.IndexByte(" \t\r\n\f/>", text[len(name)]) >= 0
}

// tagEnd returns the offset behind a tag's ">", which may stand in quotes before,
// or 0.
func tagEnd(text []byte) int {
	var quote byte
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return 0
}

// manifestPath is what a build tells its pages of its modules.
const manifestPath = modulesDir + "modules.json"

// maxManifest is the largest manifest that comes with the event of its build, in
// bytes. Pages ask for a larger one themselves, and get it compressed.
const maxManifest = 32 << 10

// pageEvent is an event as pages of the preview get it: with the manifest of the
// build, so that they know at once what to fetch.
type pageEvent struct {
	preview.Event
	Modules json.RawMessage `json:"modules,omitempty"`
}

// manifestOf returns the manifest of a build, nil unless it is the one that is
// served.
func (h *previewHost) manifestOf(project core.ID, made string) json.RawMessage {
	kept := h.previews.Kept(project)
	if kept == nil || kept.ID != made {
		return nil
	}
	for _, file := range kept.Files {
		if file.Path == manifestPath && len(file.Content) <= maxManifest && json.Valid(file.Content) {
			return file.Content
		}
	}
	return nil
}

// sendEvents streams what becomes of the preview's builds. The first event tells a
// page no more than that it is up to date, most of the time, and has no manifest.
func (h *previewHost) sendEvents(w http.ResponseWriter, r *http.Request, project core.ID, label string) {
	done, err := h.streams.OpenPage(project)
	if err != nil {
		refuseStream(w, err)
		return
	}
	defer done()
	events, err := h.previews.WatchBuilds(r.Context(), label)
	if err != nil {
		refuseStream(w, err)
		return
	}
	header := w.Header()
	header["Content-Type"] = []string{"text/event-stream"}
	header["Cache-Control"] = noStore
	header["X-Accel-Buffering"] = []string{"no"}
	if r.Method == http.MethodHead {
		return
	}
	stream := http.NewResponseController(w)
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	line := []byte("retry: 1000\n\n")
	for first := true; ; {
		if _, err := w.Write(line); err != nil {
			return
		}
		if err := stream.Flush(); err != nil {
			return
		}
		select {
		case event, open := <-events:
			if !open {
				return
			}
			sent := pageEvent{Event: event}
			if !first && event.Type == preview.EventBuildOK {
				sent.Modules = h.manifestOf(project, event.Build)
			}
			first = false
			body, err := json.Marshal(sent)
			if err != nil {
				return
			}
			line = append(append([]byte("data: "), body...), "\n\n"...)
		case <-ticks.C:
			line = []byte(": ping\n\n")
		}
	}
}

// refuseStream tells a page that it cannot have a stream at the moment, and when it can
// ask again.
func refuseStream(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	if core.IsCode(why, core.CodeRateLimited) {
		status = http.StatusTooManyRequests
	}
	wait := streams.Again
	var known *core.Error
	if errors.As(why, &known) && known.RetryAfter > 0 {
		wait = known.RetryAfter
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	refuse(w, status, "the preview cannot be followed at the moment")
}

// takeConsole takes what a page wrote to its console, a line or a list of them. Only the
// pages of the preview itself may send it. What guests' pages send is dropped: it would
// let any reader of a public project speak to its members and to their agent.
func (h *previewHost) takeConsole(w http.ResponseWriter, r *http.Request, visit preview.Visit) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "only POST")
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "only application/json")
		return
	}
	if !isSameOrigin(r) {
		refuse(w, http.StatusForbidden, "only pages of this preview")
		return
	}
	entries, err := readReport(http.MaxBytesReader(w, r.Body, maxReport))
	if err != nil {
		refuse(w, http.StatusBadRequest, "not a report")
		return
	}
	for _, entry := range entries {
		if visit.Audience != preview.AudienceMembers {
			break
		}
		entry.Message, entry.Source = withoutHost(entry.Message, r.Host), withoutHost(entry.Source, r.Host)
		// One line that is refused takes no other with it.
		if refused := h.previews.Report(visit.Project, entry); err == nil {
			err = refused
		}
	}
	switch {
	case core.IsCode(err, core.CodeRateLimited):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many reports")
	case err != nil:
		refuse(w, http.StatusBadRequest, "not a report")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// readReport reads a line of a console, or a list of them.
func readReport(body io.Reader) ([]preview.ConsoleEntry, error) {
	var raw json.RawMessage
	if err := json.NewDecoder(body).Decode(&raw); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(raw, []byte("[")) {
		entries := make([]preview.ConsoleEntry, 1)
		return entries, json.Unmarshal(raw, &entries[0])
	}
	var entries []preview.ConsoleEntry
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, err
	}
	return entries[:min(len(entries), maxLines)], nil
}

// isSameOrigin believes what browsers say of a request, which pages cannot forge.
func isSameOrigin(r *http.Request) bool {
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" {
		return from == "same-origin"
	}
	_, host, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return strings.EqualFold(host, r.Host)
}

// withoutHost removes the preview's secret host from the addresses in a text,
// which others than the page will read.
func withoutHost(text, host string) string {
	text = strings.ReplaceAll(text, "https://"+host, "")
	return strings.ReplaceAll(strings.ReplaceAll(text, "http://"+host, ""), host, "")
}
