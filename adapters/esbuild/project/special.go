package project

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A project may refer to files in ways that only Vite knows: by import.meta.glob, by an
// import whose path is a template, and by new URL(…, import.meta.url). Others only webpack
// knows: pictures as components, and require of them (pictures.go). Before a source is
// parsed, this file turns such calls into plain imports, which esbuild understands in
// both modes. Text in a string or comment that looks like such a call is changed too,
// which at worst is visible. Line numbers stay the same.

// specialCalls are the calls of one source.
type specialCalls struct {
	*Project
	name string
	text []byte

	edits []replacement
	// imports are appended to the source: static imports that the calls need.
	imports strings.Builder
	count   int
	// at and problem describe the first mistake; at is -1 if there is none.
	at      int
	problem string
}

// maySpecial matches sources that may contain such calls.
var maySpecial = regexp.MustCompile("import\\.meta\\.(?:glob|url)|import\\s*\\([^'\")]*`|\\.svg(?:[\"']|\\?react)|\\brequire\\s*\\(")

// writeSpecials replaces the calls in a source of the project. offset is that of the
// first mistake, -1 if there is none.
func (p *Project) writeSpecials(name string, text []byte) (written []byte, offset int, problem string) {
	if !maySpecial.Match(text) {
		return text, -1, ""
	}
	s := &specialCalls{Project: p, name: name, text: text, at: -1}
	s.globs()
	s.templates()
	s.addresses()
	s.pictures()
	s.required()
	if s.at >= 0 || len(s.edits) == 0 {
		return text, s.at, s.problem
	}
	slices.SortFunc(s.edits, func(a, b replacement) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, edit := range s.edits {
		if edit.start < done {
			continue // a call within another
		}
		out = append(append(out, text[done:edit.start]...), edit.text...)
		out = append(out, bytes.Repeat([]byte("\n"), bytes.Count(text[edit.start:edit.end], []byte("\n")))...)
		done = edit.end
	}
	out = append(out, text[done:]...)
	return append(append(out, '\n'), s.imports.String()...), -1, ""
}

func (s *specialCalls) replace(start, end int, text string) {
	s.edits = append(s.edits, replacement{start, end, text})
}

func (s *specialCalls) wrong(at int, problem string) {
	if s.at < 0 {
		s.at, s.problem = at, problem
	}
}

// importName returns a name for an import that is appended to the source.
func (s *specialCalls) importName(clause, specifier string) string {
	s.count++
	name := fmt.Sprintf("__atelier_special_%d", s.count)
	fmt.Fprintf(&s.imports, "import %s from %s;\n", strings.ReplaceAll(clause, "$", name), JSONText(specifier))
	return name
}

// specifier returns the path by which the source imports a file of the project.
func (s *specialCalls) specifier(file string) string {
	return relativePath(path.Dir(s.name), file)
}

// relativePath returns the relative path from a directory of the project to a file of it.
func relativePath(dir, file string) string {
	var from []string
	if dir != "." {
		from = strings.Split(dir, "/")
	}
	to := strings.Split(file, "/")
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	if len(from) == 0 {
		return "./" + strings.Join(to, "/")
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

// literal parses a plain string at i, without escapes or expressions.
func literal(text []byte, i int) (value string, end int, ok bool) {
	if i >= len(text) || strings.IndexByte("'\"`", text[i]) < 0 {
		return "", i, false
	}
	length := bytes.IndexByte(text[i+1:], text[i])
	if length < 0 {
		return "", i, false
	}
	inside := text[i+1 : i+1+length]
	if bytes.ContainsAny(inside, "\\\n") || bytes.Contains(inside, []byte("${")) {
		return "", i, false
	}
	return string(inside), i + length + 2, true
}

var (
	urlCall      = regexp.MustCompile("new\\s+URL\\s*\\(\\s*((?:\"[^\"\\\\\\n]*\"|'[^'\\\\\\n]*'|`[^`\\\\\\n]*`))\\s*,\\s*import\\.meta\\.url\\s*,?\\s*\\)")
	workerCall   = regexp.MustCompile(`new\s+(?:Shared)?Worker\s*\(\s*$`)
	moduleOption = regexp.MustCompile(`^\s*,\s*\{[^}]*\btype\s*:\s*["']module["']`)
)

// addresses replaces the paths of new URL("./file", import.meta.url). The path becomes
// the file's address; for the script of a worker, the script is bundled. Paths without a
// file stay unchanged.
func (s *specialCalls) addresses() {
	for _, at := range urlCall.FindAllSubmatchIndex(s.text, maxSpecials) {
		value := string(s.text[at[2]+1 : at[3]-1])
		if strings.Contains(value, "${") {
			s.computedAddress(at[2], at[3], value)
			continue
		}
		file := path.Join(path.Dir(s.name), value)
		if !strings.HasPrefix(value, "./") && !strings.HasPrefix(value, "../") || !s.Src.IsFile(file) {
			continue
		}
		suffix := "?url"
		if workerCall.Match(s.text[max(0, at[0]-100):at[0]]) {
			suffix = workerAddress
			if moduleOption.Match(s.text[at[1]:min(len(s.text), at[1]+300)]) {
				suffix = moduleWorkerAddress
			}
		}
		s.replace(at[2], at[3], s.importName("$", s.specifier(file)+suffix))
	}
}

// computedAddress replaces the path of new URL(`./dir/${x}.png`, import.meta.url).
func (s *specialCalls) computedAddress(start, end int, template string) {
	files, ok := s.templateFiles(template)
	if !ok {
		return
	}
	var b strings.Builder
	b.WriteString("({")
	for _, file := range files {
		fmt.Fprintf(&b, "%s: %s, ", JSONText(s.specifier(file)), s.importName("$", s.specifier(file)+"?url"))
	}
	fmt.Fprintf(&b, "}[%s])", s.text[start:end])
	s.replace(start, end, b.String())
}

var (
	templateCall = regexp.MustCompile("import\\s*\\(\\s*(?:/\\*.*?\\*/\\s*)?(`[^`\\\\\\n]*\\$\\{[^`\\n]*`)\\s*\\)")
	expression   = regexp.MustCompile(`\$\{[^{}]*\}`)
)

// templates replaces import(`./dir/${name}.ts`) by a choice among all files that the path
// can refer to.
func (s *specialCalls) templates() {
	for _, at := range templateCall.FindAllSubmatchIndex(s.text, maxSpecials) {
		template := string(s.text[at[2]:at[3]])
		files, ok := s.templateFiles(template[1 : len(template)-1])
		if !ok {
			continue
		}
		var b strings.Builder
		// The text begins with a word, so that it does not turn the previous line into a
		// call.
		fmt.Fprintf(&b, "Promise.resolve(%s).then((path) => ({", template)
		for _, file := range files {
			fmt.Fprintf(&b, "%s: () => import(%s), ", JSONText(s.specifier(file)), JSONText(s.specifier(file)))
		}
		b.WriteString("})[path]?.() ?? Promise.reject(new Error(\"there is no file \" + path)))")
		s.replace(at[0], at[1], b.String())
	}
}

// templateFiles returns the files that a template can refer to: every expression matches
// a part of one name. As with Vite, the path must be relative, end in an extension, and
// name a directory or a part of the file's name.
func (s *specialCalls) templateFiles(template string) (files []string, ok bool) {
	pattern := expression.ReplaceAllString(escapePattern(template), "*")
	base := path.Base(pattern)
	relative := strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
	if !relative || strings.Contains(pattern, "${") || path.Ext(base) == "" || strings.Contains(path.Ext(base), "*") {
		return nil, false
	}
	if strings.HasPrefix(pattern, "./*") && !strings.Contains(pattern[2:], "/") && strings.HasPrefix(base, "*.") {
		return nil, false // the directory of the source itself
	}
	return s.matching(s.name, []string{pattern}), true
}

func escapePattern(text string) string {
	var b strings.Builder
	inside := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '$' && i+1 < len(text) && text[i+1] == '{':
			inside++
			b.WriteByte(c)
		case c == '}' && inside > 0:
			inside--
			b.WriteByte(c)
		case inside == 0 && strings.IndexByte("*?[]{}()!", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
