package pgschema

import (
	"slices"
	"strings"
)

// maxDepth bounds conditions in conditions.
const maxDepth = 20

// conditionReader translates the condition of a policy: comparisons of columns, literals and the
// user, with and, or and parentheses.
type conditionReader struct {
	fields []field
	// named are the fields that it names, without the id.
	named []string
	// asksUser is true if there is no such record or answer without a user.
	asksUser bool
	cursor
	depth int
}

// read returns the rule of a condition, and false if it has no equivalent.
func (r *conditionReader) read(condition []token) (rule, bool) {
	r.cursor = cursor{condition}
	made, ok := r.any()
	return made, ok && len(r.rest) == 0
}

func (r *conditionReader) any() (rule, bool) {
	made, ok := r.all()
	for ok && r.skip("or") {
		var other rule
		if other, ok = r.all(); ok {
			made = made.or(other)
		}
	}
	return made, ok
}

func (r *conditionReader) all() (rule, bool) {
	made, ok := r.one()
	for ok && r.skip("and") {
		var other rule
		if other, ok = r.one(); ok {
			made = made.and(other)
		}
	}
	return made, ok
}

func (r *conditionReader) one() (rule, bool) {
	if r.depth++; r.depth > maxDepth {
		return rule{}, false
	}
	defer func() { r.depth-- }()
	if r.peek().is("(") && !r.isValue() {
		inner := conditionReader{fields: r.fields, cursor: cursor{r.parens()}, depth: r.depth}
		made, ok := inner.any()
		r.named = append(r.named, inner.named...)
		r.asksUser = r.asksUser || inner.asksUser
		return made, ok && len(inner.rest) == 0
	}
	if r.skip("true") {
		return rule{}, true
	}
	left, ok := r.operand()
	if !ok {
		return rule{}, false
	}
	return r.compare(left)
}

// isValue reports whether the parentheses that are next hold a value: (select auth.uid()) or a column.
func (r *conditionReader) isValue() bool {
	ahead := cursor{r.rest}
	inner := ahead.parens()
	return len(inner) == 1 || len(inner) > 0 && inner[0].is("select") || ahead.peek().is("=", "<>", "!=", "::", "is")
}

// operand is a side of a comparison.
type operand struct {
	text string
	kind operandKind
}

type operandKind int

const (
	literal operandKind = iota
	fieldName
	userID
	userRole
	yes
)

func (r *conditionReader) operand() (operand, bool) {
	made, ok := r.value()
	for ok && r.skip("::") {
		for r.name(); r.peek().is("varying", "precision"); r.next() {
		}
	}
	return made, ok
}

func (r *conditionReader) value() (operand, bool) {
	if r.peek().is("(") {
		inner := conditionReader{fields: r.fields, cursor: cursor{r.parens()}, depth: r.depth + 1}
		if inner.depth > maxDepth {
			return operand{}, false
		}
		inner.skip("select")
		made, ok := inner.operand()
		if inner.skip("as") {
			inner.next()
		}
		r.named = append(r.named, inner.named...)
		return made, ok && len(inner.rest) == 0
	}
	first := r.peek()
	switch {
	case r.skip("auth", ".", "uid", "(", ")"):
		return operand{"@request.auth.id", userID}, true
	case r.skip("auth", ".", "role", "(", ")"):
		return operand{kind: userRole}, true
	case r.skip("true"), r.skip("false"):
		return operand{first.value, yes}, true
	case first.kind == number:
		r.next()
		return operand{first.value, literal}, true
	case first.kind == text:
		r.next()
		return operand{quote(first.value), literal}, !strings.ContainsAny(first.value, `"\`)
	case first.kind == word:
		return r.field()
	}
	return operand{}, false
}

func quote(value string) string { return `"` + value + `"` }

// field reads the name of a column, with that of its table before it or without.
func (r *conditionReader) field() (operand, bool) {
	name := r.next().value
	for r.skip(".") {
		name = r.next().value
	}
	if r.peek().is("(") {
		return operand{}, false
	}
	if name == "id" {
		return operand{name, fieldName}, true
	}
	r.named = append(r.named, name)
	known := slices.ContainsFunc(r.fields, func(f field) bool { return f.Name == name })
	return operand{name, fieldName}, known
}

// operators are those of rules.
var operators = map[string]string{"=": "=", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func (r *conditionReader) compare(left operand) (rule, bool) {
	if r.skip("is") {
		return r.isNull(left)
	}
	operator, compares := operators[r.peek().value]
	if !compares {
		return rule{text: left.text + " = true"}, left.kind == fieldName
	}
	r.next()
	right, ok := r.operand()
	if !ok {
		return rule{}, false
	}
	if right.kind == userRole {
		left, right = right, left
	}
	if left.kind == userRole {
		return signedIn, operator == "=" && right.text == quote("authenticated")
	}
	if left.kind == userID {
		left, right = right, left
	}
	if right.kind == userID {
		if left.kind != fieldName || operator != "=" {
			return rule{}, false
		}
		r.asksUser = true
	}
	return rule{text: left.text + " " + operator + " " + right.text}, left.kind == fieldName || right.kind == fieldName
}

// isNull reads on behind is. What is empty here was null there.
func (r *conditionReader) isNull(left operand) (rule, bool) {
	operator := "="
	if r.skip("not") {
		operator = "!="
	}
	switch {
	case r.skip("true") && left.kind == fieldName:
		return rule{text: left.text + " " + operator + " true"}, true
	case !r.skip("null"):
		return rule{}, false
	case left.kind == userID:
		return signedIn, operator == "!="
	}
	return rule{text: left.text + " " + operator + ` ""`}, left.kind == fieldName
}
