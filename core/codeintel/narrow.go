package codeintel

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

// maxItems is how many completions an answer has.
const maxItems = 300

// narrow leaves as many completions as people can use: if there are more than maxItems, those that
// fit what is typed already, the best fit first.
func narrow(found languageserver.Completions, at languageserver.Place) Completions {
	made := Completions{Column: found.Column, Items: []languageserver.Completion{}, Truncated: found.Truncated}
	if len(found.Items) <= maxItems {
		made.Items = append(made.Items, found.Items...)
		return made
	}
	made.Truncated = true
	typed := typedAt(at, found.Column)
	type candidate struct {
		item languageserver.Completion
		rank int
	}
	var fitting []candidate
	for _, item := range found.Items {
		if rank := fit(item.Label, typed); rank >= 0 {
			fitting = append(fitting, candidate{item, rank})
		}
	}
	slices.SortStableFunc(fitting, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, one := range fitting[:min(len(fitting), maxItems)] {
		made.Items = append(made.Items, one.item)
	}
	return made
}

// typedAt returns what is between a column of the place's line and the place.
func typedAt(at languageserver.Place, from int) string {
	lines := strings.Split(at.Text, "\n")
	line := utf16.Encode([]rune(lines[min(max(1, at.Line), len(lines))-1]))
	end := min(max(0, at.Column-1), len(line))
	return string(utf16.Decode(line[min(max(0, from-1), end):end]))
}

// fit says how well a label fits what is typed: 0 if it begins with it, 1 if it does in other
// letters' case, 2 if it has the letters in this order, -1 if it does not fit.
func fit(label, typed string) int {
	if strings.HasPrefix(label, typed) {
		return 0
	}
	lower, wanted := strings.ToLower(label), strings.ToLower(typed)
	if strings.HasPrefix(lower, wanted) {
		return 1
	}
	for _, letter := range wanted {
		_, after, found := strings.Cut(lower, string(letter))
		if !found {
			return -1
		}
		lower = after
	}
	return 2
}

// withoutParameters leaves out that parameters of functions of the backend have no types: the
// service calls them with what it documents (ports/typecheck).
func withoutParameters(file core.ProjectPath, found []languageserver.Finding) []languageserver.Finding {
	if !strings.HasPrefix(file.String(), core.FunctionsDir+"/") {
		return found
	}
	const implicitAny, implicitAnyMember = 7006, 7031
	return slices.DeleteFunc(found, func(one languageserver.Finding) bool { return one.Code == implicitAny || one.Code == implicitAnyMember })
}
