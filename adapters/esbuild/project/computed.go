package project

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// esbuild resolves import("./" + name) and require("./" + name) by listing the directory
// on the disk, whatever a plugin says. So no such call may reach it: this file finds the
// calls in the text before it is parsed. Text in a string or comment that looks like such
// a call is changed too, which at worst is visible.

// computedImports describes the computed imports of a source.
type computedImports struct {
	text []byte
	// at is the offset of an import that cannot be bundled, -1 if there is none.
	at      int
	problem string
}

const (
	problemComputed = "the path of import() must be written out, so that the file can be found when the project is built"

	// opaque wraps an argument so that esbuild leaves it alone, whatever follows. The
	// value and the line numbers stay the same.
	opaque = "globalThis.__atelier="

	// asModule turns every module of a project into an ES module. In other modules,
	// esbuild treats module.require as require.
	asModule = "\nexport {}\n"

	// noRequire replaces require in the project's modules, because browsers have none.
	noRequire = "\nfunction require(name) { throw new Error('require is not defined in the browser: import \"' + name + '\" instead') }\n"
)

var mayRequire = regexp.MustCompile(`require|\\u`)

// guardModule prepares a module of the project for esbuild.
func guardModule(text []byte) computedImports {
	result := computedImports{at: -1}
	result.text, result.at, result.problem = rewriteCalls(text, "import", true)
	if result.at >= 0 {
		return result
	}
	result.text = append(bytes.Clone(result.text), asModule...)
	if mayRequire.Match(text) {
		result.text = append(result.text, noRequire...)
	}
	return result
}

// GuardPackage prepares a module of a package for esbuild. Packages may have computed
// imports that never run.
func GuardPackage(text []byte) []byte {
	text, _, _ = rewriteCalls(text, "import", false)
	text, _, _ = rewriteCalls(text, "require", false)
	return text
}

// rewriteCalls makes the computed arguments of calls of name opaque. With strict, it
// reports the first call whose argument begins like a relative path.
func rewriteCalls(text []byte, name string, strict bool) (rewritten []byte, at int, problem string) {
	var out []byte
	done := 0
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			break
		}
		start := from + i
		from = start + len(name)
		open := callParenthesis(text, from)
		if open < 0 || isLiteralArgument(text, open+1) || isMethod(text, start, from) {
			continue
		}
		if strict && beginsRelative(text[skipBlank(text, open+1):]) {
			return text, start, problemComputed
		}
		out = append(out, text[done:open+1]...)
		out = append(out, opaque...)
		done = open + 1
	}
	if out == nil {
		return text, -1, ""
	}
	return append(out, text[done:]...), -1, ""
}

// A method may have the name: PocketBase's client has one. beforeMethod and ofMethod match what
// surrounds it on its line, with neither quotes, slashes, braces, angle brackets nor line ends, so
// that all of it is code or none is. As code, a call between the two would be a syntax error: only
// "extends" and a new line let a call be followed by a brace.
var (
	beforeMethod = regexp.MustCompile(`(?:[{};,*]|\b(?:async|static)[ \t])[ \t]*$`)
	ofMethod     = regexp.MustCompile(`^[ \t]*\([\w$ \t,=!.:?]*\)[ \t]*\{`)
)

// maxBeforeMethod bounds what is searched of a line.
const maxBeforeMethod = 32

// isMethod reports whether the name from start to end is that of a method that is declared.
func isMethod(text []byte, start, end int) bool {
	return ofMethod.Match(text[end:]) && beforeMethod.Match(text[max(0, start-maxBeforeMethod):start])
}

// callParenthesis returns the offset of the parenthesis that opens a call whose
// name ends at i, or -1.
func callParenthesis(text []byte, i int) int {
	for {
		i = skipBlank(text, i)
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("(")):
			return i
		case bytes.HasPrefix(rest, []byte("?.")):
			i += len("?.")
		case bytes.HasPrefix(rest, []byte(".")):
			length := memberLength(text[skipBlank(text, i+1):])
			if length == 0 {
				return -1
			}
			i = skipBlank(text, i+1) + length
		default:
			return -1
		}
	}
}

// memberLength returns the length of a member with the same name as its object, 0 for any
// other.
func memberLength(text []byte) int {
	for _, member := range []string{"defer", "source", "resolve"} {
		if bytes.HasPrefix(text, []byte(member)) {
			return len(member)
		}
	}
	return 0
}

// isLiteralArgument reports whether the first argument, which begins at i, is a
// plain string.
func isLiteralArgument(text []byte, i int) bool {
	i = skipBlank(text, i)
	if i >= len(text) || !strings.ContainsRune("'\"`", rune(text[i])) {
		return false
	}
	quote := text[i]
	length := bytes.IndexByte(text[i+1:], quote)
	if length < 0 {
		return false
	}
	inside := text[i+1 : i+1+length]
	if bytes.ContainsAny(inside, "\\\n") || quote == '`' && bytes.Contains(inside, []byte("${")) {
		return false
	}
	next := skipBlank(text, i+length+2)
	return next < len(text) && (text[next] == ')' || text[next] == ',')
}

func beginsRelative(argument []byte) bool {
	trimmed := bytes.TrimLeft(argument, "(")
	for _, quote := range []string{"'", `"`, "`"} {
		if bytes.HasPrefix(trimmed, []byte(quote+"./")) || bytes.HasPrefix(trimmed, []byte(quote+"../")) {
			return true
		}
	}
	return false
}

// skipSpace returns the offset of the first character from i on that is not white space
// in JavaScript.
func skipSpace(text []byte, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if !unicode.IsSpace(r) && r != '\ufeff' {
			return i
		}
		i += size
	}
	return i
}

// skipBlank skips white space and comments, including HTML comments, which esbuild also
// knows.
func skipBlank(text []byte, i int) int {
	for {
		i = skipSpace(text, i)
		rest := text[i:]
		var length int
		switch {
		case bytes.HasPrefix(rest, []byte("/*")):
			length = EndOf(rest[2:], "*/") + 2
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("<!--")), bytes.HasPrefix(rest, []byte("-->")):
			length = len(rest)
			if end := bytes.IndexAny(rest, "\n\r\u2028\u2029"); end >= 0 {
				length = end
			}
		default:
			return i
		}
		i += length
	}
}

// EndOf returns the offset after the first end in text, or text's length.
func EndOf(text []byte, end string) int {
	if i := bytes.Index(text, []byte(end)); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// HideSourceMap keeps esbuild from following a source map comment to the disk.
func HideSourceMap(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(" sourceMappingURL="), []byte(" sourceMappingURL_"))
}
