package writegate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/edits"
)

// An elision is a line that replaces code that a model left out, such as "// ... existing
// code ...". A line counts if it is a comment, ends in one, or is just an ellipsis or a
// text in brackets. It must say nothing else: each of its words must be one that such
// remarks are made of. Spread syntax such as ...rest does not count.

// findElision returns the first line of after that is an elision and is not in before.
func findElision(name string, before, after string) (core.Diagnostic, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst":
		return core.Diagnostic{}, false
	}
	old := map[string]bool{}
	for line := range strings.Lines(before) {
		old[strings.TrimSpace(strings.TrimPrefix(line, edits.ByteOrderMark))] = true
	}
	number, inside := 0, ""
	for line := range strings.Lines(after) {
		number++
		text := strings.TrimSpace(strings.TrimPrefix(line, edits.ByteOrderMark))
		elided := isElision(text, inside != "", strings.EqualFold(path.Ext(name), ".json"))
		inside = stillInside(text, inside)
		if elided && !old[text] {
			indent := line[:strings.Index(line, text)]
			return core.Diagnostic{Path: name, Line: number, Column: utf8.RuneCountInString(indent) + 1, Message: text}, true
		}
	}
	return core.Diagnostic{}, false
}

// losesNoCode reports whether a write adds at least as many meaningful lines as it
// removes, and more than the elision alone: then the elision replaces no code.
func losesNoCode(before, after string) bool {
	old, fresh := fullLines(before), fullLines(after)
	return saying(fresh) > 1 && saying(without(old, fresh)) < max(1, saying(without(fresh, old)))
}

// without returns lines minus others, as multisets.
func without(lines, others []string) []string {
	left := map[string]int{}
	for _, line := range others {
		left[line]++
	}
	var rest []string
	for _, line := range lines {
		if left[line]--; left[line] < 0 {
			rest = append(rest, line)
		}
	}
	return rest
}

// stillInside returns the end mark of the comment that a line leaves open, "" if it
// leaves none open. Only a comment at the beginning of a line counts; elsewhere it may be
// part of a string.
func stillInside(text, inside string) string {
	if inside == "" {
		for _, open := range []struct{ begin, end string }{{"/*", "*/"}, {"{/*", "*/"}, {"<!--", "-->"}} {
			if rest, opens := strings.CutPrefix(text, open.begin); opens {
				inside, text = open.end, rest
			}
		}
	}
	if inside == "" || strings.Contains(text, inside) {
		return ""
	}
	return inside
}

var (
	blockComments = regexp.MustCompile(`/\*+(.*?)\*+/|<!--(.*?)-->`)
	lineComment   = regexp.MustCompile(`(?:^|[\s;{}(),])(?://+|--)\s*(.*)$|^#+(?:\s+|\s*[.…])(.*)$`)
	standsAlone   = regexp.MustCompile(`^(?:\.{2,}|…)(?:\s.*)?$|^\[[^\[\]]*\]$|^\([^()]*\)$|^<[^<>/]*>$|^\{\s*(?:\.{2,}|…)\s*\}$`)
	quotedDots    = regexp.MustCompile(`^"\s*((?://|\.\.\.|…)[^"]*)"\s*(?::.*)?$`)
)

func isElision(text string, commented, isJSON bool) bool {
	if commented {
		text, _, _ = strings.Cut(text, "*/")
		text, _, _ = strings.Cut(text, "-->")
		return isRemark(strings.TrimSpace(strings.TrimPrefix(text, "*")))
	}
	for _, match := range blockComments.FindAllStringSubmatch(text, -1) {
		if isRemark(match[1] + match[2]) {
			return true
		}
	}
	if opened, isBlock := cutAnyPrefix(text, "{/*", "/*", "<!--"); isBlock {
		return isRemark(opened)
	}
	if match := lineComment.FindStringSubmatch(text); match != nil {
		return isRemark(match[1]+match[2]) || strings.HasPrefix(text, "#") && isEllipsis(match[2])
	}
	bare := strings.TrimRight(text, ",;")
	if match := quotedDots.FindStringSubmatch(bare); match != nil && isJSON {
		return isRemark(strings.TrimPrefix(match[1], "//"))
	}
	if !standsAlone.MatchString(bare) {
		return false
	}
	inner := strings.Trim(bare, "[](){}<>")
	return isEllipsis(inner) || isRemark(inner) && (startsWithDots(inner) || len(bare) != len(inner))
}

func cutAnyPrefix(text string, prefixes ...string) (string, bool) {
	for _, prefix := range prefixes {
		if rest, found := strings.CutPrefix(text, prefix); found {
			return rest, true
		}
	}
	return text, false
}

func isEllipsis(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 1 && strings.Trim(text, ".… ") == ""
}

func startsWithDots(text string) bool {
	return strings.HasPrefix(text, "..") || strings.HasPrefix(text, "…")
}

func endsWithDots(text string) bool {
	return strings.HasSuffix(text, "..") || strings.HasSuffix(text, "…")
}

// maxRemarkWords is the longest remark that counts as an elision, in words.
const maxRemarkWords = 14

// isRemark reports whether the text of a comment says only that something was left
// out.
func isRemark(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \t*-=_~#/!<>()[]{}"))
	if isEllipsis(text) {
		return true
	}
	starts, ends := startsWithDots(text), endsWithDots(text)
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_' && r != '$'
	})
	if len(words) == 0 || len(words) > maxRemarkWords {
		return false
	}
	if starts && !ends && len(words) == 1 && !strings.HasPrefix(strings.TrimLeft(text, ".…"), " ") {
		// The name of a spread.
		return false
	}
	foreign := 0
	for _, word := range words {
		if !remarkWords[word] {
			foreign++
		}
	}
	said := strings.Join(words, " ")
	switch {
	case omission.MatchString(said):
		return foreign <= 1 || (starts || ends) && foreign <= 3
	case vagueOmission.MatchString(said):
		return foreign == 0
	case starts && ends:
		return foreign <= 1 && slices.ContainsFunc(words, isVague)
	case starts:
		return foreign <= 2 && isVague(words[0]) || foreign == 0 && slices.ContainsFunc(words, isVague)
	case ends:
		return foreign == 0 && isVague(words[0])
	}
	return false
}

// isVague reports whether a word beside an ellipsis refers to what is left out.
func isVague(word string) bool { return vagueWords[word] }

// codeNouns are people's words for the parts of a source.
const codeNouns = `(?:codes?|file|components?|functions?|methods?|implementations?|contents?|styles?|styling|css|html|jsx|tsx|markup|page|` +
	`logic|class(?:es)?|imports?|exports?|template|body|module|script|document|sections?|rules|handlers?|hooks?|definitions?|elements?|lines|` +
	`parts?|routes|tests?|declarations?|selectors|configuration|config|properties)`

var (
	// omission matches a phrase that by itself says that code was left out.
	omission = regexp.MustCompile(`\b(?:rest|remainder) (?:of )?(?:(?:the|this|that|your|my|our|its|all|existing|original|previous|old|current|same|\w+) ){0,3}?` + codeNouns + `\b` +
		`|\bremaining (?:\w+ )?(?:codes?|file|components?|functions?|methods?|implementations?|contents?|styles|css|html|jsx|tsx|markup|logic|imports?|sections|rules|handlers|hooks|definitions|lines|parts?)\b` +
		`|\b(?:existing|previous|original|unchanged) (?:\w+ )?(?:codes?|implementations?|contents?|logic|markup|jsx|tsx|html|css|imports?|functions?|methods?|styles?|rules|handlers?|hooks?)\b` +
		`|\b(?:unchanged|unmodified)$` +
		`|\b(?:stays?|remains?|keep|kept|is|are|exactly)(?: exactly)?(?: the)? (?:same|unchanged|unmodified)\b` +
		`|\b(?:as|like) (?:it was |they were |in the )?(?:before|original)$` +
		`|\b(?:for|due to) brevity\b` +
		`|\bno (?:other |further )?changes? (?:needed|required|made|here|below|above|to)\b` +
		`|\b(?:code|implementation|contents?|file|component|page) (?:continues|remains|stays)\b`)
	// vagueOmission counts only if the remark says nothing else.
	vagueOmission = regexp.MustCompile(`^(?:the |all )?(?:rest|remainder|remaining|others?|everything|everything else)(?: is| are| of it| stays| remains)*(?: the)?(?: same| unchanged| here| omitted)$` +
		`|^(?:unmodified|elided|snip|snipped|omitted|code omitted|content omitted)$`)
)

var (
	vagueWords = setOf(`rest remaining remainder existing previous other others more same unchanged omitted continue continued continues etc original
		remains stays truncated snip snipped skipped elided`)
	remarkWords = setOf(`the this that your my our its it they was were is are be been a an of in on for from with to as and or all any every everything
		else other others another code codes file files component components function functions method methods implementation implementations content contents
		style styles styling css html jsx tsx json markup page logic class classes import imports export exports template body module script document section
		sections rule rules item items data config configuration type types interface interfaces handler handlers hook hooks state variable variables constant constants
		definition definitions declaration declarations route routes test tests line lines part parts block blocks element elements property properties prop props
		field fields key keys selector selectors card cards entry entries case cases option options row rows value values step steps link links
		below above here there goes go stay stays remain remains remaining unchanged unmodified untouched same existing previous previously original originally old current
		rest remainder before omitted brevity truncated elided skipped snipped snip cut continue continues continued left out not shown no change changes changed needed required
		made further keep kept leave insert include put add copy paste etc stuff things more already just exactly identical like similar would will should can have has had
		you i we now so on still do does don't modify up down until end ends start begin file's component's due`)
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
