package attack

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/backend/filter"
)

// ruleText is the text of a rule, "" for none.
func ruleText(rule *string) string {
	if rule == nil {
		return ""
	}
	return *rule
}

// comparisons returns those of a rule, none for one that cannot be read.
func comparisons(rule *string) []*filter.Comparison {
	node, err := filter.Parse(ruleText(rule))
	if err != nil {
		return nil
	}
	var found []*filter.Comparison
	var walk func(node filter.Node)
	walk = func(node filter.Node) {
		switch node := node.(type) {
		case *filter.Join:
			for _, part := range node.Parts {
				walk(part)
			}
		case *filter.Comparison:
			found = append(found, node)
		}
	}
	walk(node)
	return found
}

// constant returns the value of an operand that does not depend on anything.
func constant(o filter.Operand) (any, bool) {
	switch {
	case o.Kind == filter.Text:
		return o.Text, true
	case o.Kind == filter.Number:
		return o.Number, true
	case o.Kind == filter.Name && (o.Text == "true" || o.Text == "false"):
		return o.Text == "true", true
	}
	return nil, false
}

// wish is a rule's demand on a request's body.
type wish struct {
	values map[string]any
	absent []string
}

// wishOf reads what a rule asks of the body: @request.body.status = 'open',
// @request.body.role:isset = false.
func wishOf(rule *string) wish {
	asked := wish{values: make(map[string]any)}
	for _, c := range comparisons(rule) {
		for _, pair := range [][2]filter.Operand{{c.Left, c.Right}, {c.Right, c.Left}} {
			name, ok := strings.CutPrefix(pair[0].Text, "@request.body.")
			if pair[0].Kind != filter.Name || !ok {
				continue
			}
			value, ok := constant(pair[1])
			name, modifier, _ := strings.Cut(name, ":")
			switch {
			case !ok:
			case modifier == "isset" && value == false:
				asked.absent = append(asked.absent, name)
			case modifier == "" && c.Op == filter.Equal:
				asked.values[name] = value
			}
		}
	}
	return asked
}

// escalation is a value of the own account on which a rule depends.
type escalation struct {
	field string
	value any
}

// climbings returns what rules ask of the caller's account: @request.auth.role = 'admin',
// or team = @request.auth.team, for which the value is that of the victim's record.
func (r *run) climbings(home *target) []escalation {
	var found []escalation
	for _, t := range r.targets {
		for _, rule := range []*string{t.Rules.List, t.Rules.View, t.Rules.Create, t.Rules.Update, t.Rules.Delete} {
			for _, c := range comparisons(rule) {
				if c.Op == filter.NotEqual || c.Op == filter.NotLike {
					continue
				}
				for _, pair := range [][2]filter.Operand{{c.Left, c.Right}, {c.Right, c.Left}} {
					if one, ok := r.climbingOf(home, t, pair[0], pair[1], c.Op); ok && !slices.ContainsFunc(found, func(other escalation) bool { return sameValue(other.value, one.value) && other.field == one.field }) {
						found = append(found, one)
					}
				}
			}
		}
	}
	return found
}

func (r *run) climbingOf(home, t *target, account, other filter.Operand, op filter.Operator) (escalation, bool) {
	path, ok := strings.CutPrefix(account.Text, "@request.auth.")
	if account.Kind != filter.Name || !ok {
		return escalation{}, false
	}
	name, _, _ := strings.Cut(path, ":")
	name, _, _ = strings.Cut(name, ".")
	at := slices.IndexFunc(home.fields, func(f field) bool { return f.Name == name })
	if at < 0 || name == "email" || name == "verified" || name == "emailVisibility" {
		return escalation{}, false
	}
	f := home.fields[at]
	value, ok := constant(other)
	if number, is := value.(float64); is && (op == filter.Greater || op == filter.GreaterOrEqual) {
		value = number + 1
	}
	if !ok && f.Type == "relation" {
		value, ok = r.related(f, 0), true
	}
	if !ok && len(t.planted) > 0 {
		value = t.planted[0].values[other.Text]
	}
	if isEmpty(value) {
		return escalation{}, false
	}
	if _, isList := value.([]string); f.many() && !isList {
		value = []any{value}
	}
	return escalation{name, value}, true
}
