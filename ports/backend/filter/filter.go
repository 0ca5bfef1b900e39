// Package filter reads the filters in which PocketBase's rules and queries are written, such
// as
//
//	author = @request.auth.id && (public = true || tags ?~ 'news')
//
// A filter joins comparisons with && and ||, of which && binds closer, and parentheses. Only
// the form is checked here: the holder of the schema knows what a name means.
package filter

import (
	"strconv"
	"strings"
)

// Node is a *Comparison or a *Join.
type Node interface {
	// write appends the node's text.
	write(to *strings.Builder)
}

// Join is true if all of its parts are, or with Any, if one of them is. It has at least two.
type Join struct {
	Any   bool
	Parts []Node
}

// Comparison compares two operands.
type Comparison struct {
	Left Operand
	Op   Operator
	// Any means that one of several values has to match (?=), and not all of them.
	Any   bool
	Right Operand
}

// Operator compares two values.
type Operator string

// The operators. Like looks for a part of a text, with % as a wildcard.
const (
	Equal          Operator = "="
	NotEqual       Operator = "!="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Like           Operator = "~"
	NotLike        Operator = "!~"
)

// Kind says what an operand is.
type Kind int

// The kinds of operands.
const (
	// Name is a path of names, such as author.name, tags:each, @request.auth.id, @now or null.
	Name Kind = iota
	// Text is a quoted text.
	Text
	// Number is a number.
	Number
	// Call is a function with arguments, such as geoDistance(…).
	Call
)

// Operand is one side of a comparison.
type Operand struct {
	Kind Kind
	// Text is a name, a text without its quotes, or the name of a function.
	Text string
	// Number is the value of a number.
	Number float64
	// Arguments are those of a call.
	Arguments []Operand
}

// Path returns the names of a path, without the modifier of the last, such as each.
func (o Operand) Path() (names []string, modifier string) {
	names = strings.Split(o.Text, ".")
	last := len(names) - 1
	names[last], modifier, _ = strings.Cut(names[last], ":")
	return names, modifier
}

// Format returns a filter as a text that Parse reads as the same.
func Format(node Node) string {
	var text strings.Builder
	node.write(&text)
	return text.String()
}

func (j *Join) write(to *strings.Builder) {
	sign := " && "
	if j.Any {
		sign = " || "
	}
	for i, part := range j.Parts {
		if i > 0 {
			to.WriteString(sign)
		}
		if _, nested := part.(*Join); nested {
			to.WriteByte('(')
			part.write(to)
			to.WriteByte(')')
			continue
		}
		part.write(to)
	}
}

func (c *Comparison) write(to *strings.Builder) {
	c.Left.write(to)
	to.WriteByte(' ')
	if c.Any {
		to.WriteByte('?')
	}
	to.WriteString(string(c.Op) + " ")
	c.Right.write(to)
}

// escapes writes a text so that it can be quoted.
var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

func (o Operand) write(to *strings.Builder) {
	switch o.Kind {
	case Text:
		to.WriteString("'" + escapes.Replace(o.Text) + "'")
	case Number:
		to.WriteString(strconv.FormatFloat(o.Number, 'f', -1, 64))
	case Call:
		to.WriteString(o.Text + "(")
		for i, argument := range o.Arguments {
			if i > 0 {
				to.WriteString(", ")
			}
			argument.write(to)
		}
		to.WriteByte(')')
	default:
		to.WriteString(o.Text)
	}
}
