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
	// ordinals has every client at its ordinal; 0 is nobody's.
	ordinals []*clientStructs
	roots    map[string]*sharedType
	files    *sharedType // the root that maps paths to texts
	// structs is how many there are, and content how many bytes they hold.
	structs, content int
	// rounds counts rounds of integration, see item.seen.
	rounds uint32
}

func newStore() *store {
	s := &store{clients: map[uint64]*clientStructs{}, ordinals: []*clientStructs{nil}, roots: map[string]*sharedType{}}
	s.files = s.root(filesRoot)
	return s
}

// clientStructs is all that a client wrote, without a gap, from clock 0 on.
type clientStructs struct {
	store   *store
	number  uint64 // of the client
	ordinal uint32 // of the client in the store
	items   []*item
	// before is the client's state at the beginning of transaction number changed, the
	// last that added something.
	before  uint32
	changed uint64
}

// idOf names a unit of the client with an ordinal, none for 0.
func (c *clientStructs) idOf(ordinal, clock uint32) id {
	if ordinal == 0 {
		return noID
	}
	return id{c.store.ordinals[ordinal].number, clock}
}

// state is the clock of the unit that the client writes next.
func (c *clientStructs) state() uint32 {
	if len(c.items) == 0 {
		return 0
	}
	return c.items[len(c.items)-1].end()
}

// index returns the index of the item that holds a clock, which is below the state.
func (c *clientStructs) index(clock uint32) int {
	if last := len(c.items) - 1; c.items[last].clock <= clock {
		return last
	}
	return sort.Search(len(c.items), func(i int) bool { return c.items[i].clock > clock }) - 1
}

// find returns the item that holds a clock, which is below the state.
func (c *clientStructs) find(clock uint32) *item { return c.items[c.index(clock)] }

// state is a client's, 0 for one that wrote nothing.
func (s *store) state(client uint64) uint32 {
	if c := s.clients[client]; c != nil {
		return c.state()
	}
	return 0
}

// find returns the item that holds a unit, which is there.
func (s *store) find(unit id) *item {
	return s.clients[unit.client].find(unit.clock)
}

// client returns the list of a client, a new one for one that wrote nothing.
func (s *store) client(number uint64) *clientStructs {
	c := s.clients[number]
	if c == nil {
		c = &clientStructs{store: s, number: number, ordinal: uint32(len(s.ordinals))}
		s.clients[number] = c
		s.ordinals = append(s.ordinals, c)
	}
	return c
}

// root returns the type with a name at the root, a new one if there is none.
func (s *store) root(name string) *sharedType {
	t := s.roots[name]
	if t == nil {
		t = newType(nil, name)
		s.roots[name] = t
	}
	return t
}

// parent returns the type that an update names as a parent, or nil when that is gone.
func (s *store) parent(of parentRef) *sharedType {
	if !of.item.exists() {
		return s.root(of.root)
	}
	return s.find(of.item).typ()
}

// newestFirst returns the clients with the highest number first. Updates list them so:
// it makes for fewer conflicts when they are integrated.
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
