package backend

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// compiler makes conditions on a collection.
type compiler struct {
	state *state
	base  *collection
	// request is what @request means, nil to check a rule.
	request *request
	// trusted filters are rules and those of members: they may use hidden fields.
	trusted bool

	made *condition
}

// maxPath bounds the relations of a path, as PocketBase does.
const maxPath = 6

func unknown(name string) error {
	return core.Errorf(core.CodeValidationFailed, "unknown field %q", name)
}

// compile makes the condition of a filter.
func (k *compiler) compile(text string) (*condition, error) {
	root, err := filter.Parse(text)
	if err != nil {
		return nil, err
	}
	k.made = &condition{state: k.state, root: root, terms: map[*filter.Comparison]term{}}
	return k.made, k.bind(root)
}

// bind finds out what the operands of a filter mean.
func (k *compiler) bind(node filter.Node) error {
	switch node := node.(type) {
	case *filter.Join:
		for _, part := range node.Parts {
			if err := k.bind(part); err != nil {
				return err
			}
		}
	case *filter.Comparison:
		left, err := k.operand(node.Left)
		if err != nil {
			return err
		}
		right, err := k.operand(node.Right)
		if err != nil {
			return err
		}
		k.made.terms[node] = term{left, right}
	}
	return nil
}

func constant(value any) operand { return operand{value: func() any { return value }} }

func (k *compiler) operand(from filter.Operand) (operand, error) {
	switch from.Kind {
	case filter.Text:
		return constant(from.Text), nil
	case filter.Number:
		return constant(from.Number), nil
	case filter.Call:
		return k.call(from)
	}
	if value, ok := macro(from.Text, time.Now().UTC()); ok {
		return constant(value), nil
	}
	names, modifier := from.Path()
	found, err := k.name(names, modifier)
	if err == nil {
		return found, nil
	}
	switch strings.ToLower(from.Text) {
	case "null":
		return constant(nil), nil
	case "true":
		return constant(1.0), nil
	case "false":
		return constant(0.0), nil
	}
	return operand{}, err
}

func (k *compiler) call(from filter.Operand) (operand, error) {
	if from.Text != "geoDistance" || len(from.Arguments) != 4 {
		return operand{}, core.Errorf(core.CodeValidationFailed, "unknown function %q with %d arguments", from.Text, len(from.Arguments))
	}
	arguments := make([]operand, 4)
	for i, argument := range from.Arguments {
		var err error
		if arguments[i], err = k.operand(argument); err != nil {
			return operand{}, err
		}
	}
	return operand{value: func() any { return geoDistance(arguments) }}, nil
}

// name finds out what a path means.
func (k *compiler) name(names []string, modifier string) (operand, error) {
	switch names[0] {
	case "@request":
		return k.requested(names, modifier)
	case "@collection":
		if len(names) < 3 {
			return operand{}, unknown(strings.Join(names, "."))
		}
		name, _, _ := strings.Cut(names[1], ":")
		target := k.state.collection(name)
		if target == nil {
			return operand{}, core.Errorf(core.CodeValidationFailed, "unknown collection %q", name)
		}
		place, err := k.join(&join{name: "@collection." + names[1], target: target, many: true, cells: func(*condition, cell) []cell { return cellsOf(k.state.rows(target)) }})
		if err != nil {
			return operand{}, err
		}
		return k.path(place, target, names[2:], modifier)
	}
	return k.path(0, k.base, names, modifier)
}

// join adds a join, or returns the place of the same one.
func (k *compiler) join(j *join) (int, error) {
	at := slices.IndexFunc(k.made.joins, func(other *join) bool { return other.name == j.name && other.parent == j.parent })
	if at >= 0 {
		return at + 1, nil
	}
	if !k.trusted && j.target != nil {
		rule := j.target.Rules.List
		if rule == nil {
			return 0, core.Errorf(core.CodeValidationFailed, "%q cannot be used in a filter", j.target.Name)
		}
		if *rule != "" {
			var err error
			if j.rule, err = (&compiler{state: k.state, base: j.target, request: k.request, trusted: true}).compile(*rule); err != nil {
				return 0, err
			}
		}
	}
	k.made.joins = append(k.made.joins, j)
	return len(k.made.joins), nil
}

func cellsOf(rows []row) []cell {
	cells := make([]cell, len(rows))
	for i, r := range rows {
		cells[i].row = r
	}
	return cells
}

// path follows a path from a record to a value.
func (k *compiler) path(place int, c *collection, names []string, modifier string) (operand, error) {
	if len(names) > maxPath+1 {
		return operand{}, core.Errorf(core.CodeValidationFailed, "the path %q is too long", strings.Join(names, "."))
	}
	f := c.byName(names[0])
	if f != nil && f.hidden && !k.trusted {
		return operand{}, core.Errorf(core.CodeValidationFailed, "%q cannot be used in a filter", f.Name)
	}
	switch {
	case len(names) == 1 && f == nil:
		return operand{}, unknown(names[0])
	case len(names) == 1:
		return k.column(place, c, f, modifier)
	case f != nil && (f.Type == "json" || f.Type == "geoPoint"):
		return k.member(place, f, names[1:]), nil
	case f != nil && f.Type == "relation":
		target := k.state.collection(f.options.CollectionID)
		if target == nil {
			return operand{}, unknown(names[0])
		}
		next, err := k.join(&join{name: f.Name, parent: place, target: target, many: f.many(), cells: func(made *condition, from cell) []cell { return related(made.state, from.row, f, target) }})
		if err != nil {
			return operand{}, err
		}
		return k.path(next, target, names[1:], modifier)
	}
	return k.back(place, c, names, modifier)
}

// related returns the records that a relation of a record names.
func related(s *state, from row, f *field, target *collection) []cell {
	if from.record == nil {
		return nil
	}
	var cells []cell
	for _, id := range textsOf(from.get(f)) {
		if r, ok := s.find(target, id); ok {
			cells = append(cells, cell{row: r})
		}
	}
	return cells
}

var backPattern = regexp.MustCompile(`^(\w+)_via_(\w+)$`)

// back follows a relation from its target to the records that name it.
func (k *compiler) back(place int, c *collection, names []string, modifier string) (operand, error) {
	target, f := k.state.backRelation(c, names[0])
	if f == nil || f.hidden && !k.trusted {
		return operand{}, unknown(names[0])
	}
	next, err := k.join(&join{name: names[0], parent: place, target: target, many: true, cells: func(made *condition, from cell) []cell {
		return cellsOf(made.state.naming(from.row, target, f))
	}})
	if err != nil {
		return operand{}, err
	}
	return k.path(next, target, names[1:], modifier)
}

// backRelation finds the relation that a name such as comments_via_post goes back.
func (s *state) backRelation(c *collection, name string) (*collection, *field) {
	parts := backPattern.FindStringSubmatch(name)
	if parts == nil {
		return nil, nil
	}
	target := s.collection(parts[1])
	if target == nil {
		return nil, nil
	}
	f := target.byName(parts[2])
	if f == nil || f.Type != "relation" || s.collection(f.options.CollectionID) != c {
		return nil, nil
	}
	return target, f
}

// naming returns the records whose relation names a record.
func (s *state) naming(to row, target *collection, f *field) []row {
	var rows []row
	if to.record == nil {
		return nil
	}
	for _, r := range s.rows(target) {
		if slices.Contains(textsOf(r.get(f)), to.id) {
			rows = append(rows, r)
		}
	}
	return rows
}

// column is a field at the end of a path.
func (k *compiler) column(place int, c *collection, f *field, modifier string) (operand, error) {
	made := k.made
	isList := f.Type == "select" || f.Type == "relation" || f.Type == "file"
	if !slices.Contains([]string{"", "lower", "each", "length"}, modifier) || (modifier == "each" || modifier == "length") && !isList {
		return operand{}, core.Errorf(core.CodeValidationFailed, "%s:%s has no meaning", f.Name, modifier)
	}
	if modifier == "each" {
		next, err := k.join(&join{name: f.Name + ":each", parent: place, many: f.many(), cells: func(_ *condition, from cell) []cell {
			return valuesOf(from.row, f)
		}})
		if err != nil {
			return operand{}, err
		}
		return k.at(next, func(one cell) any { return one.value }), nil
	}
	found := k.at(place, func(one cell) any {
		if one.record == nil {
			return nil
		}
		return modified(one.get(f), modifier)
	})
	found.exact = f.Type == "json"
	if f.Name == "email" && c.Type == port.Auth && !k.trusted {
		found.visible = func() bool {
			return made.rows[place].record != nil && made.rows[place].values["emailVisibility"] == true
		}
	}
	return found, nil
}

func valuesOf(r row, f *field) []cell {
	if r.record == nil {
		return nil
	}
	var cells []cell
	for _, text := range textsOf(r.get(f)) {
		cells = append(cells, cell{value: text})
	}
	return cells
}

// at is an operand whose value comes from what is chosen at a place.
func (k *compiler) at(place int, value func(one cell) any) operand {
	made := k.made
	found := operand{value: func() any { return value(made.rows[place]) }}
	if slices.ContainsFunc(made.chain(place), func(j *join) bool { return j.many }) {
		found.all = func() []any {
			var values []any
			for _, one := range made.every(place) {
				values = append(values, value(one))
			}
			return values
		}
	}
	return found
}

// member is a value inside of a field's JSON.
func (k *compiler) member(place int, f *field, names []string) operand {
	found := k.at(place, func(one cell) any {
		if one.record == nil {
			return nil
		}
		return plain(memberOf(one.get(f), names))
	})
	found.exact = true
	return found
}

func memberOf(value any, names []string) any {
	for _, name := range names {
		switch present := value.(type) {
		case map[string]any:
			value = present[name]
		case []any:
			index, err := strconv.Atoi(name)
			if err != nil || index < 0 || index >= len(present) {
				return nil
			}
			value = present[index]
		default:
			return nil
		}
	}
	return value
}
