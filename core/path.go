package core

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPathBytes is the longest project path accepted, in bytes of UTF-8. With the
// projects root it stays below Linux's PATH_MAX of 4096.
const MaxPathBytes = 1024

// MaxSegmentBytes is the longest name between two slashes: NAME_MAX of the file
// systems in use.
const MaxSegmentBytes = 255

// ProjectPath names a file or a directory inside a project: relative, separated by
// "/", UTF-8 in normal form C, and valid on every common file system. It can only come
// from ParsePath, so code that gets one need not check it again. The zero value is the
// project's root.
type ProjectPath struct{ text string }

// ParsePath is the one gate for paths from outside: URLs, JSON bodies and the
// model's tool calls alike.
//
// It returns CodePathTraversal for a path that leaves the project's root: absolute,
// with a drive letter, or with a ".." segment. It returns CodeInvalidPath for an empty
// path and for a segment that is empty, ".", too long, begins or ends with a space,
// ends in a dot, is reserved on Windows, or folds to ".git". The same code is for text
// that is not UTF-8, not in normal form C, or has characters that control the text
// around them or that Windows refuses.
func ParsePath(text string) (ProjectPath, error) {
	if err := checkTraversal(text); err != nil {
		return ProjectPath{}, err
	}
	if text == "" {
		return ProjectPath{}, Errorf(CodeInvalidPath, "path is empty")
	}
	if len(text) > MaxPathBytes {
		return ProjectPath{}, Errorf(CodeInvalidPath, "path is longer than %d bytes", MaxPathBytes)
	}
	if !utf8.ValidString(text) {
		return ProjectPath{}, Errorf(CodeInvalidPath, "path is not valid UTF-8")
	}
	if !isNFC(text) {
		return ProjectPath{}, Errorf(CodeInvalidPath, "path is not in Unicode normal form C")
	}
	for segment := range strings.SplitSeq(text, "/") {
		if err := checkSegment(segment); err != nil {
			return ProjectPath{}, err
		}
	}
	return ProjectPath{text}, nil
}

// ComposePath is ParsePath for names from archives and file systems, which may be
// decomposed: it first brings the text into normal form C.
func ComposePath(text string) (ProjectPath, error) {
	if utf8.ValidString(text) && len(text) <= 4*MaxPathBytes && !isNFC(text) {
		text = string(compose(decompose([]rune(text))))
	}
	return ParsePath(text)
}

// MustPath is ParsePath for constants. It panics if the path is refused.
func MustPath(text string) ProjectPath {
	p, err := ParsePath(text)
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the path, "" for the root.
func (p ProjectPath) String() string { return p.text }

// IsRoot reports whether p is the project's root.
func (p ProjectPath) IsRoot() bool { return p.text == "" }

// Base returns the last segment, "" for the root.
func (p ProjectPath) Base() string { return p.text[strings.LastIndexByte(p.text, '/')+1:] }

// Dir returns the parent directory of p; that of the root is the root.
func (p ProjectPath) Dir() ProjectPath {
	return ProjectPath{p.text[:max(0, strings.LastIndexByte(p.text, '/'))]}
}

// Ext returns the extension with its dot, in lower case, or "".
func (p ProjectPath) Ext() string {
	base := p.Base()
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return ""
	}
	return strings.ToLower(base[dot:])
}

// Contains reports whether other is p or below it.
func (p ProjectPath) Contains(other ProjectPath) bool {
	return p.text == "" || p == other || strings.HasPrefix(other.text, p.text+"/")
}

// MarshalJSON writes the path as a string.
func (p ProjectPath) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// UnmarshalJSON reads a string through ParsePath.
func (p *ProjectPath) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return Errorf(CodeInvalidRequest, "a path must be a string")
	}
	parsed, err := ParsePath(text)
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// generated directories are made by tools and can be rebuilt, so they are neither
// listed nor searched. The first set counts at any depth, the second only directly
// below the root.
var (
	generatedAnywhere = map[string]bool{"node_modules": true}
	generatedAtRoot   = map[string]bool{
		"dist": true, "build": true, ".next": true, ".svelte-kit": true, ".vite": true, ".nuxt": true, ".output": true,
		".astro": true, ".vinxi": true, ".angular": true, ".docusaurus": true, ".react-router": true,
	}
)

// Generated reports whether p is build output or an installed package: such
// files are kept but not listed.
func (p ProjectPath) Generated() bool {
	first, _, _ := strings.Cut(p.text, "/")
	if generatedAtRoot[first] {
		return true
	}
	for segment := range strings.SplitSeq(p.text, "/") {
		if generatedAnywhere[segment] {
			return true
		}
	}
	return false
}

func checkTraversal(text string) error {
	escapes := strings.HasPrefix(text, "/") || strings.HasPrefix(text, `\`) || hasDriveLetter(text)
	for segment := range strings.FieldsFuncSeq(text, isSeparator) {
		escapes = escapes || segment == ".."
	}
	if escapes {
		return Errorf(CodePathTraversal, "path escapes the project root")
	}
	return nil
}

func isSeparator(r rune) bool { return r == '/' || r == '\\' }

func hasDriveLetter(text string) bool {
	return len(text) >= 2 && text[1] == ':' && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z')
}

func checkSegment(segment string) error {
	switch {
	case segment == "":
		return Errorf(CodeInvalidPath, "path has an empty segment")
	case segment == ".":
		return Errorf(CodeInvalidPath, `path has the segment "."`)
	case len(segment) > MaxSegmentBytes:
		return Errorf(CodeInvalidPath, "a path segment is longer than %d bytes", MaxSegmentBytes)
	case strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " ") || strings.HasPrefix(segment, " "):
		return Errorf(CodeInvalidPath, "a path segment starts or ends with a space or ends with a dot")
	case FoldsToGit(segment):
		return Errorf(CodeInvalidPath, "%q is reserved for the repository", segment)
	case isWindowsDevice(segment):
		return Errorf(CodeInvalidPath, "%q is a reserved name on Windows", segment)
	}
	for _, r := range segment {
		if isUnsuitable(r) {
			return Errorf(CodeInvalidPath, "path has the character %q, which file names must not contain", r)
		}
	}
	return nil
}

// isUnsuitable reports whether no name may hold r: characters that Windows refuses,
// control characters, line and paragraph separators, and noncharacters. It includes
// characters that change the direction of writing, which make a name look like
// another.
func isUnsuitable(r rune) bool {
	switch r {
	case '\\', '<', '>', ':', '"', '|', '?', '*', 0x7f, byteOrderMark:
		return true
	}
	if r < utf8.RuneSelf {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Noncharacter_Code_Point)
}

// FoldCase is a path, or a name in one, as a disk sees it that ignores upper and lower case.
func FoldCase(path string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, path)
}

// FoldsToGit reports whether some file system would open segment as ".git": by
// case, by characters that HFS+ ignores, by the short name that NTFS gives it,
// or by the trailing dots and spaces that Windows drops.
func FoldsToGit(segment string) bool {
	folded := strings.Map(func(r rune) rune {
		if isIgnoredByHFS(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, segment)
	folded, _, _ = strings.Cut(folded, ":")
	folded = strings.TrimRight(folded, ". ")
	return folded == ".git" || folded == "git~1"
}

func isIgnoredByHFS(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

func isWindowsDevice(segment string) bool {
	stem, _, _ := strings.Cut(segment, ".")
	stem = strings.ToLower(strings.TrimRight(stem, " "))
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	rest, isPort := strings.CutPrefix(stem, "com")
	if !isPort {
		rest, isPort = strings.CutPrefix(stem, "lpt")
	}
	return isPort && (len(rest) == 1 && rest[0] >= '1' && rest[0] <= '9' || rest == "¹" || rest == "²" || rest == "³")
}
