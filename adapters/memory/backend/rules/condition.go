package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// Condition is a filter that is ready to be asked about records of one collection. One goroutine
// at a time may ask it.
type Condition struct {
	state *records.State
	root  filter.Node
	joins []*join
	terms map[*filter.Comparison]term
	// chosen are the record and what the joins have chosen, while the condition is asked. The
	// index in it is a slot: 0 the record, i+1 the join i.
	chosen []cell
	// steps counts the work on one record.
	steps int
}

// term is a comparison with its operands.
type term struct{ left, right operand }

// operand is one side of a comparison.
type operand struct {
	// value returns the value for what is chosen, all those for every choice. all is nil if there
	// is only one choice.
	value func() any
	all   func() []any
	// exact means that null is not the empty text, as in JSON.
	exact bool
	// visible, if any, has to be true for the comparison to be.
	visible func() bool
	// hides means that the caller may not see all of several values.
	hides bool
}

// maxSteps bounds the work of a filter on one record.
const maxSteps = 200_000

// Holds reports whether the condition is true for a record. It returns an error with
// core.CodeValidationFailed if that is too much work.
func (c *Condition) Holds(r records.Row) (bool, error) {
	c.start(r)
	found := c.choose(0)
	if c.steps > maxSteps {
		return false, core.Errorf(core.CodeValidationFailed, "the filter takes too long")
	}
	return found, nil
}

// start begins with a record, for which the joins have chosen nothing.
func (c *Condition) start(r records.Row) {
	c.chosen = make([]cell, len(c.joins)+1)
	c.chosen[0] = cell{Row: r}
	c.steps = 0
}

// chooseFirst chooses the first record of every join.
func (c *Condition) chooseFirst(r records.Row) {
	c.start(r)
	for i, j := range c.joins {
		if cells := j.cells(c, c.chosen[j.parent]); len(cells) > 0 && j.admits(cells[0]) {
			c.chosen[i+1] = cells[0]
		}
	}
}

// choose tries the records of the joins from at on.
func (c *Condition) choose(at int) bool {
	if c.steps++; c.steps > maxSteps {
		return false
	}
	if at == len(c.joins) {
		return c.isTrue(c.root)
	}
	cells := c.joins[at].cells(c, c.chosen[c.joins[at].parent])
	if len(cells) == 0 {
		cells = []cell{{}}
	}
	for _, one := range cells {
		c.chosen[at+1] = one
		if c.joins[at].admits(one) && c.choose(at+1) {
			return true
		}
	}
	return false
}

// isTrue reports whether a part of the filter is true for what is chosen.
func (c *Condition) isTrue(node filter.Node) bool {
	switch node := node.(type) {
	case *filter.Join:
		if node.Any {
			return slices.ContainsFunc(node.Parts, c.isTrue)
		}
		return !slices.ContainsFunc(node.Parts, func(part filter.Node) bool { return !c.isTrue(part) })
	case *filter.Comparison:
		return c.compare(node, c.terms[node])
	}
	return false
}

// compare compares the chosen values, and without a question mark all others, too.
func (c *Condition) compare(node *filter.Comparison, t term) bool {
	exact := t.left.exact || t.right.exact
	left, right := t.left.value(), t.right.value()
	if !matches(node.Op, left, right, exact) || t.left.visible != nil && !t.left.visible() || t.right.visible != nil && !t.right.visible() {
		return false
	}
	if node.Any || t.left.all == nil && t.right.all == nil {
		return true
	}
	lefts, rights := []any{left}, []any{right}
	if t.left.all != nil {
		lefts = t.left.all()
	}
	if t.right.all != nil {
		rights = t.right.all()
	}
	c.steps += len(lefts) * len(rights)
	return c.steps <= maxSteps && !slices.ContainsFunc(lefts, func(l any) bool {
		return slices.ContainsFunc(rights, func(r any) bool { return !matches(node.Op, l, r, exact) })
	})
}

// matches compares two plain values.
func matches(op filter.Operator, left, right any, exact bool) bool {
	if op == filter.Equal || op == filter.NotEqual {
		if !exact {
			left, right = orEmpty(left), orEmpty(right)
		}
		return (values.Compare(left, right) == 0) == (op == filter.Equal)
	}
	if left == nil || right == nil {
		return false
	}
	order := values.Compare(left, right)
	switch op {
	case filter.Greater:
		return order > 0
	case filter.GreaterOrEqual:
		return order >= 0
	case filter.Less:
		return order < 0
	case filter.LessOrEqual:
		return order <= 0
	case filter.Like:
		return values.Like(values.Text(left), values.Wildcard(values.Text(right)))
	case filter.NotLike:
		return !values.Like(values.Text(left), values.Wildcard(values.Text(right)))
	}
	return false
}

// orEmpty returns null as the empty text.
func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}

// modified applies a modifier to a value.
func modified(value any, modifier string) any {
	switch modifier {
	case "lower":
		return strings.ToLower(values.Text(value))
	case "length":
		return float64(len(values.Texts(value)))
	}
	return values.Plain(value)
}

// earthRadius is in kilometres.
const earthRadius = 6371

// geoDistance returns the kilometres between two points, given as longitude and latitude each.
func geoDistance(arguments []operand) any {
	var at [4]float64
	for i, argument := range arguments {
		at[i] = values.Float(argument.value()) * math.Pi / 180
	}
	lonA, latA, lonB, latB := at[0], at[1], at[2], at[3]
	cosine := math.Cos(latA)*math.Cos(latB)*math.Cos(lonB-lonA) + math.Sin(latA)*math.Sin(latB)
	return earthRadius * math.Acos(min(max(cosine, -1), 1))
}
