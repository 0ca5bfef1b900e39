package preview

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// ConsoleEntry is what a page of a preview wrote to its console, or an error that it did not
// catch. Source, Line and Column say where, if the browser knows.
type ConsoleEntry struct {
	Level     string    `json:"level"`
	Message   string    `json:"message"`
	Source    string    `json:"source"`
	Line      int       `json:"line"`
	Column    int       `json:"column"`
	CreatedAt core.Time `json:"createdAt"`
}

// Limits of the console. Longer texts, in bytes, are cut.
const (
	maxConsoleBytes   = 4000
	maxSourceBytes    = 500
	maxConsoleEntries = 100
	// consoleBurst and consoleRate are the token bucket of all pages of one preview: entries
	// at once, and entries per second. Errors and warnings have a bucket of their own, so
	// that a loop that logs hides none.
	consoleBurst = 20
	consoleRate  = 5
)

// isGrave reports whether the entry is an error or a warning.
func (e ConsoleEntry) isGrave() bool { return e.Level == "error" || e.Level == "warn" }

// console keeps the last entries, and limits their rate with token buckets.
type console struct {
	entries       []ConsoleEntry
	grave, casual tokenBucket
}

// tokenBucket limits the rate of entries.
type tokenBucket struct {
	tokens  float64
	counted time.Time
}

func (c *console) clear() { c.entries = nil }

// admit takes one token from the entry's bucket, and reports whether there was one.
func (c *console) admit(entry ConsoleEntry, now time.Time) bool {
	if entry.isGrave() {
		return c.grave.take(now)
	}
	return c.casual.take(now)
}

func (b *tokenBucket) take(now time.Time) bool {
	if b.counted.IsZero() {
		b.tokens = consoleBurst
	}
	b.tokens = min(consoleBurst, b.tokens+now.Sub(b.counted).Seconds()*consoleRate)
	b.counted = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// add keeps an entry. If the console is full, it replaces the oldest entry that is neither
// an error nor a warning, or else the oldest.
func (c *console) add(entry ConsoleEntry) {
	if len(c.entries) >= maxConsoleEntries {
		at := max(0, slices.IndexFunc(c.entries, func(e ConsoleEntry) bool { return !e.isGrave() }))
		c.entries = slices.Delete(c.entries, at, at+1)
	}
	c.entries = append(c.entries, entry)
}

// Report adds an entry of a page to the console and sends it to watching members. The caller
// has checked that the page has the preview's label for members. A Level other than error,
// warn, info, log or debug has code core.CodeValidationFailed. More than 20 entries at once,
// or 5 a second, have core.CodeRateLimited; errors and warnings are counted separately. If
// the preview is not running, the entry is dropped.
func (s *Service) Report(project core.ID, entry ConsoleEntry) error {
	switch entry.Level {
	case "error", "warn", "info", "log", "debug":
	default:
		return core.Errorf(core.CodeValidationFailed, "level must be error, warn, info, log or debug")
	}
	entry.Message = cut(entry.Message, maxConsoleBytes)
	entry.Source = cut(entry.Source, maxSourceBytes)
	entry.CreatedAt = core.At(s.deps.Now())
	running := s.sessions.find(project)
	if running == nil {
		return nil
	}
	return running.feed.report(entry)
}

// Console returns the console entries of the build that is served, the oldest first: at most
// 100, of one line or more each, with places in the project's sources. The caller has checked the right to see them.
func (s *Service) Console(project core.ID) []string {
	running := s.sessions.find(project)
	if running == nil {
		return nil
	}
	entries := running.feed.entries()
	for i, entry := range entries {
		entries[i] = s.InSources(project, entry)
	}
	return entries
}

// String returns the entry as a browser's console shows it.
func (e ConsoleEntry) String() string {
	if e.Source == "" {
		return e.Level + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s (%s:%d:%d)", e.Level, e.Message, e.Source, e.Line, e.Column)
}

// cut returns the beginning of text, in whole characters, with invalid UTF-8 replaced.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	end := limit
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
