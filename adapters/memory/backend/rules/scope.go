package rules

import (
	"math/rand/v2"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// Request is what @request means in a filter.
type Request struct {
	// Context says for what a rule is asked, such as expand or realtime.
	Context, Method string
	Query, Headers  map[string]string
	Body            map[string]any
	// Auth is the user who asks, if any.
	Auth records.Row
}

// Scope is what the names in a filter mean.
type Scope struct {
	State *records.State
	// Base is the collection whose records the filter is about.
	Base *records.Collection
	// Request is nil where a filter is only checked.
	Request *Request
	// Trusted filters are rules and those of members: they may use hidden fields, and relations
	// whatever their list rules say.
	Trusted bool
}

// Compile makes the condition of a filter. An error has code core.CodeValidationFailed.
func (s Scope) Compile(text string) (*Condition, error) {
	root, err := filter.Parse(text)
	if err != nil {
		return nil, err
	}
	k := newCompiler(s)
	k.made.root = root
	return k.made, k.bind(root)
}

// SortKey returns a function for what records are sorted by: the value of a field or of a path,
// @random, or with @rowid the order of their creation.
func (s Scope) SortKey(name string) (func(records.Row) any, error) {
	switch name {
	case "@random":
		return func(records.Row) any { return rand.Float64() }, nil
	case "@rowid":
		return func(one records.Row) any { return float64(one.Number) }, nil
	}
	if strings.HasPrefix(name, "@") {
		return nil, unknown(name)
	}
	k := newCompiler(s)
	path, modifier, _ := strings.Cut(name, ":")
	found, err := k.name(strings.Split(path, "."), modifier)
	if err != nil {
		return nil, err
	}
	if found.visible != nil {
		return nil, core.Errorf(core.CodeValidationFailed, "records cannot be sorted by %q, because users may hide it", name)
	}
	return func(one records.Row) any {
		k.made.chooseFirst(one)
		return found.value()
	}, nil
}

// Check returns a *Problem for the first rule of a state that cannot be read.
func Check(state *records.State) error {
	for _, c := range state.Collections {
		for _, rule := range rulesOf(c) {
			if rule.text == nil || *rule.text == "" {
				continue
			}
			if _, err := (Scope{State: state, Base: c, Trusted: true}).Compile(*rule.text); err != nil {
				return &port.Problem{Collection: c.Name, Member: rule.member, Message: records.Sentence(err)}
			}
		}
	}
	return nil
}

// namedRule is a rule and the member of PocketBase's export that it is.
type namedRule struct {
	member string
	text   *string
}

// rulesOf returns the rules of a collection.
func rulesOf(c *records.Collection) []namedRule {
	rules := []namedRule{
		{"listRule", c.Rules.List}, {"viewRule", c.Rules.View}, {"createRule", c.Rules.Create},
		{"updateRule", c.Rules.Update}, {"deleteRule", c.Rules.Delete},
	}
	if c.Type == port.Auth {
		rules = append(rules, namedRule{"authRule", c.Auth.AuthRule}, namedRule{"manageRule", c.Auth.ManageRule})
	}
	return rules
}

// unknown is the error of a name that means nothing.
func unknown(name string) error {
	return core.Errorf(core.CodeValidationFailed, "unknown field %q", name)
}
