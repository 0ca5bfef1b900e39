package bwrap

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// placed is a line of the compiler about a place, such as
// "src/App.tsx(3,14): error TS2322: Type …", and placeless one about none.
var (
	placed    = regexp.MustCompile(`^(.+?)\((\d{1,9}),(\d{1,9})\): error TS(\d{1,9}): (.*)$`)
	placeless = regexp.MustCompile(`^error TS(\d{1,9}): (.*)$`)
)

// isBeside tells mistakes that say nothing about types: files that the compiler would
// write besides (5033), and options that this version has given up while older ones,
// which the project may be written for, know them (5102, 5107, 5108).
func isBeside(code string) bool {
	switch code {
	case "5033", "5102", "5107", "5108":
		return true
	}
	return false
}

// readTypes reads what the compiler said. Places that are not in a file of the
// project are left out: nobody can mend them there, and they are nobody's business.
// isTold reports whether it said anything that looks like a mistake, also one that
// was left out.
func readTypes(said string, config core.ProjectPath) (report typecheck.Report, isTold bool) {
	var open *core.Diagnostic
	for line := range strings.SplitSeq(said, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if continued, found := strings.CutPrefix(line, "  "); found {
			if open != nil {
				open.Message = cut(open.Message + "\n" + clean(strings.TrimSpace(continued)))
			}
			continue
		}
		made, is := readMistake(line, config)
		isTold, open = isTold || is, nil
		switch {
		case made.Path == "":
		case len(report.Diagnostics) == typecheck.MaxDiagnostics:
			report.Truncated = true
		default:
			report.Diagnostics = append(report.Diagnostics, made)
			open = &report.Diagnostics[len(report.Diagnostics)-1]
		}
	}
	return report, isTold
}

// readMistake reads a line. The diagnostic has no path when it is nobody's business;
// is is false when it is no mistake at all.
func readMistake(line string, config core.ProjectPath) (made core.Diagnostic, is bool) {
	if parts := placeless.FindStringSubmatch(line); parts != nil {
		if isBeside(parts[1]) {
			return core.Diagnostic{}, true
		}
		return core.Diagnostic{Path: config.String(), Message: cut(clean(parts[2]))}, true
	}
	parts := placed.FindStringSubmatch(line)
	if parts == nil {
		return core.Diagnostic{}, false
	}
	path, err := core.ParsePath(parts[1])
	if err != nil || path.Generated() || isBeside(parts[4]) {
		return core.Diagnostic{}, true
	}
	// Nine digits are a number.
	at, _ := strconv.Atoi(parts[2])
	column, _ := strconv.Atoi(parts[3])
	return core.Diagnostic{Path: path.String(), Line: at, Column: column, Message: cut(clean(parts[5]))}, true
}

// clean takes out what no message needs: where things stand inside.
func clean(message string) string {
	message = strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", "\uFFFD"), "\uFFFD")
	return insidePlaces.ReplaceAllString(message, "$1")
}

// insidePlaces are the project's directory, and those of packages in the store, at
// the beginning of a path.
var insidePlaces = regexp.MustCompile(`(^|["'(\s])(?:` + appDir + `/|(?:\.\.)?(?:/\.\.)*` + packagesDir + `/[^"'()\s]*?/node_modules/)`)

// cut keeps the beginning of a message that is too long.
func cut(message string) string {
	if len(message) <= typecheck.MaxMessageBytes {
		return message
	}
	const more = "…"
	end := typecheck.MaxMessageBytes - len(more)
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + more
}

// typesOutput keeps what the compiler says, and ends it when that is too much.
type typesOutput struct {
	end context.CancelCauseFunc

	mu   sync.Mutex
	text bytes.Buffer
	full bool
}

// Write implements io.Writer.
func (o *typesOutput) Write(said []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := typecheck.MaxOutputBytes - o.text.Len()
	if o.text.Write(said[:min(len(said), left)]); len(said) > left {
		o.full = true
		o.end(reached{sandbox.LimitOutput})
	}
	return len(said), nil
}

// lines returns what was said, without a line that has no end if it was too much.
func (o *typesOutput) lines() (text string, full bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text = o.text.String()
	if o.full {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text, o.full
}
