package pgschema

import "strconv"

type table struct {
	name    string
	columns []*column
	primary []string
	uniques [][]string
	// secured is true if row level security is on.
	secured  bool
	policies []policy
}

type column struct {
	name string
	// kind is the type without its schema and size.
	kind    string
	size    int
	isArray bool
	notNull bool
	// preset is what Postgres fills in, as SQL; isNow is true if it is the time.
	preset string
	isNow  bool
	// isComputed is true if it is computed from others.
	isComputed bool
	// refers is the table that it refers to, "auth.users" for the users of Supabase.
	refers  string
	cascade bool
	// values are those that a check allows.
	values []string
}

type policy struct {
	name, command string
	restrictive   bool
	roles         []string
	using, check  []token
}

func (t *table) column(name string) *column {
	for _, one := range t.columns {
		if one.name == name {
			return one
		}
	}
	return nil
}

func (t *table) rename(renamed *column, to string) {
	for _, names := range append(t.uniques, t.primary) {
		for i, name := range names {
			if name == renamed.name {
				names[i] = to
			}
		}
	}
	renamed.name = to
}

func (t *table) addColumn(c *cursor) {
	one := &column{name: c.next().value}
	if one.name == "" || t.column(one.name) != nil {
		return
	}
	one.readType(c)
	t.columns = append(t.columns, one)
	for len(c.rest) > 0 {
		switch {
		case c.skip("not", "null"):
			one.notNull = true
		case c.skip("primary", "key"):
			t.primary = []string{one.name}
		case c.skip("unique"):
			t.uniques = append(t.uniques, []string{one.name})
		case c.skip("references"):
			one.refer(c)
		case c.skip("check"):
			t.limit(c.parens())
		case c.skip("default"):
			one.readDefault(c)
		case c.skip("generated"):
			one.readGenerated(c)
		default:
			c.next()
		}
	}
}

// twoWords are the types that have two.
var twoWords = map[string]string{"double": "precision", "character": "varying", "bit": "varying"}

func (t *column) readType(c *cursor) {
	t.kind = c.next().value
	for c.skip(".") {
		t.kind = c.next().value
	}
	if second := twoWords[t.kind]; second != "" {
		c.skip(second)
	}
	if size := c.parens(); len(size) > 0 {
		t.size, _ = strconv.Atoi(size[0].value)
	}
	_ = c.skip("with", "time", "zone") || c.skip("without", "time", "zone")
	for c.skip("[") {
		t.isArray = true
		for !c.next().is("]", "") {
		}
	}
	t.isArray = c.skip("array") || t.isArray
}

// ends are the words that end a default.
var ends = []string{"not", "null", "primary", "unique", "references", "check", "generated", "constraint", "collate"}

func (t *column) readDefault(c *cursor) {
	all := c.rest
	for first := true; len(c.rest) > 0 && (first || !c.peek().is(ends...)); first = false {
		if c.peek().is("(") {
			c.parens()
			continue
		}
		t.isNow = c.next().is("now", "current_timestamp", "timezone") || t.isNow
	}
	if t.preset = join(all[:len(all)-len(c.rest)]); t.preset == "null" {
		t.preset = ""
	}
}

// readGenerated reads on behind generated: a column with an identity is like one with a default.
func (t *column) readGenerated(c *cursor) {
	for len(c.rest) > 0 && !c.next().is("as") {
	}
	if c.skip("identity") {
		t.preset = "identity"
	}
	t.isComputed = t.preset == ""
	c.parens()
}

// refer reads on behind references.
func (t *column) refer(c *cursor) {
	t.refers = c.name()
	c.parens()
	for c.skip("on") {
		isDelete := c.next().is("delete")
		t.cascade = c.peek().is("cascade") && isDelete || t.cascade
		if c.next().is("set", "no") {
			c.next()
		}
	}
}

// limit takes the values from a check that a column has one of some texts. Others are left out.
func (t *table) limit(check []token) {
	var of *column
	for _, one := range check {
		switch {
		case one.kind == word && of == nil:
			of = t.column(one.value)
			if of == nil {
				return
			}
		case one.kind == text, one.is("(", ")", "[", "]", ",", "::", "=", "in", "any", "array", "text", "character", "varying"):
		default:
			return
		}
	}
	if of != nil {
		of.values = texts(check)
	}
}

func (t *column) alter(c *cursor) {
	switch {
	case c.skip("set", "not", "null"):
		t.notNull = true
	case c.skip("drop", "not", "null"):
		t.notNull = false
	case c.skip("set", "default"):
		t.readDefault(c)
	case c.skip("drop", "default"):
		t.preset, t.isNow = "", false
	case c.skip("add", "generated"):
		t.preset = "identity"
	case c.skip("type"), c.skip("set", "data", "type"):
		t.size, t.isArray = 0, false
		t.readType(c)
	}
}
