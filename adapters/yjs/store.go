package yjs

import (
	"cmp"
	"slices"
	"sort"
)

// filesRoot is the name of the map of paths to texts, and so part of the contract with
// clients.
const filesRoot = "files"

// store holds the structs of a document, by client, and the types at its root.
type store struct {
	clients map[uint64]*clientStructs
	// ordinals has every client at its ordinal; 0 is unused.
	ordinals []*clientStructs
	roots    map[string]*sharedType
	files    *sharedType // the root type that maps paths to texts
	// structs is the number of structs, content the number of bytes in them.
	structs, content int
	// rounds counts rounds of integration, see item.seen.
	rounds uint32
}

func newStore() *store {
	s := &store{clients: map[uint64]*clientStructs{}, ordinals: []*clientStructs{nil}, roots: map[string]*sharedType{}}
	s.files = s.root(filesRoot)
	return s
}

// clientStructs holds everything that a client wrote, without a gap, from clock 0 on.
type clientStructs struct {
	store   *store
	number  uint64 // of the client
	ordinal uint32 // of the client in the store
	items   []*item
	// before is the client's state before transaction number changed, the last one that
	// added something.
	before  uint32
	changed uint64
}

// idOf returns the id of a unit by its client's ordinal, no id for 0.
func (c *clientStructs) idOf(ordinal, clock uint32) id {
	if ordinal == 0 {
		return noID
	}
	return id{c.store.ordinals[ordinal].number, clock}
}

// state is the clock of the client's next unit.
func (c *clientStructs) state() uint32 {
	if len(c.items) == 0 {
		return 0
	}
	return c.items[len(c.items)-1].end()
}

// index returns the index of the item that contains a clock, which is below the state.
func (c *clientStructs) index(clock uint32) int {
	if last := len(c.items) - 1; c.items[last].clock <= clock {
		return last
	}
	return sort.Search(len(c.items), func(i int) bool { return c.items[i].clock > clock }) - 1
}

// find returns the item that contains a clock, which is below the state.
func (c *clientStructs) find(clock uint32) *item { return c.items[c.index(clock)] }

// state returns a client's state, 0 if it wrote nothing.
func (s *store) state(client uint64) uint32 {
	if c := s.clients[client]; c != nil {
		return c.state()
	}
	return 0
}

// find returns the item that contains an existing unit.
func (s *store) find(unit id) *item {
	return s.clients[unit.client].find(unit.clock)
}

// client returns the list of a client, and creates it if needed.
func (s *store) client(number uint64) *clientStructs {
	c := s.clients[number]
	if c == nil {
		c = &clientStructs{store: s, number: number, ordinal: uint32(len(s.ordinals))}
		s.clients[number] = c
		s.ordinals = append(s.ordinals, c)
	}
	return c
}

// root returns the type with a name at the root, and creates it if needed.
func (s *store) root(name string) *sharedType {
	t := s.roots[name]
	if t == nil {
		t = newType(nil, name)
		s.roots[name] = t
	}
	return t
}

// parent returns the type that an update names as a parent, or nil if that is garbage.
func (s *store) parent(of parentRef) *sharedType {
	if !of.item.exists() {
		return s.root(of.root)
	}
	return s.find(of.item).typ()
}

// newestFirst returns the clients with the highest number first, the order of updates. It
// causes fewer conflicts during integration.
func (s *store) newestFirst() []*clientStructs {
	all := make([]*clientStructs, 0, len(s.clients))
	for _, c := range s.clients {
		if len(c.items) > 0 {
			all = append(all, c)
		}
	}
	sortClients(all)
	return all
}

func sortClients(all []*clientStructs) {
	slices.SortFunc(all, func(a, b *clientStructs) int { return cmp.Compare(b.number, a.number) })
}
