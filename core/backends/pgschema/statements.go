package pgschema

import "slices"

// database is what the statements made.
type database struct {
	tables []*table
	// enums are the values of types.
	enums map[string][]string
	// left are the views, functions and triggers that were left out, by kind.
	left map[string][]string
}

func read(sql string) *database {
	d := &database{enums: map[string][]string{}, left: map[string][]string{}}
	for _, statement := range scan(sql) {
		d.play(cursor{statement})
	}
	return d
}

func (d *database) play(c cursor) {
	switch {
	case c.skip("do"):
		d.playBlock(c)
	case c.skip("create"):
		d.create(c)
	case c.skip("alter", "table"):
		c.skip("if", "exists")
		c.skip("only")
		if altered := d.table(c.name()); altered != nil {
			for _, action := range split(c.rest) {
				d.alter(altered, cursor{action})
			}
		}
	case c.skip("alter", "type"):
		if name := c.name(); c.skip("add", "value") {
			d.enums[name] = append(d.enums[name], texts(c.rest)[:min(1, len(texts(c.rest)))]...)
		}
	case c.skip("drop", "table"):
		c.skip("if", "exists")
		for _, part := range split(c.rest) {
			name := (&cursor{part}).name()
			d.tables = slices.DeleteFunc(d.tables, func(t *table) bool { return t.name == name })
		}
	case c.skip("drop", "policy"):
		c.skip("if", "exists")
		name := c.next().value
		if c.skip("on") {
			if of := d.table(c.name()); of != nil {
				of.policies = slices.DeleteFunc(of.policies, func(p policy) bool { return p.name == name })
			}
		}
	}
}

// playBlock plays the statements of a DO block, which makes types only if they are not there.
func (d *database) playBlock(c cursor) {
	for _, body := range texts(c.rest) {
		for _, statement := range scan(body) {
			begin := slices.IndexFunc(statement, func(t token) bool { return t.is("create", "alter") })
			if begin >= 0 {
				d.play(cursor{statement[begin:]})
			}
		}
	}
}

func (d *database) table(name string) *table {
	for _, one := range d.tables {
		if one.name == name {
			return one
		}
	}
	return nil
}

func (d *database) rename(renamed *table, to string) {
	for _, other := range d.tables {
		for _, one := range other.columns {
			if one.refers == renamed.name {
				one.refers = to
			}
		}
	}
	renamed.name = to
}

func (d *database) create(c cursor) {
	c.skip("or", "replace")
	for c.peek().is("global", "local", "temporary", "temp", "unlogged", "materialized", "recursive", "constraint") {
		c.next()
	}
	switch {
	case c.skip("table"):
		c.skip("if", "not", "exists")
		d.createTable(c)
	case c.skip("type"):
		if name := c.name(); c.skip("as", "enum") {
			d.enums[name] = texts(c.rest)
		}
	case c.skip("policy"):
		d.createPolicy(c)
	case c.skip("unique", "index"):
		d.createIndex(c)
	case c.peek().is("view", "function", "trigger"):
		kind := c.next().value
		if name := c.name(); !slices.Contains(d.left[kind], name) {
			d.left[kind] = append(d.left[kind], name)
		}
	}
}

func (d *database) createTable(c cursor) {
	made := &table{name: c.name()}
	if d.table(made.name) != nil || !c.peek().is("(") {
		return
	}
	for _, item := range split(c.parens()) {
		d.add(made, cursor{item})
	}
	d.tables = append(d.tables, made)
}

// add adds a column, or what a table says about several.
func (d *database) add(to *table, c cursor) {
	if c.skip("constraint") {
		c.next()
	}
	switch {
	case c.skip("primary", "key"):
		to.primary = c.names()
	case c.peek().is("unique") && slices.ContainsFunc(c.rest, func(t token) bool { return t.is("(") }):
		for !c.peek().is("(") {
			c.next()
		}
		to.uniques = append(to.uniques, c.names())
	case c.skip("foreign", "key"):
		if from := c.names(); len(from) == 1 && c.skip("references") {
			if one := to.column(from[0]); one != nil {
				one.refer(&c)
			}
		}
	case c.skip("check"):
		to.limit(c.parens())
	case c.peek().is("exclude", "like"):
	default:
		to.addColumn(&c)
	}
}

func (d *database) alter(altered *table, c cursor) {
	switch {
	case c.skip("add"):
		c.skip("column")
		c.skip("if", "not", "exists")
		d.add(altered, c)
	case c.skip("drop", "column"):
		c.skip("if", "exists")
		name := c.next().value
		altered.columns = slices.DeleteFunc(altered.columns, func(one *column) bool { return one.name == name })
	case c.skip("rename", "to"):
		d.rename(altered, c.next().value)
	case c.skip("rename", "constraint"):
	case c.skip("rename"):
		c.skip("column")
		if one := altered.column(c.next().value); one != nil && c.skip("to") {
			altered.rename(one, c.next().value)
		}
	case c.skip("enable", "row", "level", "security"):
		altered.secured = true
	case c.skip("disable", "row", "level", "security"):
		altered.secured = false
	case c.skip("alter"):
		c.skip("column")
		if one := altered.column(c.next().value); one != nil {
			one.alter(&c)
		}
	}
}

// createIndex reads a unique index. The others make nothing but speed.
func (d *database) createIndex(c cursor) {
	for len(c.rest) > 0 && !c.next().is("on") {
	}
	c.skip("only")
	of := d.table(c.name())
	if c.skip("using") {
		c.next()
	}
	list := c.parens()
	if of == nil || len(c.rest) > 0 {
		return // some of the rows only
	}
	var names []string
	for _, part := range split(list) {
		if len(part) != 1 || of.column(part[0].value) == nil {
			return // an expression
		}
		names = append(names, part[0].value)
	}
	of.uniques = append(of.uniques, names)
}

func (d *database) createPolicy(c cursor) {
	p := policy{name: c.next().value, command: "all"}
	if !c.skip("on") {
		return
	}
	of := d.table(c.name())
	for len(c.rest) > 0 {
		switch {
		case c.skip("as"):
			p.restrictive = c.next().is("restrictive")
		case c.skip("for"):
			p.command = c.next().value
		case c.skip("to"):
			for p.roles = append(p.roles, c.next().value); c.skip(","); {
				p.roles = append(p.roles, c.next().value)
			}
		case c.skip("using"):
			p.using = c.parens()
		case c.skip("with", "check"):
			p.check = c.parens()
		default:
			c.next()
		}
	}
	if of != nil {
		of.policies = append(of.policies, p)
	}
}
