package browsing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

const (
	// patience is how long a step waits for its element, and an expectation to come true.
	patience = 5 * time.Second
	// lookAgain bounds the wait for a change that the browser may miss.
	lookAgain = 500 * time.Millisecond
	// maxTrail is how many steps are remembered. A check has fewer.
	maxTrail = 2 * core.MaxCheckSteps
)

// Perform performs a step, or waits until its expectation is met. It returns
// core.CodeValidationFailed with the reason if the step is impossible or the expectation is not
// met. Other errors are those of browser.Browser.Open.
func (p *Page) Perform(ctx context.Context, step core.CheckStep) error {
	return p.use(ctx, func(tab browser.Tab) error {
		lasting, err := p.perform(ctx, tab, step)
		if err == nil && len(p.trail) < maxTrail {
			p.trail = append(p.trail, lasting)
		}
		return err
	})
}

// perform performs a step, and returns it without a reference.
func (p *Page) perform(ctx context.Context, tab browser.Tab, step core.CheckStep) (core.CheckStep, error) {
	if step.Target != nil && step.Target.Ref != "" {
		target, err := p.named(ctx, tab, step.Target.Ref)
		if err != nil {
			return step, err
		}
		target.Ref, step.Target = step.Target.Ref, &target
	}
	var err error
	if step.Expect != "" {
		err = p.expect(ctx, tab, step)
	} else {
		err = p.act(ctx, tab, step)
	}
	if step.Target != nil {
		target := *step.Target
		target.Ref = ""
		step.Target = &target
	}
	return step, err
}

// named returns the role and the name of the element that a reference names.
func (p *Page) named(ctx context.Context, tab browser.Tab, ref string) (core.CheckTarget, error) {
	for fresh := range 2 {
		if fresh > 0 {
			if _, err := p.snapshot(ctx, tab); err != nil {
				return core.CheckTarget{}, err
			}
		}
		for _, node := range p.seen.Nodes {
			if string(node.Ref) != ref || ref == "" {
				continue
			}
			target := core.CheckTarget{Role: string(node.Role), Name: node.Name}
			if all := fitting(p.seen, target); len(all) > 1 {
				for i, other := range all {
					if other.Ref == node.Ref {
						target.Nth = i + 1
					}
				}
			}
			return target, nil
		}
	}
	return core.CheckTarget{}, core.Errorf(core.CodeValidationFailed, "there is no element %s: look at the page again", strconv.Quote(core.Shorten(ref, 40)))
}

// act does what a person would.
func (p *Page) act(ctx context.Context, tab browser.Tab, step core.CheckStep) error {
	done := browser.Step{Do: browser.Verb(step.Do), Value: step.Value}
	if step.Target == nil {
		return tab.Do(ctx, done)
	}
	done.Ref = browser.Ref(step.Target.Ref)
	if done.Ref == "" {
		node, err := p.find(ctx, tab, *step.Target)
		if err != nil {
			return err
		}
		done.Ref = node.Ref
	}
	err := tab.Do(ctx, done)
	var refusal *core.Error
	if errors.As(err, &refusal) && refusal.Code == core.CodeValidationFailed {
		// The browser knows the element by its reference only.
		said := strings.ReplaceAll(refusal.Message, "element "+strconv.Quote(string(done.Ref)), describeTarget(*step.Target))
		return core.Errorf(core.CodeValidationFailed, "%s", said)
	}
	return err
}

// find waits for the one element that fits a target.
func (p *Page) find(ctx context.Context, tab browser.Tab, target core.CheckTarget) (browser.Node, error) {
	var fit []browser.Node
	found, err := p.until(ctx, tab, func(seen browser.Snapshot) bool {
		fit = fitting(seen, target)
		return len(fit) >= max(1, target.Nth)
	})
	switch {
	case err != nil:
		return browser.Node{}, err
	case !found && len(fit) > 0:
		return browser.Node{}, core.Errorf(core.CodeValidationFailed, "there are only %d elements like %s", len(fit), describeTarget(target))
	case !found:
		return browser.Node{}, core.Errorf(core.CodeValidationFailed, "there is no %s%s", describeTarget(target), alike(p.seen, target))
	case target.Nth == 0 && len(fit) > 1:
		return browser.Node{}, core.Errorf(core.CodeValidationFailed, "there are %d elements like %s: say which one with nth, or use its reference", len(fit), describeTarget(target))
	}
	return fit[max(0, target.Nth-1)], nil
}

// until looks at the page until it is as wanted, at most for patience, and reports whether it is.
func (p *Page) until(ctx context.Context, tab browser.Tab, wanted func(browser.Snapshot) bool) (bool, error) {
	for end := time.Now().Add(patience); ; {
		seen, err := p.snapshot(ctx, tab)
		if err != nil || wanted(seen) {
			return err == nil, err
		}
		began := time.Now()
		within := min(lookAgain, end.Sub(began))
		if within <= 0 {
			return false, nil
		}
		changed, err := tab.Await(ctx, within)
		if err != nil {
			return false, err
		}
		if !changed && time.Since(began) < within {
			// Nothing can change this page any more.
			return false, nil
		}
	}
}

// fitting returns the elements that fit a target.
func fitting(seen browser.Snapshot, target core.CheckTarget) []browser.Node {
	var fit []browser.Node
	for _, node := range seen.Nodes {
		if strings.EqualFold(string(node.Role), target.Role) && isNamed(node.Name, target.Name) && isIn(node.States, target.State) {
			fit = append(fit, node)
		}
	}
	return fit
}

// isIn reports whether an element has a state, if one is wanted.
func isIn(states []browser.State, wanted string) bool {
	return wanted == "" || slices.Contains(states, browser.State(wanted))
}

// isNamed reports whether an element has a name, where case and space do not matter. What ends
// with an ellipsis was shortened by a View.
func isNamed(name, wanted string) bool {
	name, wanted = plain(name), plain(wanted)
	if start, cut := strings.CutSuffix(wanted, "…"); cut && strings.HasPrefix(name, start) {
		return true
	}
	return wanted == "" || name == wanted
}

func plain(text string) string { return strings.ToLower(oneLine(text)) }

// maxAlike is how many other names a message lists.
const maxAlike = 5

// alike lists what the page has of a target's role.
func alike(seen browser.Snapshot, target core.CheckTarget) string {
	var names []string
	for _, node := range fitting(seen, core.CheckTarget{Role: target.Role}) {
		if node.Name != "" && len(names) < maxAlike {
			names = appendNew(names, quoted(node.Name))
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("; the page has no %s", target.Role)
	}
	return fmt.Sprintf("; the page has the %s %s", target.Role, strings.Join(names, ", "))
}

func describeTarget(target core.CheckTarget) string {
	text := target.Role
	if target.Name != "" {
		text += " " + quoted(target.Name)
	}
	if target.State != "" {
		text += " that is " + target.State
	}
	if target.Nth > 0 {
		text += fmt.Sprintf(" (number %d)", target.Nth)
	}
	return text
}
