package memory

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

var _ build.SyntaxChecker = (*Builder)(nil)

// Syntax implements build.SyntaxChecker. It finds obvious mistakes: invalid JSON,
// unmatched brackets and comments, and unclosed elements in pages.
func (b *Builder) Syntax(ctx context.Context, name string, content []byte) ([]core.Diagnostic, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(content), "\ufeff")
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return diagnoseMarkup(name, text), nil
	}
	return diagnose(name, text), nil
}

// freeElements need no end tag.
var freeElements = strings.Fields("area base br col embed hr img input link meta param source track wbr " +
	"html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th")

// rawElements hold text up to their end tag.
var rawElements = []string{"script", "style", "title", "textarea"}

// markupScan scans a page. open holds the open elements, with the offsets of their start
// tags.
type markupScan struct {
	text  string
	at    int
	open  []string
	begun []int
}

// diagnoseMarkup reports unclosed elements of a page. A ">" in an attribute ends its tag
// here.
func diagnoseMarkup(name, text string) []core.Diagnostic {
	scan := markupScan{text: text}
	for {
		next := strings.IndexByte(text[scan.at:], '<')
		if next < 0 {
			break
		}
		scan.at += next
		if message := scan.step(); message != "" {
			return []core.Diagnostic{diagnosticAt(name, text, scan.at, message)}
		}
	}
	if len(scan.open) == 0 {
		return nil
	}
	return []core.Diagnostic{diagnosticAt(name, text, scan.begun[0], "<"+scan.open[0]+"> is never closed")}
}

// step moves after the tag or comment at at and returns the problem with it, if any.
func (s *markupScan) step() string {
	rest := s.text[s.at:]
	end, problem := ">", "a tag is cut off"
	if strings.HasPrefix(rest, "<!--") {
		end, problem = "-->", "a comment is never closed"
	} else if len(rest) > 1 && !strings.ContainsRune("!/?", rune(rest[1])) && !isLetter(rest[1]) {
		s.at++
		return ""
	}
	length := strings.Index(rest, end)
	if length < 0 {
		return problem
	}
	tag := rest[1:length]
	begun := s.at
	s.at += length + len(end)
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(tag, "/")), " ")
	name = strings.TrimSpace(strings.TrimSuffix(name, "/"))
	switch {
	case strings.HasPrefix(tag, "/"):
		s.close(name)
	case isLetter(tag[0]) && !strings.HasSuffix(tag, "/") && !slices.Contains(freeElements, name):
		s.open, s.begun = append(s.open, name), append(s.begun, begun)
		if slices.Contains(rawElements, name) {
			s.skipRaw(name)
		}
	}
	return ""
}

// skipRaw moves to the end tag of a raw text element, or to the end.
func (s *markupScan) skipRaw(name string) {
	length := strings.Index(strings.ToLower(s.text[s.at:]), "</"+name)
	if length < 0 {
		length = len(s.text) - s.at
	}
	s.at += length
}

// close closes an element with all open elements inside.
func (s *markupScan) close(name string) {
	for i, open := range slices.Backward(s.open) {
		if open == name {
			s.open, s.begun = s.open[:i], s.begun[:i]
			return
		}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
