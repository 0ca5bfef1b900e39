package bwrap

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// placed matches a compiler message with a position, such as "src/App.tsx(3,14): error
// TS2322: Type …", and placeless matches one without.
var (
	placed    = regexp.MustCompile(`^(.+?)\((\d{1,9}),(\d{1,9})\): error TS(\d{1,9}): (.*)$`)
	placeless = regexp.MustCompile(`^error TS(\d{1,9}): (.*)$`)
)

// removedOption matches the message about an option or a value that the compiler has removed.
var removedOption = regexp.MustCompile(`(?m)^(?:[^ ].*: )?error TS(?:5102|5108): `)

// formerOption matches the message about an option that older versions knew and ignored long since.
var formerOption = regexp.MustCompile(`^Unknown compiler option '(?:charset|importsNotUsedAsValues|keyofStringsOnly|noImplicitUseStrict|noStrictGenericChecks|out|preserveValueImports|suppressExcessPropertyErrors|suppressImplicitAnyIndexErrors)'`)

// outputCode is of mistakes that say nothing about types: output files cannot be written.
const outputCode = "5033"

const (
	// functionsMark is the line between the outputs of the compiler for the application and for
	// its functions.
	functionsMark = "-- functions --"
	// functionsConfig is the path of the configuration for functions inside, which is outside the
	// project.
	functionsConfig = "/tmp/functions.json"
	// translatedConfig is that of the application's, if it was translated.
	translatedConfig = "/tmp/tsconfig.json"
)

// readRuns parses the output of both runs of the compiler, or of the only one. Mistakes that both
// have found are told once.
func readRuns(said string, config core.ProjectPath) (report typecheck.Report, isTold bool) {
	first, second, _ := strings.Cut(said, "\n"+functionsMark+"\n")
	report, isTold = readTypes(first, config)
	functions, areTold := readTypes(second, config)
	report.Truncated = report.Truncated || functions.Truncated
	application := report.Diagnostics
	for _, one := range functions.Diagnostics {
		isKnown := func(other core.Diagnostic) bool {
			return other == one || one.Line == 0 && firstLine(other.Message) == firstLine(one.Message)
		}
		switch {
		case slices.ContainsFunc(application, isKnown):
			continue
		case len(report.Diagnostics) == typecheck.MaxDiagnostics:
			report.Truncated = true
			return report, true
		case one.Line == 0:
			// The compiler checks no file while an option is wrong.
			one.Message = shorten("The functions are not checked: " + one.Message)
		}
		report.Diagnostics = append(report.Diagnostics, one)
	}
	return report, isTold || areTold
}

func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}

// readTypes parses the compiler's output. It leaves out mistakes outside the project's
// files, which nobody can fix there. isTold reports whether the output had anything like
// a mistake, even one that was left out.
func readTypes(said string, config core.ProjectPath) (report typecheck.Report, isTold bool) {
	var open *core.Diagnostic
	for line := range strings.SplitSeq(said, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if continued, found := strings.CutPrefix(line, "  "); found {
			if open != nil {
				open.Message = shorten(open.Message + "\n" + clean(strings.TrimSpace(continued)))
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

// readMistake parses a line. The diagnostic has no path if its file is not the project's.
// is is false if the line is no mistake.
func readMistake(line string, config core.ProjectPath) (made core.Diagnostic, is bool) {
	ofConfig := func(code, message string) (core.Diagnostic, bool) {
		if code == outputCode || formerOption.MatchString(message) {
			return core.Diagnostic{}, true
		}
		return core.Diagnostic{Path: config.String(), Message: shorten(clean(message))}, true
	}
	if parts := placeless.FindStringSubmatch(line); parts != nil {
		return ofConfig(parts[1], parts[2])
	}
	parts := placed.FindStringSubmatch(line)
	if parts == nil {
		return core.Diagnostic{}, false
	}
	// The compiler tells paths as seen from the project's directory.
	if parts[1] == ".."+functionsConfig || parts[1] == ".."+translatedConfig {
		return ofConfig(parts[4], parts[5])
	}
	path, err := core.ParsePath(parts[1])
	if err != nil || path.Generated() || parts[4] == outputCode || formerOption.MatchString(parts[5]) {
		return core.Diagnostic{}, true
	}
	// Nine digits always fit.
	at, _ := strconv.Atoi(parts[2])
	column, _ := strconv.Atoi(parts[3])
	return core.Diagnostic{Path: path.String(), Line: at, Column: column, Message: shorten(clean(parts[5]))}, true
}

// clean removes paths inside the sandbox, which no message needs.
func clean(message string) string {
	message = strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", "\uFFFD"), "\uFFFD")
	return insidePlaces.ReplaceAllString(message, "$1")
}

// insidePlaces matches the project's directory, and those of packages in the store, at
// the beginning of a path.
var insidePlaces = regexp.MustCompile(`(^|["'(\s])(?:` + appDir + `/|(?:\.\.)?(?:/\.\.)*` + packagesDir + `/[^"'()\s]*?/node_modules/)`)

// shorten bounds a message.
func shorten(message string) string {
	return core.Shorten(message, typecheck.MaxMessageBytes)
}

// typesOutput keeps what the compiler prints, and ends the compiler if that is too much.
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
		o.end(limitError{sandbox.LimitOutput})
	}
	return len(said), nil
}

// lines returns the output. If it was too much, it leaves out the unfinished last line.
func (o *typesOutput) lines() (text string, full bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text = o.text.String()
	if o.full {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text, o.full
}
