package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Bounds on one import.meta.glob.
const (
	maxPatterns     = 50
	maxPatternBytes = 1000
	maxGlobFiles    = 2000
	// maxSpecials bounds the calls of each kind in one source.
	maxSpecials = 200
	// maxTypedBytes bounds arguments with TypeScript, and maxTypedEnds the places where they may
	// end.
	maxTypedBytes = 4096
	maxTypedEnds  = 20
)

// globCall holds the arguments of import.meta.glob.
type globCall struct {
	patterns []string
	eager    bool
	// member is the requested export, "" for all exports.
	member string
	query  string
}

const (
	problemGlob     = "the arguments of import.meta.glob must be written out: a pattern or a list of patterns, and an object of options"
	problemGlobMany = "this import.meta.glob matches too many files, or there are too many globs"
	globName        = "import.meta.glob"
)

// globs replaces the calls of import.meta.glob with objects that map the matching files
// to functions that import them, or to their exports if the call is eager.
func (s *specialCalls) globs() {
	for from, calls := 0, 0; ; calls++ {
		i := bytes.Index(s.text[from:], []byte(globName))
		if i < 0 {
			return
		}
		start := from + i
		if calls >= maxSpecials {
			s.wrong(start, problemGlobMany)
			return
		}
		from = start + len(globName)
		open := skipTypes(s.text, from)
		if open >= len(s.text) || s.text[open] != '(' || s.inComment(start) {
			continue
		}
		call, end, ok := readGlob(s.text, open+1)
		if !ok {
			call, end, ok = readTypedGlob(s.text, open+1)
		}
		if !ok {
			s.wrong(start, problemGlob)
			return
		}
		files := s.matching(s.name, call.patterns)
		if len(files) > maxGlobFiles {
			s.wrong(start, problemGlobMany)
			return
		}
		s.replace(start, end, s.globObject(call, files))
		from = end
	}
}

// inComment reports whether an offset lies in a line comment.
func (s *specialCalls) inComment(at int) bool {
	start := bytes.LastIndexByte(s.text[:at], '\n') + 1
	line := strings.TrimSpace(string(s.text[start:at]))
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*")
}

// skipTypes skips the type arguments of a call.
func skipTypes(text []byte, i int) int {
	i = skipBlank(text, i)
	if i >= len(text) || text[i] != '<' {
		return i
	}
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '<':
			depth++
		case '>':
			if text[i-1] != '=' {
				depth--
			}
			if depth == 0 {
				return skipBlank(text, i+1)
			}
		}
	}
	return i
}

// globObject returns the object that replaces a call.
func (s *specialCalls) globObject(call globCall, files []string) string {
	relative := !slices.ContainsFunc(call.patterns, func(p string) bool { return p[0] != '.' && p[0] != '!' })
	var b strings.Builder
	b.WriteString("Object({")
	for _, file := range files {
		key := "/" + file
		if relative {
			key = s.specifier(file)
		}
		fmt.Fprintf(&b, "%s: %s, ", JSONText(key), s.globValue(call, s.specifier(file)+call.query))
	}
	b.WriteString("})")
	return b.String()
}

func (s *specialCalls) globValue(call globCall, specifier string) string {
	switch {
	case call.eager && call.member == "":
		return s.importName("* as $", specifier)
	case call.eager:
		return s.importName("{ "+call.member+" as $ }", specifier)
	case call.member == "":
		return fmt.Sprintf("() => import(%s)", JSONText(specifier))
	}
	return fmt.Sprintf("() => import(%s).then((all) => all[%s])", JSONText(specifier), JSONText(call.member))
}

// readGlob parses the arguments of a call from i on.
func readGlob(text []byte, i int) (call globCall, end int, ok bool) {
	i = skipBlank(text, i)
	if i < len(text) && text[i] == '[' {
		call.patterns, i, ok = literals(text, i+1)
	} else {
		var pattern string
		pattern, i, ok = literal(text, i)
		call.patterns = []string{pattern}
	}
	if !ok || len(call.patterns) == 0 || len(call.patterns) > maxPatterns {
		return call, i, false
	}
	for _, pattern := range call.patterns {
		if pattern == "" || len(pattern) > maxPatternBytes {
			return call, i, false
		}
	}
	i = skipComma(text, i)
	if i < len(text) && text[i] == '{' {
		if i, ok = call.readOptions(text, i+1); !ok {
			return call, i, false
		}
		i = skipComma(text, i)
	}
	return call, i + 1, i < len(text) && text[i] == ')'
}

// readTypedGlob is readGlob for arguments with TypeScript or parentheses around them, which
// mean nothing: esbuild takes them away. The call ends where its text up to there can be parsed.
func readTypedGlob(text []byte, i int) (call globCall, end int, ok bool) {
	arguments := text[i:min(len(text), i+maxTypedBytes)]
	for end, tries := 0, 0; tries < maxTypedEnds; tries++ {
		next := bytes.IndexByte(arguments[end:], ')')
		if next < 0 {
			break
		}
		end += next + 1
		plain := api.Transform("f("+string(arguments[:end]), api.TransformOptions{Loader: api.LoaderTS})
		if len(plain.Errors) == 0 {
			call, _, ok = readGlob(plain.Code, len("f("))
			return call, i + end, ok
		}
	}
	return call, i, false
}

func skipComma(text []byte, i int) int {
	i = skipBlank(text, i)
	if i < len(text) && text[i] == ',' {
		i = skipBlank(text, i+1)
	}
	return i
}

// literals parses strings up to a closing bracket.
func literals(text []byte, i int) (values []string, end int, ok bool) {
	for {
		i = skipBlank(text, i)
		if i < len(text) && text[i] == ']' {
			return values, i + 1, true
		}
		value, next, ok := literal(text, i)
		if !ok {
			return nil, i, false
		}
		values = append(values, value)
		i = skipComma(text, next)
	}
}

var optionName = regexp.MustCompile(`^(?:(\w+)|"(\w+)"|'(\w+)')\s*:\s*`)

// readOptions parses an object up to its end.
func (c *globCall) readOptions(text []byte, i int) (end int, ok bool) {
	for {
		i = skipBlank(text, i)
		if i < len(text) && text[i] == '}' {
			return i + 1, true
		}
		match := optionName.FindSubmatch(text[i:])
		if match == nil {
			return i, false
		}
		i += len(match[0])
		if i, ok = c.readOption(string(match[1])+string(match[2])+string(match[3]), text, i); !ok {
			return i, false
		}
		i = skipComma(text, i)
	}
}

func (c *globCall) readOption(name string, text []byte, i int) (end int, ok bool) {
	rest := string(text[i:])
	switch {
	case strings.HasPrefix(rest, "true"):
		c.eager = c.eager || name == "eager"
		return i + len("true"), true
	case strings.HasPrefix(rest, "false"):
		return i + len("false"), true
	case strings.HasPrefix(rest, "{") && name == "query":
		return c.readQuery(rest, i)
	}
	value, end, ok := literal(text, i)
	switch {
	case !ok:
		return i, false
	case name == "import" && value != "*":
		c.member = value
		return end, value == "default" || Identifier.MatchString(value)
	case name == "query":
		c.query = "?" + strings.TrimPrefix(value, "?")
	case name == "as" && (value == "raw" || value == "url"):
		c.query, c.member = "?"+value, "default"
	}
	return end, true
}

// readQuery parses a query that is an object, which is JSON once its names are quoted.
func (c *globCall) readQuery(rest string, i int) (end int, ok bool) {
	length := strings.IndexByte(rest, '}') + 1
	quoted := regexp.MustCompile(`(\w+)\s*:`).ReplaceAllString(strings.ReplaceAll(rest[:length], "'", `"`), `"$1":`)
	var members map[string]any
	if json.Unmarshal([]byte(quoted), &members) != nil {
		return i, false
	}
	var parts []string
	for name, value := range members {
		if value == true {
			parts = append(parts, name)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(parts)
	c.query = "?" + strings.Join(parts, "&")
	return i + length, true
}

// matching returns the sorted files that match one of a source's patterns and no pattern
// after a "!". It leaves out the source itself and files that no import can name.
func (p *Project) matching(source string, patterns []string) []string {
	var wanted, unwanted []*regexp.Regexp
	for _, pattern := range patterns {
		bare, not := strings.CutPrefix(pattern, "!")
		compiled := p.compilePattern(source, bare)
		if compiled == nil {
			continue
		}
		if not {
			unwanted = append(unwanted, compiled)
		} else {
			wanted = append(wanted, compiled)
		}
	}
	some := func(all []*regexp.Regexp, name string) bool {
		return slices.ContainsFunc(all, func(r *regexp.Regexp) bool { return r.MatchString(name) })
	}
	var files []string
	for _, name := range p.Src.All() {
		if name != source && !strings.ContainsAny(name, "?#") && some(wanted, name) && !some(unwanted, name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// compilePattern compiles a pattern to a regular expression over project paths, nil if
// the pattern leads out of the project.
func (p *Project) compilePattern(source, pattern string) *regexp.Regexp {
	switch {
	case strings.HasPrefix(pattern, "./"), strings.HasPrefix(pattern, "../"):
		pattern = path.Join(path.Dir(source), pattern)
	case strings.HasPrefix(pattern, "/"):
		pattern = path.Clean(pattern)[1:]
	case !strings.HasPrefix(pattern, "*"):
		if aliased := p.Config.Candidates(pattern); len(aliased) > 0 {
			pattern = aliased[0]
		}
	}
	if pattern == ".." || strings.HasPrefix(pattern, "../") {
		return nil
	}
	compiled, err := regexp.Compile("^" + patternExpression(pattern) + "$")
	if err != nil {
		return nil
	}
	return compiled
}

// patternExpression translates a pattern: "**/" means any directories, "*" a part
// of a name, "?" a character, "{a,b}" one or the other, "[ab]" one of a set.
func patternExpression(pattern string) string {
	var b strings.Builder
	braces := 0
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := pattern[i]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:[^/]+/)*")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			braces++
			b.WriteString("(?:")
		case c == '}' && braces > 0:
			braces--
			b.WriteString(")")
		case c == ',' && braces > 0:
			b.WriteString("|")
		case c == '[' && strings.IndexByte(rest, ']') > 1:
			length := strings.IndexByte(rest, ']')
			set := strings.Replace(rest[1:length], "!", "^", 1)
			b.WriteString("[" + strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(set) + "]")
			i += length
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	return b.String() + strings.Repeat(")", braces)
}
