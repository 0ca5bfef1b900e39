package pgschema

import (
	"slices"

	"github.com/atelierhq/atelier/core"
)

// rule is a rule of a collection. The empty one always holds.
type rule struct {
	text string
	// isOr is true if it is parts of which one must hold.
	isOr bool
}

var signedIn = rule{text: `@request.auth.id != ""`}

// and returns the rule that two hold.
func (r rule) and(other rule) rule {
	switch {
	case r.text == "" || r == other:
		return other
	case other.text == "":
		return r
	}
	return rule{text: r.grouped() + " && " + other.grouped()}
}

// or returns the rule that one of two holds.
func (r rule) or(other rule) rule {
	switch {
	case r.text == "" || other.text == "":
		return rule{}
	case r == other:
		return r
	}
	return rule{r.text + " || " + other.text, true}
}

func (r rule) grouped() string {
	if r.isOr {
		return "(" + r.text + ")"
	}
	return r.text
}

// rulesOf sets the rules of a collection by the policies of its table. A policy that has no
// equivalent opens nothing.
func (p *draft) rulesOf(of *table, into *collection) {
	if !of.secured {
		p.note(core.Phrasef("%s had no row level security: only the project's members can use it here, until it has rules", of.name))
		return
	}
	into.ListRule = p.ruleOf(of, into, "select")
	into.ViewRule = into.ListRule
	into.CreateRule = p.ruleOf(of, into, "insert")
	into.UpdateRule = p.ruleOf(of, into, "update")
	into.DeleteRule = p.ruleOf(of, into, "delete")
}

// ruleOf returns the rule for a command, nil if nobody may: one of the policies must hold, and all
// restrictive ones.
func (p *draft) ruleOf(of *table, into *collection, command string) *string {
	var open []rule
	held := rule{}
	for _, policy := range of.policies {
		if !policy.isFor(command) {
			continue
		}
		one, ok := policy.rule(command, into.Fields)
		switch {
		case !ok:
			p.untold(of.name + ": " + policy.name)
			if policy.restrictive {
				return nil
			}
		case policy.restrictive:
			held = held.and(one)
		default:
			open = append(open, one)
		}
	}
	if len(open) == 0 {
		return nil
	}
	whole := open[0]
	for _, one := range open[1:] {
		whole = whole.or(one)
	}
	text := whole.and(held).text
	return &text
}

func (p *draft) untold(policy string) {
	if !slices.Contains(p.policies, policy) {
		p.policies = append(p.policies, policy)
	}
}

// isFor reports whether a policy is about a command of a person.
func (p policy) isFor(command string) bool {
	return (p.command == "all" || p.command == command) && (p.isForGuests() || slices.Contains(p.roles, "authenticated"))
}

func (p policy) isForGuests() bool {
	return len(p.roles) == 0 || slices.Contains(p.roles, "public") || slices.Contains(p.roles, "anon")
}

// rule translates a policy into a rule on a command, false if it has no equivalent.
func (p policy) rule(command string, fields []field) (rule, bool) {
	condition := p.using
	if command == "insert" && p.check != nil {
		condition = p.check
	}
	reads := conditionReader{fields: fields}
	made, ok := reads.read(condition)
	if command == "update" && ok {
		// The check is about the record as it becomes, and a rule about the one that is there: what it
		// names has to stay.
		if p.check != nil {
			var after rule
			if after, ok = reads.read(p.check); after != made {
				return rule{}, false
			}
		}
		slices.Sort(reads.named)
		for _, name := range slices.Compact(reads.named) {
			made = made.and(rule{text: "@request.body." + name + ":changed = false"})
		}
	}
	if reads.asksUser || !p.isForGuests() {
		made = signedIn.and(made)
	}
	return made, ok
}
