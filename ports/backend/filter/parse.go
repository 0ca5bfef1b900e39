package filter

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/atelierhq/atelier/core"
)

// Bounds of a filter.
const (
	// MaxBytes bounds its text: more than PocketBase reads of a query's filter.
	MaxBytes = 64 << 10
	// MaxComparisons is PocketBase's bound, too.
	MaxComparisons = 200
	// MaxDepth bounds the parentheses in parentheses, MaxArguments the arguments of a call.
	MaxDepth     = 50
	MaxArguments = 20
)

// wrong is an error at a byte of a filter's text.
func wrong(at int, format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, "%s (at character %d)", fmt.Sprintf(format, args...), at+1)
}

// Parse reads a filter. An error has code core.CodeValidationFailed. The empty rule, which lets
// everybody, is not a filter.
func Parse(text string) (Node, error) {
	if len(text) > MaxBytes {
		return nil, core.Errorf(core.CodeValidationFailed, "the filter is longer than %d KiB", MaxBytes>>10)
	}
	p := &parser{scan: scanner{text: text}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.ended {
		return nil, core.Errorf(core.CodeValidationFailed, "the filter is empty")
	}
	node, err := p.join(true)
	if err == nil && !p.ended {
		err = p.unexpected("&& or ||")
	}
	if err != nil {
		return nil, err
	}
	return node, nil
}

// parser reads a filter from left to right, and knows the next token.
type parser struct {
	scan  scanner
	now   token
	ended bool

	depth, comparisons int
}

func (p *parser) advance() error {
	found, ok, err := p.scan.next()
	p.now, p.ended = found, !ok
	return err
}

func (p *parser) is(sign string) bool { return !p.ended && p.now.sign == sign }

// unexpected says what the filter needs instead of the next token.
func (p *parser) unexpected(wanted string) error {
	switch {
	case p.ended:
		return wrong(len(p.scan.text), "the filter ends where %s is needed", wanted)
	case p.now.sign != "":
		return wrong(p.now.at, "%s is needed instead of %s", wanted, p.now.sign)
	}
	return wrong(p.now.at, "%s is needed before the next value", wanted)
}

// join reads parts that || joins, or with all, parts that && joins, which bind closer.
func (p *parser) join(either bool) (Node, error) {
	sign, part := "&&", p.part
	if either {
		sign, part = "||", func() (Node, error) { return p.join(false) }
	}
	var parts []Node
	for {
		node, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, node)
		if !p.is(sign) {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return &Join{Any: either, Parts: parts}, nil
}

// part reads a comparison, or a filter in parentheses.
func (p *parser) part() (Node, error) {
	if !p.is("(") {
		return p.comparison()
	}
	if p.depth++; p.depth > MaxDepth {
		return nil, wrong(p.now.at, "more than %d parentheses are nested", MaxDepth)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	node, err := p.join(true)
	if err != nil {
		return nil, err
	}
	if !p.is(")") {
		return nil, p.unexpected("a closing parenthesis")
	}
	p.depth--
	return node, p.advance()
}

func (p *parser) comparison() (Node, error) {
	if p.comparisons++; p.comparisons > MaxComparisons {
		return nil, wrong(p.now.at, "the filter has more than %d comparisons", MaxComparisons)
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	made := &Comparison{Left: left}
	sign := p.now.sign
	if len(sign) > 1 && sign[0] == '?' {
		made.Any, sign = true, sign[1:]
	}
	made.Op = Operator(sign)
	known := []Operator{Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual, Like, NotLike}
	if p.ended || !slices.Contains(known, made.Op) {
		return nil, p.unexpected("a comparison such as =")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	made.Right, err = p.operand()
	return made, err
}

func (p *parser) operand() (Operand, error) {
	if p.ended || p.now.sign != "" {
		return Operand{}, p.unexpected("a name, a text in quotes or a number")
	}
	found, called := p.now.operand, p.now.called
	if err := p.advance(); err != nil || !called {
		return found, err
	}
	return p.call(found.Text)
}

// call reads the arguments of a function; the next token is its parenthesis.
func (p *parser) call(name string) (Operand, error) {
	made := Operand{Kind: Call, Text: name}
	if p.depth++; p.depth > MaxDepth {
		return made, wrong(p.now.at, "more than %d parentheses are nested", MaxDepth)
	}
	if err := p.advance(); err != nil {
		return made, err
	}
	for !p.is(")") {
		if len(made.Arguments) == MaxArguments {
			return made, wrong(p.now.at, "a function has more than %d arguments", MaxArguments)
		}
		if len(made.Arguments) > 0 {
			if !p.is(",") {
				return made, p.unexpected("a comma or a closing parenthesis")
			}
			if err := p.advance(); err != nil {
				return made, err
			}
		}
		argument, err := p.operand()
		if err != nil {
			return made, err
		}
		made.Arguments = append(made.Arguments, argument)
	}
	p.depth--
	return made, p.advance()
}

func numberOf(text string, at int) (Operand, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Operand{}, wrong(at, "the number is too large")
	}
	return Operand{Kind: Number, Number: value}, nil
}
