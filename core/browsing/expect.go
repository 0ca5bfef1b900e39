package browsing

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// expect waits until the expectation of a step is met.
func (p *Page) expect(ctx context.Context, tab browser.Tab, step core.CheckStep) error {
	came, err := p.until(ctx, tab, func(seen browser.Snapshot) bool { return holds(seen, step) })
	if err != nil || came {
		return err
	}
	return core.Errorf(core.CodeValidationFailed, "%s", unmet(p.seen, step))
}

// holds reports whether a page meets the expectation of a step.
func holds(seen browser.Snapshot, step core.CheckStep) bool {
	var target core.CheckTarget
	if step.Target != nil {
		target = *step.Target
	}
	switch step.Expect {
	case core.ExpectVisible:
		return len(fitting(seen, target)) >= max(1, target.Nth)
	case core.ExpectHidden:
		return len(fitting(seen, target)) < max(1, target.Nth)
	case core.ExpectCount:
		return step.Count != nil && len(fitting(seen, target)) == *step.Count
	case core.ExpectURL:
		return isAt(seen.URL, step.Value)
	case core.ExpectText:
		if step.Target == nil {
			return strings.Contains(plain(seen.Title+" "+textOf(seen.Nodes)), plain(step.Value))
		}
		for _, text := range textsOf(seen, target) {
			if strings.Contains(plain(text), plain(step.Value)) {
				return true
			}
		}
	}
	return false
}

// textsOf returns what is in each of the elements that fit a target.
func textsOf(seen browser.Snapshot, target core.CheckTarget) []string {
	var texts []string
	fit := fitting(seen, target)
	if target.Nth > 0 {
		fit = fit[min(target.Nth-1, len(fit)):min(target.Nth, len(fit))]
	}
	for _, one := range fit {
		for i, node := range seen.Nodes {
			if node.Ref != one.Ref {
				continue
			}
			end := i + 1
			for end < len(seen.Nodes) && seen.Nodes[end].Depth > node.Depth {
				end++
			}
			texts = append(texts, textOf(seen.Nodes[i:end]))
		}
	}
	return texts
}

// textOf returns the names and values of elements.
func textOf(nodes []browser.Node) string {
	var parts []string
	for _, node := range nodes {
		parts = append(parts, node.Name, node.Value)
	}
	return strings.Join(parts, " ")
}

// isAt compares an address with a wanted one, whose query and fragment count if it has them.
func isAt(address, wanted string) bool {
	at, err := url.Parse(address)
	want, err2 := url.Parse(wanted)
	if err != nil || err2 != nil || at.Path != want.Path {
		return false
	}
	return (want.RawQuery == "" || at.Query().Encode() == want.Query().Encode()) && (want.Fragment == "" || at.Fragment == want.Fragment)
}

// unmet says what was expected, and what the page shows instead.
func unmet(seen browser.Snapshot, step core.CheckStep) string {
	var target core.CheckTarget
	if step.Target != nil {
		target = *step.Target
	}
	what, fit := describeTarget(target), fitting(seen, target)
	switch step.Expect {
	case core.ExpectVisible:
		return "expected " + what + " to be visible, but there is none" + alike(seen, target)
	case core.ExpectHidden:
		return "expected no " + what + ", but there is one"
	case core.ExpectCount:
		return "expected " + strconv.Itoa(*step.Count) + " of " + what + ", but there are " + strconv.Itoa(len(fit))
	case core.ExpectURL:
		return "expected the address " + quoted(step.Value) + ", but it is " + quoted(seen.URL)
	}
	if step.Target == nil {
		return "expected the text " + quoted(step.Value) + ", but it is nowhere on the page"
	}
	if len(fit) == 0 {
		return "expected the text " + quoted(step.Value) + " in " + what + ", but there is none" + alike(seen, target)
	}
	return "expected the text " + quoted(step.Value) + " in " + what + ", but it has " + quoted(strings.Join(textsOf(seen, target), " "))
}
