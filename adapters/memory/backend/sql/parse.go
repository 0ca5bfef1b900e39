package sql

import (
	"slices"
	"strings"
)

// keywords may not be names without quotes.
var keywords = strings.Fields("select distinct from where group by having order limit offset as and or not in is null like between join left inner on asc desc case when then else end union intersect except with")

// parser reads a SELECT from left to right.
type parser struct {
	tokens []string
	// at is the index of the next token, depth how deep the expression is nested.
	at, depth int
}

// Bounds of a query's text and of its nesting.
const (
	maxBytes = 64 << 10
	maxDepth = 50
)

// Parse reads one SELECT.
func Parse(text string) (*Select, error) {
	if len(text) > maxBytes {
		return nil, errorf("the query is longer than %d KiB", maxBytes>>10)
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	made, err := p.statement()
	if err != nil {
		return nil, err
	}
	p.take(";")
	if p.at < len(p.tokens) {
		return nil, errorf("the query must be one SELECT; it has an error at %q", p.tokens[p.at])
	}
	return made, nil
}

// take skips a word or sign if it is next.
func (p *parser) take(words ...string) bool {
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

// need skips a word that has to be next.
func (p *parser) need(word string) error {
	if p.take(word) {
		return nil
	}
	return p.unexpected(word)
}

// unexpected is the error of a query that has something else where a word is needed.
func (p *parser) unexpected(wanted string) error {
	if p.at >= len(p.tokens) {
		return errorf("the query ends where %s is needed", wanted)
	}
	return errorf("the query has %q where %s is needed", p.tokens[p.at], wanted)
}

// name reads a name, with or without quotes.
func (p *parser) name() (string, error) {
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

// statement reads a SELECT.
func (p *parser) statement() (*Select, error) {
	if !p.take("SELECT") {
		return nil, errorf("the query must be one SELECT")
	}
	made := &Select{distinct: p.take("DISTINCT")}
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

// column reads a column of the result.
func (p *parser) column() (resultColumn, error) {
	if p.take("*") {
		return resultColumn{}, nil
	}
	if p.at+2 < len(p.tokens) && p.tokens[p.at+1] == "." && p.tokens[p.at+2] == "*" {
		source, err := p.name()
		p.at += 2
		return resultColumn{source: source}, err
	}
	start := p.at
	value, err := p.expression()
	if err != nil {
		return resultColumn{}, err
	}
	name := strings.Join(p.tokens[start:p.at], "")
	if value.op == "column" {
		name = value.name[strings.LastIndex(value.name, ".")+1:]
	}
	name, err = p.alias(name)
	return resultColumn{value: value, name: name}, err
}

// alias reads another name for what comes before it, with or without AS; without one the name is
// preset.
func (p *parser) alias(preset string) (string, error) {
	if p.take("AS") {
		return p.name()
	}
	if name, err := p.name(); err == nil {
		return name, nil
	}
	return preset, nil
}

// sources reads what follows FROM, with its joins.
func (p *parser) sources(to *Select) error {
	for left := false; ; {
		one, err := p.source()
		if err != nil {
			return err
		}
		one.left = left
		to.from = append(to.from, one)
		switch {
		case p.take(","), p.take("JOIN"), p.take("INNER", "JOIN"):
			left = false
		case p.take("LEFT", "JOIN"), p.take("LEFT", "OUTER", "JOIN"):
			left = true
		default:
			return nil
		}
	}
}

// source reads a table with its alias and its condition.
func (p *parser) source() (*source, error) {
	table, err := p.name()
	if err != nil {
		return nil, err
	}
	name, err := p.alias(table)
	if err != nil {
		return nil, err
	}
	one := &source{table: table, name: name}
	if p.take("ON") {
		one.on, err = p.expression()
	}
	return one, err
}

// clauses reads what follows FROM.
func (p *parser) clauses(to *Select) (err error) {
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
		down := p.take("DESC")
		if !down {
			p.take("ASC")
		}
		to.order = append(to.order, ordering{by: by, down: down})
	}
	if p.take("LIMIT") {
		if to.limit, err = p.expression(); err == nil && p.take("OFFSET") {
			to.offset, err = p.expression()
		}
	}
	return err
}

// list reads expressions with commas between them.
func (p *parser) list() ([]*expression, error) {
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
