package calllog

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// Bounds of an entry, in bytes of UTF-8.
const (
	maxMethodBytes = 20
	maxPathBytes   = 300
	maxUserBytes   = 100
	maxErrorBytes  = 4 << 10
	// maxLines and maxConsoleBytes bound the console. Its end is kept, because that leads to
	// the error.
	maxLines        = 50
	maxLineBytes    = 1 << 10
	maxConsoleBytes = 8 << 10
	maxLevelBytes   = 10
)

// bounded cuts a call to its bounds and gives it an id.
func bounded(call core.BackendCall) core.BackendCall {
	call.ID = core.NewID()
	call.Method = core.Shorten(oneLine(call.Method), maxMethodBytes)
	call.Path = core.Shorten(oneLine(call.Path), maxPathBytes)
	call.User = core.Shorten(oneLine(call.User), maxUserBytes)
	call.Error = core.Shorten(clean(call.Error), maxErrorBytes)
	call.Console = lastLines(call.Console)
	return call
}

// lastLines returns the last lines of a console that fit.
func lastLines(lines []core.ConsoleLine) []core.ConsoleLine {
	kept, size := []core.ConsoleLine{}, 0
	first := len(lines)
	for first > 0 && len(lines)-first < maxLines {
		line := lines[first-1]
		line.Level, line.Text = core.Shorten(oneLine(line.Level), maxLevelBytes), core.Shorten(clean(line.Text), maxLineBytes)
		if size += len(line.Text); size > maxConsoleBytes {
			break
		}
		first--
		kept = append(kept, line)
	}
	if first > 0 {
		kept = append(kept, core.ConsoleLine{Level: "info", Text: fmt.Sprintf("… %d lines before are left out", first)})
	}
	for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
		kept[i], kept[j] = kept[j], kept[i]
	}
	return kept
}

// clean makes a text storable.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// oneLine makes an untrusted text storable and fit for one line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
