package splice

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
	"github.com/atelierhq/atelier/ports/markup"
)

// classList is a computed list of classes: a call such as cn("p-4", wide && "p-8"), or a
// template.
type classList struct {
	// parts are the texts that always count: strings that are arguments of the call, or
	// what is outside of a template's holes.
	parts []part
	// others are the texts that count at times.
	others []string
	// begins are the beginnings of classes whose ends are computed.
	begins []string
}

// part is a text in the source.
type part struct {
	at    span
	text  string
	quote byte
	// followed means that a hole comes after the text.
	followed bool
}

// classes edits the parts of a computed list. It refuses a change that other parts of the
// expression can undo.
func (jsxSource) classes(t *tree, e *element, changes []tailwindclass.Change) ([]markup.Edit, error) {
	list, found := scanClasses(t.text, e.attribute("class").value)
	if !found || len(list.parts) == 0 {
		return nil, notFound("the classes of <%s> are computed", e.tag)
	}
	for _, one := range changes {
		if err := list.write(e, one); err != nil {
			return nil, err
		}
	}
	var edits []markup.Edit
	for _, p := range list.parts {
		edits = append(edits, p.at.with(p.text))
	}
	return edits, nil
}

// write makes a change in the first part with a class that it replaces, else in the first
// part.
func (l *classList) write(e *element, one tailwindclass.Change) error {
	class, ok := one.Class()
	if !ok {
		return unwritable(one)
	}
	if slices.ContainsFunc(l.others, func(text string) bool { return len(one.Replaced(text)) > 0 }) || slices.ContainsFunc(l.begins, one.Touches) {
		return notFound("the classes of <%s> for %s depend on a condition", e.tag, one.Property)
	}
	into := slices.IndexFunc(l.parts, func(p part) bool { return len(one.Replaced(p.text)) > 0 })
	for i := range l.parts {
		p, wanted := &l.parts[i], one
		if i != max(into, 0) {
			wanted.Value = ""
		} else if strings.IndexByte(class, p.quote) >= 0 {
			return unwritable(one)
		}
		written, _ := tailwindclass.Write(p.text, wanted)
		if p.followed && strings.TrimSpace(p.text) == "" && written != p.text {
			written = strings.TrimSpace(written) + " "
		}
		p.text = written
	}
	return nil
}

// scanClasses parses an attribute's value that is a call or a template.
func scanClasses(text string, value span) (classList, bool) {
	s := &jsxScan{text: text[:value.end], at: value.start, tree: &tree{}}
	if !s.take("{") {
		return classList{}, false
	}
	s.blank()
	var list classList
	var whole bool
	if strings.HasPrefix(s.rest(), "`") {
		whole = s.classTemplate(&list)
	} else {
		whole = s.classCall(&list)
	}
	closed := s.take("}")
	return list, whole && closed && !s.lost && s.at == len(s.text)
}

// classCall reads a call's arguments.
func (s *jsxScan) classCall(list *classList) bool {
	begin := s.at
	for s.at < len(s.text) && (isWord(rune(s.text[s.at])) || s.text[s.at] == '.') {
		s.at++
	}
	if s.at == begin || !s.take("(") {
		return false
	}
	for !s.lost {
		if s.take(")") {
			return true
		}
		s.blank()
		start := s.at
		s.code(",)", -1)
		argument := s.text[start:max(start, s.solid)]
		if _, literal := literalText(argument); literal && strings.IndexByte("\"'`", argument[0]) >= 0 {
			at := span{start + 1, s.solid - 1}
			if strings.Contains(at.in(s.text), `\`) {
				return false
			}
			list.parts = append(list.parts, part{at: at, text: at.in(s.text), quote: argument[0]})
		} else {
			list.note(argument)
		}
		if !s.take(",") && !strings.HasPrefix(s.rest(), ")") {
			return false
		}
	}
	return false
}

// classTemplate reads a template. A class that a hole completes is no part.
func (s *jsxScan) classTemplate(list *classList) bool {
	s.at++
	for begin, attached := s.at, false; s.at < len(s.text); {
		isHole := strings.HasPrefix(s.rest(), "${")
		switch {
		case s.text[s.at] == '\\':
			return false
		case !isHole && s.text[s.at] != '`':
			s.at++
			continue
		}
		list.addPart(s.text, span{begin, s.at}, attached, isHole)
		if s.at++; !isHole {
			return true
		}
		s.at++
		start := s.at
		s.code("}", -1)
		list.note(s.text[start:min(s.at, len(s.text))])
		s.at = min(s.at+1, len(s.text))
		begin, attached = s.at, true
	}
	return false
}

// addPart adds the text between two holes, without the words that belong to the holes.
func (l *classList) addPart(text string, at span, afterHole, beforeHole bool) {
	inner := at.in(text)
	if afterHole {
		at.start += len(inner) - len(strings.TrimLeftFunc(inner, isNoBlank))
	}
	if inner = at.in(text); beforeHole {
		body := strings.TrimRightFunc(inner, isNoBlank)
		if begin := inner[len(body):]; begin != "" {
			l.begins = append(l.begins, begin)
		}
		at.end = at.start + len(body)
	}
	if afterHole && strings.TrimSpace(at.in(text)) == "" {
		return
	}
	l.parts = append(l.parts, part{at: at, text: at.in(text), quote: '`', followed: beforeHole})
}

func isNoBlank(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) }

// note remembers the strings in an expression.
func (l *classList) note(expression string) {
	s := &jsxScan{text: expression, tree: &tree{}, note: func(text string) { l.others = append(l.others, text) }}
	s.code("", -1)
}
