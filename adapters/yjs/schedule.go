package yjs

import (
	"cmp"
	"slices"
)

// plan says which structs can be integrated, each after its dependencies, and which have
// to wait, and for what.
type plan struct {
	ready []*updateStruct
	rest  []queue
	// until maps clients whose structs others wait for to a clock: when the client's
	// state exceeds it, trying again may help.
	until map[uint64]uint32
}

// scheduler makes a plan. It only looks at clocks and changes neither the store nor the
// structs, so an update can still be refused as a whole.
type scheduler struct {
	store  *store
	queues []queue
	taken  []queueProgress // of each queue
	plan   plan
}

// queueProgress is the progress in a queue: next is the next struct, and state is that of
// the client, including the ready structs.
type queueProgress struct {
	next  int
	state uint32
}

// schedule plans the integration of sorted queues.
func schedule(s *store, queues []queue) plan {
	sch := &scheduler{store: s, queues: queues, taken: make([]queueProgress, len(queues))}
	total := 0
	for i, q := range queues {
		sch.taken[i].state = s.state(q.client)
		total += len(q.structs)
	}
	sch.plan.ready = make([]*updateStruct, 0, total)
	for i := range queues {
		for {
			in := sch.take(i)
			if in == nil {
				break
			}
			sch.reach(in, i)
		}
	}
	sch.plan.rest = joinQueues(sch.plan.rest)
	return sch.plan
}

// take removes the next struct from a queue, or returns nil at the end.
func (sch *scheduler) take(q int) *updateStruct {
	structs, next := sch.queues[q].structs, sch.taken[q].next
	if next == len(structs) {
		return nil
	}
	sch.taken[q].next++
	return &structs[next]
}

// blockedStruct is a struct that waits for another one, with the index of its queue.
type blockedStruct struct {
	*updateStruct
	queue int
}

// reach makes a struct ready, after its dependencies. If a dependency is missing, all
// structs that depend on it have to wait, together with the later structs of their
// clients.
func (sch *scheduler) reach(in *updateStruct, queue int) {
	stack := []blockedStruct{{in, queue}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		state := sch.taken[top.queue].state
		if top.end() <= state {
			stack = stack[:len(stack)-1]
			continue
		}
		if top.clock > state {
			sch.block(stack, top.client, top.clock-1)
			return
		}
		needed, missing := sch.missing(top.updateStruct)
		if !missing {
			sch.plan.ready = append(sch.plan.ready, top.updateStruct)
			sch.taken[top.queue].state = top.end()
			stack = stack[:len(stack)-1]
			continue
		}
		at, known := sch.queueOf(needed)
		var next *updateStruct
		if known {
			next = sch.take(at)
		}
		if next == nil {
			sch.block(stack, needed, sch.state(needed))
			return
		}
		stack = append(stack, blockedStruct{next, at})
	}
}

// missing returns a client whose further structs the struct depends on.
func (sch *scheduler) missing(in *updateStruct) (uint64, bool) {
	if in.ref == refGC {
		return 0, false
	}
	for _, needed := range []id{in.origin, in.rightOrigin, in.parent.item} {
		if needed.exists() && needed.client != in.client && needed.clock >= sch.state(needed.client) {
			return needed.client, true
		}
	}
	return 0, false
}

func (sch *scheduler) state(client uint64) uint32 {
	if at, known := sch.queueOf(client); known {
		return sch.taken[at].state
	}
	return sch.store.state(client)
}

func (sch *scheduler) queueOf(client uint64) (int, bool) {
	return slices.BinarySearchFunc(sch.queues, client, func(q queue, client uint64) int { return cmp.Compare(client, q.client) })
}

// block makes structs wait, together with the rest of their queues.
func (sch *scheduler) block(stack []blockedStruct, client uint64, clock uint32) {
	if sch.plan.until == nil {
		sch.plan.until = map[uint64]uint32{}
	}
	if known, found := sch.plan.until[client]; !found || clock < known {
		sch.plan.until[client] = clock
	}
	for _, in := range stack {
		rest := queue{client: in.client, structs: []updateStruct{*in.updateStruct}}
		rest.structs = append(rest.structs, sch.queues[in.queue].structs[sch.taken[in.queue].next:]...)
		sch.taken[in.queue].next = len(sch.queues[in.queue].structs)
		sch.plan.rest = append(sch.plan.rest, rest)
	}
}

// pendingStructs holds structs and deletions that could not be integrated yet.
type pendingStructs struct {
	queues  []queue
	until   map[uint64]uint32
	deletes deleteSet
}

// count is the number of pending structs and deletions.
func (p *pendingStructs) count() int {
	n := len(p.deletes)
	for _, q := range p.queues {
		n += len(q.structs)
	}
	return n
}

// with returns the pending structs together with those of a plan. It does not change p.
func (p *pendingStructs) with(next plan) pendingStructs {
	if len(next.rest) == 0 {
		return *p
	}
	both := pendingStructs{queues: joinQueues(slices.Concat(p.queues, next.rest)), until: map[uint64]uint32{}, deletes: p.deletes}
	for _, from := range []map[uint64]uint32{p.until, next.until} {
		for client, clock := range from {
			if known, found := both.until[client]; !found || clock < known {
				both.until[client] = clock
			}
		}
	}
	return both
}

// unblocked reports whether something has arrived that structs wait for.
func (p *pendingStructs) unblocked(s *store) bool {
	for client, clock := range p.until {
		if s.state(client) > clock {
			return true
		}
	}
	return false
}
