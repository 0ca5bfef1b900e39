package yjs

// Clients count texts in UTF-16 code units: a character outside the basic plane, four
// bytes in UTF-8, counts as two, a surrogate pair. Here texts are UTF-8 throughout, and
// lengths and clocks are in these units.

// replacement replaces half of a cut surrogate pair. It is one unit, like the half. Yjs
// writes the same, because half a pair is no valid text.
const replacement = "\uFFFD"

// utf16Length returns the length of a text in units.
func utf16Length(text []byte) uint32 {
	n := len(text)
	for _, b := range text {
		switch {
		case b < 0x80:
		case b < 0xc0: // inside a character
			n--
		case b >= 0xf0:
			n++
		}
	}
	return uint32(n)
}

// cutAt returns the byte offset at which a number of units ends, in a text of a length in
// units. If that is within a surrogate pair, it returns the start of the pair, and true.
func cutAt(text []byte, units, length uint32) (at int, inPair bool) {
	if length == uint32(len(text)) {
		return int(units), false
	}
	for at < len(text) && units > 0 {
		width, counted := 1, uint32(1)
		switch b := text[at]; {
		case b >= 0xf0:
			width, counted = 4, 2
		case b >= 0xe0:
			width = 3
		case b >= 0xc0:
			width = 2
		}
		if counted > units {
			return at, true
		}
		at, units = at+width, units-counted
	}
	return at, false
}
