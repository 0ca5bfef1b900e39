package builds

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxDiagnostics bounds the diagnostics of one run of a tool: later ones are usually
// consequences of the first.
const maxDiagnostics = 20

// maxMessageBytes bounds one message.
const maxMessageBytes = 2000

// Diagnose finds the errors in the output of tools: TypeScript, Vite, Rolldown,
// esbuild, Rollup, and the compilers of Vue, Svelte and Astro. An error is in one
// line with its place, or in a line before its place. Duplicates count once. Places
// in packages are not the project's, and left out.
func Diagnose(lines []string) []core.Diagnostic {
	var d diagnosis
	for _, line := range lines {
		d.read(line)
	}
	d.settle()
	return d.found
}

// diagnosis is the state of the parser.
type diagnosis struct {
	found []core.Diagnostic
	// pending is an error whose place has not been read yet; where is a place whose
	// error has not.
	pending string
	where   core.Diagnostic
}

var (
	// header begins an error: the tool's name, the kind of error, the message.
	header = regexp.MustCompile(`^\s*(?:\d+:\d+:\d+(?: [AP]M)? )?(?:\[[\w:.-]+\]\s*)*(?:✘ \[ERROR\]|\[[A-Z_]{3,}\]|(?:\(\w+\) )?(?:Internal server error|Pre-transform error|Error when evaluating SSR module [^:]*):|✗|\[!\]|⨯|x Build failed[^:]*:?|error during build:?|(?:\w*Error|ERROR|error)(?: \[\w+\])?:)\s*(.*)$`)
	// place is a place in a file of the project, in any of the usual spellings.
	place = regexp.MustCompile(`(?:^|[\s("'\[])((?:/app/|\./)?[\w@+$.-][\w@+$./()\[\]-]*\.(?:[cm]?[tj]sx?|vue|svelte|astro|mdx?|css|s[ac]ss|less|styl|html|json))(?:\?[\w&=.-]*)?(?::(\d+)(?::(\d+))?| ?\((\d+)[,:](\d+)\))(?: - |: ?)?(.*)$`)
	// fileOnly is how Vite names a file for which it has no position.
	fileOnly = regexp.MustCompile(`^\s*(?:File|file|id): (?:/app/)?([\w@+$.-][\w@+$./()\[\]-]*\.\w+)(?:\?\S*)?$`)
	// summary announces errors that follow with places of their own.
	summary = regexp.MustCompile(`(?i)^(?:(?:transform|build) failed with \d+ errors?:?|build failed.*)?$`)
	// severity comes between place and message.
	severity = regexp.MustCompile(`^(?:ERROR: |error |Error: )`)
)

func (d *diagnosis) read(line string) {
	if strings.Contains(line, "node_modules/") || strings.HasPrefix(strings.TrimSpace(line), "at ") && !strings.Contains(line, "/app/") {
		return
	}
	if at := place.FindStringSubmatch(line); at != nil && !isFrame(line) {
		d.locate(at)
		return
	}
	if at := fileOnly.FindStringSubmatch(line); at != nil {
		if d.pending != "" {
			d.add(core.Diagnostic{Path: at[1], Message: d.pending})
		}
		return
	}
	begins := header.FindStringSubmatch(line)
	if begins == nil {
		return
	}
	text := strings.TrimSpace(begins[1])
	if summary.MatchString(text) {
		return
	}
	d.settle()
	if d.where.Path != "" {
		d.where.Message = text
		d.add(d.where)
		return
	}
	d.pending = text
}

// isFrame reports whether a line is a numbered line of a source that a tool shows.
func isFrame(line string) bool {
	trimmed := strings.TrimLeft(line, " >")
	digits := strings.TrimLeft(trimmed, "0123456789")
	return len(digits) < len(trimmed) && strings.HasPrefix(strings.TrimLeft(digits, " "), "|") ||
		strings.HasPrefix(trimmed, "│") || len(digits) < len(trimmed) && strings.HasPrefix(strings.TrimLeft(digits, " "), "│")
}

// locate handles a place, with the message beside it or the pending one.
func (d *diagnosis) locate(at []string) {
	path := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(at[1]), "/app/"), "./")
	line, column := at[2], at[3]
	if line == "" {
		line, column = at[4], at[5]
	}
	found := core.Diagnostic{Path: path, Message: d.pending}
	found.Line, _ = strconv.Atoi(line)
	found.Column, _ = strconv.Atoi(column)
	beside := strings.Trim(at[6], " ]│)")
	if text := severity.ReplaceAllString(beside, ""); d.pending == "" || text != beside {
		found.Message = text
	}
	switch {
	case strings.HasPrefix(path, ".."):
	case found.Message == "":
		d.where = found
	default:
		d.add(found)
	}
}

// add adds an error. The header that announced it is used up.
func (d *diagnosis) add(found core.Diagnostic) {
	d.pending, d.where = "", core.Diagnostic{}
	found.Message = cutMessage(found.Message)
	for _, known := range d.found {
		vague := found.Path == "" || found.Path == known.Path && found.Line == 0
		if known.Message == found.Message && (vague || known.Path == found.Path && known.Line == found.Line) {
			return
		}
	}
	if len(d.found) < maxDiagnostics {
		d.found = append(d.found, found)
	}
}

// settle adds the pending error without a place.
func (d *diagnosis) settle() {
	if d.pending != "" {
		d.add(core.Diagnostic{Message: d.pending})
	}
}

func cutMessage(text string) string {
	if len(text) > maxMessageBytes {
		text = strings.ToValidUTF8(text[:maxMessageBytes], "")
	}
	return text
}
