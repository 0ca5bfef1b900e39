package pgschema

import "strings"

// cursor reads the tokens of a statement.
type cursor struct{ rest []token }

func (c *cursor) peek() token {
	if len(c.rest) == 0 {
		return token{kind: sign}
	}
	return c.rest[0]
}

func (c *cursor) next() token {
	first := c.peek()
	if len(c.rest) > 0 {
		c.rest = c.rest[1:]
	}
	return first
}

// skip skips words that stand next to each other, all or none.
func (c *cursor) skip(words ...string) bool {
	if len(c.rest) < len(words) {
		return false
	}
	for i, value := range words {
		if !c.rest[i].is(value) {
			return false
		}
	}
	c.rest = c.rest[len(words):]
	return true
}

// name reads a name. That of the schema before it is left out if it is public.
func (c *cursor) name() string {
	name := c.next().value
	for c.skip(".") {
		if name != "public" {
			return name + "." + c.next().value
		}
		name = c.next().value
	}
	return name
}

// parens reads what is between parentheses, nothing if none are next.
func (c *cursor) parens() []token {
	if !c.peek().is("(") {
		return nil
	}
	depth := 0
	for i, one := range c.rest {
		switch {
		case one.is("(", "["):
			depth++
		case one.is(")", "]"):
			depth--
		}
		if depth == 0 {
			inner := c.rest[1:i]
			c.rest = c.rest[i+1:]
			return inner
		}
	}
	inner := c.rest[1:]
	c.rest = nil
	return inner
}

// names reads a list of names between parentheses.
func (c *cursor) names() (names []string) {
	for _, part := range split(c.parens()) {
		if len(part) > 0 {
			names = append(names, part[0].value)
		}
	}
	return names
}

// split splits tokens at the commas that are not between parentheses.
func split(tokens []token) (parts [][]token) {
	depth, start := 0, 0
	for i, one := range tokens {
		switch {
		case one.is("(", "["):
			depth++
		case one.is(")", "]"):
			depth--
		case one.is(",") && depth == 0:
			parts = append(parts, tokens[start:i])
			start = i + 1
		}
	}
	if start < len(tokens) {
		parts = append(parts, tokens[start:])
	}
	return parts
}

// texts are the literals among tokens.
func texts(tokens []token) (found []string) {
	for _, one := range tokens {
		if one.kind == text {
			found = append(found, one.value)
		}
	}
	return found
}

// join writes tokens as they stood, more or less.
func join(tokens []token) string {
	var out strings.Builder
	for i, one := range tokens {
		if i > 0 && one.kind != sign && tokens[i-1].kind != sign {
			out.WriteByte(' ')
		}
		if one.kind == text {
			out.WriteString("'" + one.value + "'")
		} else {
			out.WriteString(one.value)
		}
	}
	return out.String()
}
