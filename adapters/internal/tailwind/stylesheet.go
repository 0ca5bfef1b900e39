package tailwind

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

var (
	directive    = regexp.MustCompile(`@(?:tailwind|apply|theme|utility|variant|custom-variant|plugin|config|source|reference|screen)\b|--(?:theme|spacing|alpha)\(|[^-\w.#]theme\(`)
	importsSheet = regexp.MustCompile(`@import\s+(?:"([^"\n]*)"|'([^'\n]*)'|url\(\s*["']?([^"')\n]*)["']?\s*\))`)
	address      = regexp.MustCompile(`\burl\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^"'()\s]+))\s*\)`)
	elsewhere    = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|[/#]|$)`)
	lateImport   = regexp.MustCompile(`(?m)^@import [^\n]*;\n`)
)

// Directive returns the offset of the first thing in a style sheet that only Tailwind
// understands, or -1. It does not follow imports of sheets other than Tailwind's own.
func Directive(sheet []byte) int {
	plain := withoutComments(sheet)
	at := -1
	if found := directive.FindIndex(plain); found != nil {
		at = found[0]
	}
	for _, match := range importsSheet.FindAllSubmatchIndex(plain, -1) {
		if name := submatch(plain, match); name == "tailwindcss" || strings.HasPrefix(name, "tailwindcss/") {
			if at < 0 || match[0] < at {
				at = match[0]
			}
		}
	}
	return at
}

// Imports returns the imports of a style sheet, in order.
func Imports(sheet []byte) []string {
	plain := withoutComments(sheet)
	var found []string
	for _, match := range importsSheet.FindAllSubmatchIndex(plain, -1) {
		found = append(found, submatch(plain, match))
	}
	return found
}

// submatch returns the only one of several groups that matched.
func submatch(text []byte, match []int) string {
	for i := 2; i+1 < len(match); i += 2 {
		if match[i] >= 0 {
			return string(text[match[i]:match[i+1]])
		}
	}
	return ""
}

// Move rewrites the relative addresses in a style sheet whose text is moved into another
// one. moved returns the new address.
func Move(sheet string, moved func(address string) string) string {
	plain := withoutComments([]byte(sheet))
	var out strings.Builder
	done := 0
	for _, match := range address.FindAllSubmatchIndex(plain, -1) {
		name := submatch(plain, match)
		if elsewhere.MatchString(name) {
			continue
		}
		out.WriteString(sheet[done:match[0]])
		out.WriteString(`url("` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(moved(name)) + `")`)
		done = match[1]
	}
	out.WriteString(sheet[done:])
	return out.String()
}

// Relative returns the relative path from the directory base to a path, both from the
// root.
func Relative(base, name string) string {
	from, to := parts(base), parts(name)
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	if len(from) == 0 {
		return "./" + strings.Join(to, "/")
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

func parts(name string) []string {
	return strings.FieldsFunc(path.Clean("/"+name), func(r rune) bool { return r == '/' })
}

// HoistImports moves a compiled sheet's remaining imports, from other hosts, to its
// start, the only place where they are valid.
func HoistImports(sheet string) string {
	late := lateImport.FindAllString(sheet, -1)
	if len(late) == 0 {
		return sheet
	}
	return strings.Join(late, "") + lateImport.ReplaceAllString(sheet, "")
}

// withoutComments returns a sheet of the same length with blanks instead of comments.
func withoutComments(sheet []byte) []byte {
	if !bytes.Contains(sheet, []byte("/*")) {
		return sheet
	}
	out := bytes.Clone(sheet)
	for at := 0; at < len(out); at++ {
		switch c := out[at]; {
		case c == '\\':
			at++
		case c == '"' || c == '\'':
			at = endOfString(out, at)
		case c == '/' && at+1 < len(out) && out[at+1] == '*':
			end := len(out)
			if length := bytes.Index(out[at+2:], []byte("*/")); length >= 0 {
				end = at + 2 + length + 2
			}
			for ; at < end; at++ {
				if out[at] != '\n' {
					out[at] = ' '
				}
			}
			at--
		}
	}
	return out
}

// endOfString returns the offset of the quote that closes a string, or of the end of its
// line.
func endOfString(text []byte, start int) int {
	for at := start + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case text[start], '\n':
			return at
		}
	}
	return len(text)
}

// Find returns the offset of a word in a style sheet, -1 if it does not occur. It prefers
// places where the word is applied or called.
func Find(sheet []byte, word string) int {
	plain := withoutComments(sheet)
	quoted := regexp.QuoteMeta(word)
	for _, before := range []string{`@apply\b[^;}]*?\s!?`, `@[\w-]+\s[^;{}]*?`, `\(\s*["']?`, ``} {
		expression, err := regexp.Compile(before + `(` + quoted + `)(?:[^\w-]|$)`)
		if err != nil {
			return -1
		}
		if match := expression.FindSubmatchIndex(plain); match != nil {
			return match[2]
		}
	}
	return bytes.Index(plain, []byte(word))
}
