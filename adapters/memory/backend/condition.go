package backend

import (
	"math"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// condition is a filter that is ready to be asked about records of one collection. A path
// through relations is a join, as in SQL: the condition is true if it is true for one way to
// choose a record for each of its joins.
type condition struct {
	state *state
	root  filter.Node
	joins []*join
	terms map[*filter.Comparison]term
	// rows are the chosen records while the condition is asked.
	rows  []cell
	steps int
}

// term is a comparison with its operands.
type term struct{ left, right operand }

// operand is one side of a comparison.
type operand struct {
	// value returns the value for the chosen records, all those for every choice. all is nil if
	// there is one only.
	value func() any
	all   func() []any
	// exact means that null is not the empty text, as in JSON.
	exact bool
	// visible, if any, has to be true for the comparison to be.
	visible func() bool
}

// cell is a record that a join has chosen, or a value of a list; the zero value is neither.
type cell struct {
	row
	value any
}

// maxSteps bounds the work of a filter on one record.
const maxSteps = 200_000

// holds reports whether the condition is true for a record. It returns an error with
// core.CodeValidationFailed if that is too much work.
func (c *condition) holds(r row) (bool, error) {
	c.rows = make([]cell, len(c.joins)+1)
	c.rows[0] = cell{row: r}
	c.steps = 0
	found := c.choose(0)
	if c.steps > maxSteps {
		return false, core.Errorf(core.CodeValidationFailed, "the filter takes too long")
	}
	return found, nil
}

// choose tries the records of the joins from at on.
func (c *condition) choose(at int) bool {
	if c.steps++; c.steps > maxSteps {
		return false
	}
	if at == len(c.joins) {
		return c.isTrue(c.root)
	}
	cells := c.joins[at].cells(c, c.rows[c.joins[at].parent])
	if len(cells) == 0 {
		cells = []cell{{}}
	}
	for _, one := range cells {
		c.rows[at+1] = one
		if c.joins[at].admits(one) && c.choose(at+1) {
			return true
		}
	}
	return false
}

func (c *condition) isTrue(node filter.Node) bool {
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
func (c *condition) compare(node *filter.Comparison, t term) bool {
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
		return (compare(left, right) == 0) == (op == filter.Equal)
	}
	if left == nil || right == nil {
		return false
	}
	order := compare(left, right)
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
		return like(textOf(left), wildcard(textOf(right)))
	case filter.NotLike:
		return !like(textOf(left), wildcard(textOf(right)))
	}
	return false
}

func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}

// geoDistance returns the kilometres between two places.
func geoDistance(arguments []operand) any {
	var at [4]float64
	for i, argument := range arguments {
		at[i], _ = numberOf(argument.value()).(float64)
		at[i] *= math.Pi / 180
	}
	lonA, latA, lonB, latB := at[0], at[1], at[2], at[3]
	cosine := math.Cos(latA)*math.Cos(latB)*math.Cos(lonB-lonA) + math.Sin(latA)*math.Sin(latB)
	return 6371 * math.Acos(min(max(cosine, -1), 1))
}

// join chooses records, or values of a list, for a part of a path.
type join struct {
	// name tells joins apart; paths that begin alike share theirs.
	name string
	// parent is the place in the condition's rows from which the join goes on.
	parent int
	// cells returns what there is to choose.
	cells func(c *condition, from cell) []cell
	// target is the collection of the records, nil for values.
	target *collection
	// rule is the list rule of the target, which a stranger's filter must not see behind.
	rule *condition
	// many means that there may be more than one.
	many bool
}

// admits reports whether a record may be chosen: none, or one that the rule shows.
func (j *join) admits(one cell) bool {
	if j.rule == nil || one.record == nil {
		return true
	}
	shown, err := j.rule.holds(one.row)
	return shown && err == nil
}

// chain returns the joins that lead to a place in the rows, the first first.
func (c *condition) chain(place int) []*join {
	var chain []*join
	for place > 0 {
		chain = append(chain, c.joins[place-1])
		place = c.joins[place-1].parent
	}
	slices.Reverse(chain)
	return chain
}

// every returns all cells at a place, whatever is chosen, and the zero cell if there is none.
func (c *condition) every(place int) []cell {
	cells := []cell{c.rows[0]}
	for _, j := range c.chain(place) {
		var next []cell
		for _, from := range cells {
			next = append(next, j.cells(c, from)...)
		}
		if c.steps += len(next); c.steps > maxSteps {
			return []cell{{}}
		}
		cells = next
	}
	if len(cells) == 0 {
		return []cell{{}}
	}
	return cells
}

// modified applies a modifier to a value.
func modified(value any, modifier string) any {
	switch modifier {
	case "lower":
		return strings.ToLower(textOf(value))
	case "length":
		return float64(len(textsOf(value)))
	}
	return plain(value)
}
