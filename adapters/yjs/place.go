package yjs

// place says where an item is and what it contains. It is immutable. All items of a list
// that are not types share the place of the list. So may the values of a key that are not
// types.
type place struct {
	parent *sharedType
	// sub is the key of an item that is the value of a map, else nil. The items of a map
	// with the same key form a list, whose last item is the value.
	sub *string
	// typ is the content of an item that is a type, else nil.
	typ *sharedType
}

// holding returns the place for an item in the same list whose content is a type, or nil.
func (p *place) holding(typ *sharedType) *place {
	switch {
	case p.typ == typ:
		return p
	case p.sub == nil && typ == nil:
		return &p.parent.items
	}
	return &place{p.parent, p.sub, typ}
}

// sharedType is a container of items: a list, a map, or both. Texts, arrays and XML
// elements are lists. A type with an owner is that item's content; one without has a name
// at the root of the document.
type sharedType struct {
	owner   *item
	name    string
	start   *item
	entries map[string]*item
	items   place // of the list's items that are not types
}

func newType(owner *item, name string) *sharedType {
	t := &sharedType{owner: owner, name: name}
	t.items.parent = t
	return t
}

// at returns the place of items that are not types, under a key or in the list itself.
func (t *sharedType) at(sub *string) *place {
	if sub == nil {
		return &t.items
	}
	return &place{parent: t, sub: sub}
}

// first returns the head of the list of a key, or of the list itself.
func (t *sharedType) first(sub *string) (head *item, steps int) {
	if sub == nil {
		return t.start, 0
	}
	head = t.entries[*sub]
	for head != nil && head.left != nil {
		head, steps = head.left, steps+1
	}
	return head, steps
}

func (t *sharedType) setEntry(sub string, it *item) {
	if t.entries == nil {
		t.entries = map[string]*item{}
	}
	t.entries[sub] = it
}

// ref returns how an update names the type as a parent.
func (t *sharedType) ref() parentRef {
	if t.owner != nil {
		return parentRef{item: t.owner.id()}
	}
	return parentRef{item: noID, root: t.name}
}

// parentRef names a parent: by the item whose content it is, or by its name.
type parentRef struct {
	item id
	root string
}
