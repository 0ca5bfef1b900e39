package splice

import (
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// arrangeElements carries out patches with an action. All of them must have one.
func arrangeElements(ctx context.Context, lang source, name, text string, patches []markup.Patch) ([]markup.Edit, error) {
	t, err := lang.parse(name, text)
	if err != nil {
		return nil, err
	}
	t.number(name)
	find := search{tree: t, folded: lang.folded(), known: make(map[string]*element)}
	a := arrangement{tree: t, tags: make(map[string]int)}
	for i := range t.elements {
		a.tags[t.elements[i].tag]++
	}
	for _, patch := range patches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.add(&find, patch); err != nil {
			return nil, err
		}
	}
	edits, err := ordered(text, a.withoutNested())
	if err != nil {
		return nil, err
	}
	after, err := lang.parse(name, string(markup.Splice([]byte(text), edits)))
	if core.IsCode(err, core.CodeBuildFailed) || core.IsCode(err, core.CodeUnsupportedFile) {
		return nil, errChanged()
	}
	if err != nil {
		return nil, err
	}
	for i := range after.elements {
		a.tags[after.elements[i].tag]--
	}
	for _, missing := range a.tags {
		if missing != 0 {
			return nil, errChanged()
		}
	}
	return edits, nil
}

// arrangement collects edits. tags counts the elements that the result must have.
type arrangement struct {
	tree    *tree
	edits   []markup.Edit
	deleted []*element
	tags    map[string]int
}

func (a *arrangement) add(find *search, patch markup.Patch) error {
	if patch.Property != "" || patch.Value != "" || patch.As != "" || patch.Variant != "" || patch.Shown != "" {
		return invalid("a patch with an action must have a selector and no other member than target")
	}
	e, err := movable(find, patch.Selector)
	if err != nil {
		return err
	}
	other := e
	if patch.Target != "" {
		if other, err = movable(find, patch.Target); err != nil {
			return err
		}
		if other.list != e.list {
			return core.Errorf(core.CodeSelectorNotFound, "<%s> and <%s> are not in the same element, so they cannot change places", e.tag, other.tag)
		}
	}
	switch patch.Action {
	case markup.ActionDelete:
		if !slices.Contains(a.deleted, e) {
			a.deleted = append(a.deleted, e)
		}
	case markup.ActionDuplicate:
		a.duplicate(e)
	case markup.ActionWrap:
		return a.wrap(e, other)
	case markup.ActionBefore, markup.ActionAfter:
		if patch.Target == "" {
			return invalid("target must select the element to move to")
		}
		if other != e {
			a.move(e, other, patch.Action == markup.ActionAfter)
		}
	default:
		return invalid("%.80q is not an action", patch.Action)
	}
	return nil
}

// movable returns the element that a selector matches, if it is a plain child of another.
func movable(find *search, selector string) (*element, error) {
	e, err := find.find(selector)
	if err != nil {
		return nil, err
	}
	switch {
	case e == nil:
		return nil, notFound("no element that can be patched matches %q", selector)
	case e.list != 0:
		return e, nil
	case e.looped:
		return nil, because(core.ReasonLoop, core.Errorf(core.CodeSelectorNotFound, "<%s> comes from a loop, which repeats it for each item", e.tag))
	case e.parent < 0:
		return nil, because(core.ReasonWhole, core.Errorf(core.CodeSelectorNotFound, "<%s> is all that its component or page shows", e.tag))
	}
	return nil, because(core.ReasonExpression, core.Errorf(core.CodeSelectorNotFound, "<%s> comes from an expression in the code", e.tag))
}

func because(reason core.Reason, err *core.Error) error {
	err.Reason = reason
	return err
}

func (e *element) outer() span { return span{e.at, e.end} }

// withoutNested returns the edits, with those that delete elements, except for elements inside
// of deleted ones.
func (a *arrangement) withoutNested() []markup.Edit {
	for _, e := range a.deleted {
		isInside := func(other *element) bool { return other.at < e.at && e.end <= other.end }
		if slices.ContainsFunc(a.deleted, isInside) {
			continue
		}
		a.count(e, -1)
		a.edits = append(a.edits, lines(a.tree.text, e.outer()).with(""))
	}
	return a.edits
}

// count adds the elements of e to the expected ones.
func (a *arrangement) count(e *element, by int) {
	for i := range a.tree.elements {
		if inner := &a.tree.elements[i]; inner.at >= e.at && inner.at < e.end {
			a.tags[inner.tag] += by
		}
	}
}

// duplicate inserts a copy after an element. Ids and keys are unique, so the copy has none.
func (a *arrangement) duplicate(e *element) {
	var edits []markup.Edit
	for i := range a.tree.elements {
		inner := &a.tree.elements[i]
		if inner.at < e.at || inner.at >= e.end {
			continue
		}
		for _, name := range []string{"id", "key"} {
			if have := inner.attribute(name); have != nil {
				cut := inner.without(a.tree.text, have)
				edits = append(edits, markup.Edit{Start: cut.Start - e.at, End: cut.End - e.at})
			}
		}
	}
	body := string(markup.Splice([]byte(e.outer().in(a.tree.text)), inOrder(edits)))
	a.count(e, 1)
	a.edits = append(a.edits, insertion(e.end, a.joint(e)+body))
}

// joint returns what stands between an element and one after it: a line break if it begins its
// line, otherwise nothing.
func (a *arrangement) joint(e *element) string {
	if indent, alone := indentAt(a.tree.text, e.at); alone && strings.Contains(a.tree.text[:e.at], "\n") {
		return newlineOf(a.tree.text) + indent
	}
	return ""
}

func (a *arrangement) move(e, to *element, after bool) {
	body := e.outer().in(a.tree.text)
	a.edits = append(a.edits, lines(a.tree.text, e.outer()).with(""))
	if after {
		a.edits = append(a.edits, insertion(to.end, a.joint(to)+body))
	} else {
		a.edits = append(a.edits, insertion(to.at, body+a.joint(to)))
	}
}

// wrap puts the elements from first to last into a new one.
func (a *arrangement) wrap(first, last *element) error {
	if last.at < first.at {
		first, last = last, first
	}
	if bound[first.tag] || bound[last.tag] {
		return core.Errorf(core.CodeSelectorNotFound, "<%s> must stay a direct child of its parent", first.tag)
	}
	tag := "div"
	if first.parent >= 0 && phrasing[a.tree.elements[first.parent].tag] {
		tag = "span"
	}
	body := span{first.at, last.end}.in(a.tree.text)
	joint := a.joint(first)
	isExact := strings.Contains(body, "`") || strings.Contains(body, "<pre") || strings.Contains(body, "<textarea")
	if joint != "" && !isExact {
		unit := "  "
		if strings.HasSuffix(joint, "\t") {
			unit = "\t"
		}
		inner := joint + unit
		body = inner + strings.ReplaceAll(body, joint, inner) + joint
	}
	a.tags[tag]++
	a.edits = append(a.edits, span{first.at, last.end}.with("<"+tag+">"+body+"</"+tag+">"))
	return nil
}

var (
	// bound are the elements that only certain parents may contain.
	bound = words("li dt dd option optgroup tr td th thead tbody tfoot caption colgroup col source track legend summary figcaption")
	// phrasing are the elements that may contain no blocks.
	phrasing = words("p h1 h2 h3 h4 h5 h6 span a button label em strong b i small mark code")
)

// lines widens a range to whole lines if nothing else is on them.
func lines(text string, s span) span {
	indent, alone := indentAt(text, s.start)
	rest := text[s.end:]
	blank := len(rest) - len(strings.TrimLeft(rest, " \t"))
	length := len(newlineOf(text))
	if !alone || !strings.HasPrefix(rest[blank:], newlineOf(text)) {
		return s
	}
	return span{s.start - len(indent), s.end + blank + length}
}
