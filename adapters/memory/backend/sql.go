package backend

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// selection is a SELECT.
type selection struct {
	distinct bool
	columns  []selected
	from     []*source
	where    *expression
	group    []*expression
	having   *expression
	order    []ordering
	limit    *expression
	offset   *expression
}

// selected is a column of the result; without an expression it is all of a source (or of all).
type selected struct {
	value *expression
	name  string
	of    string
}

// source is a collection that a SELECT reads, under a name.
type source struct {
	table, name string
	left        bool
	on          *expression
	collection  *collection
}

type ordering struct {
	by   *expression
	down bool
}

// expression is an operator, a function, a column (op is "column") or a value ("value").
type expression struct {
	op    string
	name  string
	value any
	args  []*expression
	// at and field are where a column is found; at is -1 for a column of the result.
	at    int
	field *field
}

var sqlToken = regexp.MustCompile("^(?:'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\\[[^\\]]*\\]|[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?:\\.[0-9]+)?|<=|>=|<>|!=|==|\\|\\||[-+*/%(),.;=<>])")
var sqlBlank = regexp.MustCompile(`^(?:\s+|--[^\n]*(?:\n|$)|/\*(?s:.*?)\*/)+`)

// keywords may not be names without quotes.
var keywords = strings.Fields("select distinct from where group by having order limit offset as and or not in is null like between join left inner on asc desc case when then else end union intersect except with")

// sqlParser reads a SELECT from left to right.
type sqlParser struct {
	tokens []string
	at     int
	depth  int
}

func sqlError(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, format, args...)
}

// Bounds of a query's text and of its nesting.
const (
	maxSQLBytes = 64 << 10
	maxSQLDepth = 50
)

// parseSelect reads one SELECT.
func parseSelect(text string) (*selection, error) {
	if len(text) > maxSQLBytes {
		return nil, sqlError("the query is longer than %d KiB", maxSQLBytes>>10)
	}
	p := &sqlParser{}
	for {
		text = text[len(sqlBlank.FindString(text)):]
		if text == "" {
			break
		}
		token := sqlToken.FindString(text)
		if token == "" {
			return nil, sqlError("the query has an error at %.20q", text)
		}
		p.tokens = append(p.tokens, token)
		text = text[len(token):]
	}
	made, err := p.selection()
	if err != nil {
		return nil, err
	}
	p.take(";")
	if p.at < len(p.tokens) {
		return nil, sqlError("the query must be one SELECT; it has an error at %q", p.tokens[p.at])
	}
	return made, nil
}

// take skips a word or sign if it is next.
func (p *sqlParser) take(words ...string) bool {
	if p.at+len(words) > len(p.tokens) {
		return false
	}
	for i, word := range words {
		if !strings.EqualFold(p.tokens[p.at+i], word) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *sqlParser) need(word string) error {
	if p.take(word) {
		return nil
	}
	return p.unexpected(word)
}

func (p *sqlParser) unexpected(wanted string) error {
	if p.at >= len(p.tokens) {
		return sqlError("the query ends where %s is needed", wanted)
	}
	return sqlError("the query has %q where %s is needed", p.tokens[p.at], wanted)
}

// name reads a name, with or without quotes.
func (p *sqlParser) name() (string, error) {
	if p.at >= len(p.tokens) {
		return "", p.unexpected("a name")
	}
	token := p.tokens[p.at]
	switch c := token[0]; {
	case c == '"' || c == '`' || c == '[':
		token = token[1 : len(token)-1]
	case c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') || slices.Contains(keywords, strings.ToLower(token)):
		return "", p.unexpected("a name")
	}
	p.at++
	return token, nil
}

func (p *sqlParser) selection() (*selection, error) {
	if !p.take("SELECT") {
		return nil, sqlError("the query must be one SELECT")
	}
	made := &selection{distinct: p.take("DISTINCT")}
	for {
		column, err := p.column()
		if err != nil {
			return nil, err
		}
		made.columns = append(made.columns, column)
		if !p.take(",") {
			break
		}
	}
	if p.take("FROM") {
		if err := p.sources(made); err != nil {
			return nil, err
		}
	}
	return made, p.clauses(made)
}

func (p *sqlParser) column() (selected, error) {
	if p.take("*") {
		return selected{}, nil
	}
	if p.at+2 < len(p.tokens) && p.tokens[p.at+1] == "." && p.tokens[p.at+2] == "*" {
		of, err := p.name()
		p.at += 2
		return selected{of: of}, err
	}
	start := p.at
	value, err := p.expression()
	if err != nil {
		return selected{}, err
	}
	name := strings.Join(p.tokens[start:p.at], "")
	if value.op == "column" {
		name = value.name[strings.LastIndex(value.name, ".")+1:]
	}
	if p.take("AS") {
		name, err = p.name()
	} else if alias, none := p.name(); none == nil {
		name = alias
	}
	return selected{value: value, name: name}, err
}

// sources reads FROM with its joins.
func (p *sqlParser) sources(to *selection) error {
	for {
		one := &source{}
		var err error
		if one.table, err = p.name(); err != nil {
			return err
		}
		one.name = one.table
		if p.take("AS") {
			one.name, err = p.name()
		} else if alias, none := p.name(); none == nil {
			one.name = alias
		}
		if err != nil {
			return err
		}
		if n := len(to.from); n > 0 && to.from[n-1].table == "" {
			one.left = to.from[n-1].left
			to.from = to.from[:n-1]
		}
		to.from = append(to.from, one)
		if p.take("ON") {
			if one.on, err = p.expression(); err != nil {
				return err
			}
		}
		switch {
		case p.take(","), p.take("JOIN"), p.take("INNER", "JOIN"):
		case p.take("LEFT", "JOIN"), p.take("LEFT", "OUTER", "JOIN"):
			to.from = append(to.from, &source{left: true})
		default:
			return nil
		}
	}
}

// clauses reads what follows FROM.
func (p *sqlParser) clauses(to *selection) (err error) {
	if p.take("WHERE") {
		if to.where, err = p.expression(); err != nil {
			return err
		}
	}
	if p.take("GROUP", "BY") {
		if to.group, err = p.list(); err != nil {
			return err
		}
		if p.take("HAVING") {
			if to.having, err = p.expression(); err != nil {
				return err
			}
		}
	}
	for more := p.take("ORDER", "BY"); more; more = p.take(",") {
		by, err := p.expression()
		if err != nil {
			return err
		}
		to.order = append(to.order, ordering{by: by, down: p.take("DESC") || p.take("ASC") && false})
	}
	if p.take("LIMIT") {
		if to.limit, err = p.expression(); err == nil && p.take("OFFSET") {
			to.offset, err = p.expression()
		}
	}
	return err
}

func (p *sqlParser) list() ([]*expression, error) {
	var list []*expression
	for {
		one, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if !p.take(",") {
			return list, nil
		}
	}
}

// levels are the operators between two values, the loosest first.
var levels = [][]string{{"or"}, {"and"}, {"=", "==", "!=", "<>", "<", "<=", ">", ">="}, {"||"}, {"+", "-"}, {"*", "/", "%"}}

// comparing is the level at which NOT, IS, IN, LIKE and BETWEEN are.
const comparing = 2

func (p *sqlParser) expression() (*expression, error) {
	if p.depth++; p.depth > maxSQLDepth {
		return nil, sqlError("the query is nested too deeply")
	}
	defer func() { p.depth-- }()
	return p.level(0)
}

func (p *sqlParser) level(at int) (*expression, error) {
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

// expressionAt is level for an operator that may stand in front of itself.
func (p *sqlParser) expressionAt(at int) (*expression, error) {
	if p.depth++; p.depth > maxSQLDepth {
		return nil, sqlError("the query is nested too deeply")
	}
	defer func() { p.depth-- }()
	return p.level(at)
}

// suffix reads IS NULL, IN, LIKE and BETWEEN after a value.
func (p *sqlParser) suffix(left *expression) (*expression, error) {
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

func (p *sqlParser) primary() (*expression, error) {
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
		return &expression{op: "value", value: truth(strings.EqualFold(name, "true"))}, nil
	}
	return &expression{op: "column", name: name}, nil
}

// call reads the arguments of a function.
func (p *sqlParser) call(name string) (*expression, error) {
	most, known := functions[name]
	if !known {
		return nil, sqlError("no such function: %s", name)
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
		return nil, sqlError("wrong number of arguments to function %s()", name)
	}
	return made, p.need(")")
}
