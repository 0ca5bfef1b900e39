package sql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// levels are the operators between two values, the loosest first.
var levels = [][]string{{"or"}, {"and"}, {"=", "==", "!=", "<>", "<", "<=", ">", ">="}, {"||"}, {"+", "-"}, {"*", "/", "%"}}

// comparing is the level at which NOT, IS, IN, LIKE and BETWEEN are.
const comparing = 2

// expression reads an expression.
func (p *parser) expression() (*expression, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errorf("the query is nested too deeply")
	}
	defer func() { p.depth-- }()
	return p.level(0)
}

// level reads an expression of the operators from a level on.
func (p *parser) level(at int) (*expression, error) {
	if at == len(levels) {
		return p.primary()
	}
	if at == comparing && p.take("NOT") {
		value, err := p.expressionAt(at)
		return &expression{op: "not", args: []*expression{value}}, err
	}
	left, err := p.level(at + 1)
	for err == nil {
		i := slices.IndexFunc(levels[at], func(sign string) bool { return p.take(sign) })
		if i < 0 {
			break
		}
		var right *expression
		right, err = p.level(at + 1)
		left = &expression{op: levels[at][i], args: []*expression{left, right}}
	}
	if err == nil && at == comparing {
		return p.suffix(left)
	}
	return left, err
}

// expressionAt is level for an operator that may precede itself.
func (p *parser) expressionAt(at int) (*expression, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errorf("the query is nested too deeply")
	}
	defer func() { p.depth-- }()
	return p.level(at)
}

// suffix reads IS NULL, IN, LIKE and BETWEEN after a value.
func (p *parser) suffix(left *expression) (*expression, error) {
	made := &expression{args: []*expression{left}}
	var err error
	if p.take("IS") {
		negated := p.take("NOT")
		made.op = "is null"
		return not(made, negated), p.need("NULL")
	}
	negated := p.take("NOT")
	switch {
	case p.take("LIKE"):
		var pattern *expression
		pattern, err = p.level(comparing + 1)
		made.op, made.args = "like", append(made.args, pattern)
	case p.take("BETWEEN"):
		var low, high *expression
		if low, err = p.level(comparing + 1); err == nil {
			if err = p.need("AND"); err == nil {
				high, err = p.level(comparing + 1)
			}
		}
		made.op, made.args = "between", append(made.args, low, high)
	case p.take("IN", "("):
		var list []*expression
		if list, err = p.list(); err == nil {
			err = p.need(")")
		}
		made.op, made.args = "in", append(made.args, list...)
	case negated:
		return nil, p.unexpected("LIKE, IN or BETWEEN")
	default:
		return left, nil
	}
	return not(made, negated), err
}

// not negates an expression.
func not(value *expression, negated bool) *expression {
	if !negated {
		return value
	}
	return &expression{op: "not", args: []*expression{value}}
}

// functions are what a query may call, with the fewest and the most arguments.
var functions = map[string][2]int{
	"count": {1, 1}, "sum": {1, 1}, "avg": {1, 1}, "min": {1, 1}, "max": {1, 1}, "total": {1, 1},
	"length": {1, 1}, "lower": {1, 1}, "upper": {1, 1}, "coalesce": {2, 20}, "ifnull": {2, 2}, "abs": {1, 1}, "cast": {1, 1},
}

// primary reads a value, a column, a call or an expression in parentheses.
func (p *parser) primary() (*expression, error) {
	switch {
	case p.at >= len(p.tokens):
		return nil, p.unexpected("a value")
	case p.take("("):
		value, err := p.expression()
		if err == nil {
			err = p.need(")")
		}
		return value, err
	case p.take("-"):
		value, err := p.expressionAt(len(levels))
		return &expression{op: "-", args: []*expression{{op: "value", value: 0.0}, value}}, err
	case p.take("NULL"):
		return &expression{op: "value"}, nil
	}
	token := p.tokens[p.at]
	if token[0] == '\'' {
		p.at++
		return &expression{op: "value", value: strings.ReplaceAll(token[1:len(token)-1], "''", "'")}, nil
	}
	if number, err := strconv.ParseFloat(token, 64); err == nil && token[0] >= '0' && token[0] <= '9' {
		p.at++
		return &expression{op: "value", value: number}, nil
	}
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	switch {
	case p.take("("):
		return p.call(strings.ToLower(name))
	case p.take("."):
		second, err := p.name()
		return &expression{op: "column", name: name + "." + second}, err
	case strings.EqualFold(name, "true") || strings.EqualFold(name, "false"):
		return &expression{op: "value", value: values.Truth(strings.EqualFold(name, "true"))}, nil
	}
	return &expression{op: "column", name: name}, nil
}

// call reads the arguments of a function.
func (p *parser) call(name string) (*expression, error) {
	most, known := functions[name]
	if !known {
		return nil, errorf("no such function: %s", name)
	}
	made := &expression{op: "call", name: name}
	if name == "count" && p.take("*", ")") {
		made.args = []*expression{{op: "value", value: 1.0}}
		return made, nil
	}
	if name == "count" && p.take("DISTINCT") {
		made.name = "count distinct"
	}
	var err error
	if made.args, err = p.list(); err != nil {
		return nil, err
	}
	if name == "cast" {
		if err := p.need("AS"); err != nil {
			return nil, err
		}
		if _, err := p.name(); err != nil {
			return nil, err
		}
	}
	if len(made.args) < most[0] || len(made.args) > most[1] {
		return nil, errorf("wrong number of arguments to function %s()", name)
	}
	return made, p.need(")")
}
