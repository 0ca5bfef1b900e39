package chromium

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAMessageThatIsTooLongEndsTheCopying(t *testing.T) {
	const limit = 100_000
	short := strings.Repeat("m", limit) + "\x00"
	for name, c := range map[string]struct {
		messages string
		want     error
	}{
		"messages of the limit":             {strings.Repeat(short, 3), io.EOF},
		"one byte more":                     {short + "m" + short, bufio.ErrTooLong},
		"a message that never ends":         {strings.Repeat("m", 5*limit), bufio.ErrTooLong},
		"many short ones, more than enough": {strings.Repeat("m\x00", 5*limit), io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			var copied bytes.Buffer
			err := copyMessages(&copied, strings.NewReader(c.messages), limit)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if c.want == io.EOF && copied.String() != c.messages {
				t.Errorf("got %d bytes, want %d as they were", copied.Len(), len(c.messages))
			}
		})
	}
}
