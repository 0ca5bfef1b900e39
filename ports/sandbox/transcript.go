package sandbox

import (
	"fmt"
	"strings"
)

// MaxOutputBytes bounds Outcome.Output, without the note about what was cut.
const MaxOutputBytes = 64 << 10

// Transcript collects the output of a command and keeps its beginning and its end:
// the one shows what was done, the other how it went. The zero value is empty. It
// is for one goroutine.
type Transcript struct {
	head []byte
	// tail is a ring buffer of the last bytes after head; at is the place of the
	// next one.
	tail  []byte
	at    int
	total int64
}

const halfOutput = MaxOutputBytes / 2

// Write implements io.Writer. It never fails.
func (t *Transcript) Write(said []byte) (int, error) {
	t.total += int64(len(said))
	rest := said
	if room := halfOutput - len(t.head); room > 0 {
		taken := min(room, len(rest))
		t.head, rest = append(t.head, rest[:taken]...), rest[taken:]
	}
	t.keepLast(rest)
	return len(said), nil
}

// keepLast overwrites the oldest bytes of the tail.
func (t *Transcript) keepLast(rest []byte) {
	rest = rest[max(0, len(rest)-halfOutput):]
	if room := halfOutput - len(t.tail); room > 0 {
		taken := min(room, len(rest))
		t.tail, rest = append(t.tail, rest[:taken]...), rest[taken:]
	}
	for len(rest) > 0 {
		copied := copy(t.tail[t.at:], rest)
		t.at, rest = (t.at+copied)%halfOutput, rest[copied:]
	}
}

// Total is how many bytes were written, kept or not.
func (t *Transcript) Total() int64 { return t.total }

// Text returns the output as valid UTF-8 without NUL: invalid bytes and NUL become
// U+FFFD. Output over MaxOutputBytes is cut in the middle, where a line says how
// much is missing.
func (t *Transcript) Text() string {
	last := string(t.tail[t.at:]) + string(t.tail[:t.at])
	missing := t.total - int64(len(t.head)+len(last))
	if missing == 0 {
		return clean(string(t.head) + last)
	}
	return clean(string(t.head)) + fmt.Sprintf("\n… %d bytes left out …\n", missing) + clean(last)
}

func clean(said string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(said, "\uFFFD"), "\x00", "\uFFFD")
}
