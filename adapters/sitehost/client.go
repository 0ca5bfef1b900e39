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

	"github.com/atelierhq/atelier/adapters/internal/pagehead"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/streams"
)

// clientScript runs in every page of a preview.
//
//go:embed client.js
var clientScript []byte

// storageScript gives a framed page storage where the browser refuses it. It stands in the page itself,
// before any script of its own.
//
//go:embed storage.js
var storageScript string

// rehearsedScript is the client in pages of a rehearsal. They stay as they are, so that no build
// disturbs what is played on them.
//
//go:embed rehearsed.js
var rehearsedScript []byte

// bridgeScript connects a page to the studio that frames it. pickerScript lets people
// select elements in the page, classesScript deals with their classes, and pinsScript marks
// those that people have commented on.
var (
	//go:embed bridge.js
	bridgeScript []byte
	//go:embed picker.js
	pickerScript []byte
	//go:embed classes.js
	classesScript []byte
	//go:embed layers.js
	layersScript []byte
	//go:embed pins.js
	pinsScript []byte
)

// ownScripts are the scripts of the preview host itself, for an audience.
func ownScripts(client []byte) map[string]*asset {
	scripts := make(map[string]*asset)
	for path, content := range map[string][]byte{clientPath: client, bridgePath: bridgeScript, pickerPath: pickerScript, classesPath: classesScript, pinsPath: pinsScript, layersPath: layersScript} {
		scripts[path] = newAsset(path, content, false, noCache)
	}
	return scripts
}

const (
	// pingEvery is often enough to keep proxies from closing an idle stream.
	pingEvery = 15 * time.Second
	// maxReport bounds a page's console report in bytes; maxLines bounds its lines.
	maxReport = 64 << 10
	maxLines  = 40
)

// tag returns the script elements of the client for a page of the build. The attributes
// tell the client which build the page belongs to, and with which origin it may exchange
// messages.
func (h *previewHost) tag(made string) []byte {
	return []byte(`<script>` + storageScript + `</script><script type="module" src="` + clientPath + `" data-build="` + html.EscapeString(made) +
		`" data-studio="` + html.EscapeString(h.app) + `"></script>`)
}

// serverTag returns the tag for a page of a development server, "" if no server runs.
// Such a page updates itself and shows its own errors.
func (h *previewHost) serverTag(server string) []byte {
	if server == "" {
		return h.tag("")
	}
	return bytes.Replace(h.tag(server), []byte("<script "), []byte(`<script data-runtime="node" `), 1)
}

// inject inserts a tag where a page's scripts begin: at the start of its head, or where
// the head would be. Nothing is inserted before the doctype.
func inject(page, tag []byte) []byte {
	at := pagehead.Begin(page)
	out := make([]byte, 0, len(page)+len(tag))
	out = append(out, page[:at]...)
	out = append(out, tag...)
	return append(out, page[at:]...)
}

// manifestPath is where a build describes its modules to its pages.
const manifestPath = modulesDir + "modules.json"

// maxManifest bounds the manifest that is sent with the event of its build, in bytes.
// Pages fetch a larger one themselves, compressed.
const maxManifest = 32 << 10

// pageEvent is an event for pages of the preview. It includes the manifest of the build,
// so that they know immediately what to fetch.
type pageEvent struct {
	preview.Event
	Modules json.RawMessage `json:"modules,omitempty"`
}

// manifestOf returns the manifest of a build, nil unless that build is being served.
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

// sendEvents streams the results of the preview's builds. The first event usually only
// tells a page that it is up to date, so it has no manifest.
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
				h.sendMoved(w, r, label)
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

// movedEvent tells a page that its address is a former one: To is where the browser learns the next,
// in the studio, and Code is what it brings there.
type movedEvent struct {
	Type string `json:"type"`
	To   string `json:"to"`
	Code string `json:"code"`
}

// sendMoved sends a movedEvent to a page at a former address, and reports whether it is one.
func (h *previewHost) sendMoved(w http.ResponseWriter, r *http.Request, label string) bool {
	project, code, err := h.previews.Leave(r.Context(), label)
	if err != nil {
		return false
	}
	body, err := json.Marshal(movedEvent{"moved", h.enter + string(project) + "?preview", code})
	if err != nil {
		return false
	}
	header := w.Header()
	header["Content-Type"] = []string{"text/event-stream"}
	header["Cache-Control"] = noStore
	_, _ = w.Write(append(append([]byte("data: "), body...), "\n\n"...))
	return true
}

// serveFormer answers at a label that is no preview's. Pages that are still open at a former one hear
// that they have to leave.
func (h *previewHost) serveFormer(w http.ResponseWriter, r *http.Request, label string) {
	if r.Method == http.MethodGet && r.URL.Path == eventsPath && h.sendMoved(w, r, label) {
		return
	}
	h.looks.serve(w, r, label)
}

// takeArrival lets a page with a code keep what it brings from a former address.
func (h *previewHost) takeArrival(w http.ResponseWriter, r *http.Request, label string) {
	if !isOwnReport(w, r) {
		return
	}
	var brought struct {
		Code string `json:"code"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxReport)).Decode(&brought); err != nil {
		refuse(w, http.StatusBadRequest, "not a code")
		return
	}
	err := h.previews.Arrive(r.Context(), label, brought.Code)
	switch {
	case core.IsCode(err, core.CodeInvalidToken):
		refuse(w, http.StatusForbidden, "this code has expired or was already used")
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, "try again later")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// refuseStream answers that no stream is available at the moment, and when to ask again.
func refuseStream(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	if core.IsCode(why, core.CodeRateLimited) {
		status = http.StatusTooManyRequests
	}
	wait := streams.RetryAfter
	var known *core.Error
	if errors.As(why, &known) && known.RetryAfter > 0 {
		wait = known.RetryAfter
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	refuse(w, status, "the preview cannot be followed at the moment")
}

// takeConsole receives lines that a page wrote to its console. Only pages of the preview
// itself may send them. Those of guests are dropped: otherwise any reader of a public
// project could write to its members and their agent.
func (h *previewHost) takeConsole(w http.ResponseWriter, r *http.Request, visit preview.Visit) {
	if !isOwnReport(w, r) {
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
		// A refused line does not affect the others.
		if refused := h.previews.Report(visit.Project, entry); err == nil {
			err = refused
		}
	}
	switch {
	case core.IsCode(err, core.CodeRateLimited):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many reports: try again later")
	case err != nil:
		refuse(w, http.StatusBadRequest, "not a report")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// isOwnReport reports whether a request is a page's of the preview itself. If not, it has answered.
func isOwnReport(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "only POST is allowed")
		return false
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the body must be application/json")
		return false
	}
	if !isSameOrigin(r) {
		refuse(w, http.StatusForbidden, "only pages of this preview may report")
		return false
	}
	return true
}

// readReport parses a line of a console, or a list of lines.
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

// isSameOrigin checks the request headers that browsers set and pages cannot forge.
func isSameOrigin(r *http.Request) bool {
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" {
		return from == "same-origin"
	}
	_, host, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return strings.EqualFold(host, r.Host)
}

// withoutHost removes the preview's secret host from the addresses in a text that others
// will read.
func withoutHost(text, host string) string {
	text = strings.ReplaceAll(text, "https://"+host, "")
	return strings.ReplaceAll(strings.ReplaceAll(text, "http://"+host, ""), host, "")
}
