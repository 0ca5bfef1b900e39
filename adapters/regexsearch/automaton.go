package regexsearch

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// automaton is a lazily built DFA that runs a program over lines, from their ends to
// their beginnings. A state is the set of instructions at which the program may be; its
// transitions are computed on first use. One goroutine uses it at a time.
type automaton struct {
	program *program
	// width is the number of transitions of a state: one for each class and one for the
	// beginning of the line.
	width uint32
	// next holds the transitions of all states, state by state. The name of a state is
	// the index of its first transition.
	next   []uint32
	states []state
	byKey  map[string]uint32
	// resting is the state in which no part of a match has been read. rests is 1 for the
	// bytes that lead from it to itself: most bytes, for most patterns.
	resting uint32
	rests   [256]uint8

	reached, behind instructionSet
	stack           []uint16
	key             []byte
	// steps counts the instructions that were visited to compute transitions.
	steps int
}

// state is a set of instructions, in ascending order and without the first one, which
// belongs to every state because a match may end anywhere. before is the kind of the last
// character: atEdge, inWord or besideWord.
type state struct {
	instructions []uint16
	before       rune
}

const (
	atEdge     = -1
	inWord     = 'a'
	besideWord = ' '
)

const (
	// accepts is set in a transition if a match begins between the character before and
	// the one that the transition reads.
	accepts uint32 = 1 << 31
	// unknown is a transition that has not been computed yet.
	unknown = ^uint32(0)
	// maxTransitions bounds the memory of an automaton. When it is reached, the automaton
	// drops its states and continues.
	maxTransitions = 1 << 20
)

func newAutomaton(p *program) *automaton {
	if p == nil {
		return nil
	}
	a := &automaton{program: p, width: uint32(len(p.first) + 1)}
	a.reached.grow(len(p.instructions))
	a.behind.grow(len(p.instructions))
	a.forget()
	return a
}

// forget keeps only the state at the end of a line, which has the name 0, and the resting
// one.
func (a *automaton) forget() {
	a.next, a.states, a.byKey = a.next[:0], a.states[:0], make(map[string]uint32)
	a.name(nil, atEdge)
	a.resting = a.name(nil, besideWord)
	for c, class := range a.program.ascii {
		at := a.resting + uint32(class)
		if a.next[at] == unknown {
			a.next[at] = a.step(state{before: besideWord}, uint32(class))
		}
		a.rests[c] = 0
		if a.next[at] == a.resting {
			a.rests[c] = 1
		}
	}
}

// leftmost returns the offset of the leftmost match in line, or -1. Read from the end of
// the line, that is the last offset at which the reversed pattern ends.
func (a *automaton) leftmost(line []byte) int {
	ascii, next, resting := &a.program.ascii, a.next, a.resting
	found, at := -1, uint32(0)
	for i := len(line); i > 0; {
		var class uint32
		size := 1
		if c := line[i-1]; c < utf8.RuneSelf {
			class = uint32(ascii[c])
		} else {
			var r rune
			r, size = utf8.DecodeLastRune(line[:i])
			class = uint32(a.program.search(r))
		}
		t := next[at+class]
		if t >= accepts {
			if t == unknown {
				t = a.compute(at, class)
				next, resting = a.next, a.resting
			}
			if t >= accepts {
				found = i
				t &^= accepts
			}
		}
		at = t
		i -= size
		if at == resting {
			i = a.rest(line[:i])
		}
	}
	t := next[at+a.width-1]
	if t == unknown {
		t = a.compute(at, a.width-1)
	}
	if t >= accepts {
		return 0
	}
	return found
}

// rest returns the length of line without the bytes at its end that keep the automaton in
// the resting state. It tests eight at a time if possible.
func (a *automaton) rest(line []byte) int {
	rests, i := &a.rests, len(line)
	for ; i >= 8; i -= 8 {
		b := line[i-8 : i : i]
		if rests[b[0]]&rests[b[1]]&rests[b[2]]&rests[b[3]]&rests[b[4]]&rests[b[5]]&rests[b[6]]&rests[b[7]] == 0 {
			break
		}
	}
	for i > 0 && rests[line[i-1]] == 1 {
		i--
	}
	return i
}

// compute computes the transition of the state at for a class, and stores it if there is
// room.
func (a *automaton) compute(at, class uint32) uint32 {
	from := a.states[at/a.width]
	if len(a.next) >= maxTransitions {
		a.forget()
		return a.step(from, class)
	}
	t := a.step(from, class)
	a.next[at+class] = t
	return t
}

// step is the transition from a state for a class.
func (a *automaton) step(from state, class uint32) uint32 {
	after := rune(atEdge)
	if class < a.width-1 {
		after = a.program.first[class]
	}
	accepted := a.follow(from, after)
	before := rune(besideWord)
	if a.program.words && syntax.IsWordChar(after) {
		before = inWord
	}
	slices.Sort(a.behind.members)
	t := a.name(a.behind.members, before)
	if accepted {
		t |= accepts
	}
	return t
}

// follow collects two sets in reached: the instructions at which the program may be
// between from.before and after, and, in behind, those after it has read after. It
// reports whether a match begins there.
func (a *automaton) follow(from state, after rune) (accepted bool) {
	a.reached.clear()
	a.behind.clear()
	holds := syntax.EmptyOpContext(from.before, after)
	a.stack = append(append(a.stack[:0], from.instructions...), a.program.start)
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if !a.reached.add(pc) {
			continue
		}
		switch inst := &a.program.instructions[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, uint16(inst.Out), uint16(inst.Arg))
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, uint16(inst.Out))
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				a.stack = append(a.stack, uint16(inst.Out))
			}
		case syntax.InstMatch:
			accepted = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if after != atEdge && inst.MatchRune(after) {
				a.behind.add(uint16(inst.Out))
			}
		}
	}
	a.steps += len(a.reached.members)
	return accepted
}

// name returns the name of a state, and adds the state if it is new.
func (a *automaton) name(instructions []uint16, before rune) uint32 {
	a.key = append(a.key[:0], byte(before))
	for _, pc := range instructions {
		a.key = binary.LittleEndian.AppendUint16(a.key, pc)
	}
	if at, known := a.byKey[string(a.key)]; known {
		return at
	}
	at := uint32(len(a.next))
	a.byKey[string(a.key)] = at
	a.states = append(a.states, state{slices.Clone(instructions), before})
	a.next = append(a.next, slices.Repeat([]uint32{unknown}, int(a.width))...)
	return at
}

// instructionSet is a sparse set that is cleared in constant time.
type instructionSet struct {
	members []uint16
	// place says where in members an instruction is, if it is a member.
	place []uint16
}

func (s *instructionSet) grow(n int) { s.place = make([]uint16, n) }

func (s *instructionSet) clear() { s.members = s.members[:0] }

// add reports whether the instruction is new.
func (s *instructionSet) add(pc uint16) bool {
	if at := int(s.place[pc]); at < len(s.members) && s.members[at] == pc {
		return false
	}
	s.place[pc] = uint16(len(s.members))
	s.members = append(s.members, pc)
	return true
}
