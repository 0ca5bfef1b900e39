package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

func transcribe(said string, piece int) *sandbox.Transcript {
	var t sandbox.Transcript
	for len(said) > 0 {
		taken := min(piece, len(said))
		_, _ = t.Write([]byte(said[:taken]))
		said = said[taken:]
	}
	return &t
}

func TestATranscriptKeepsBeginningAndEnd(t *testing.T) {
	const half = sandbox.MaxOutputBytes / 2
	var long strings.Builder
	for i := range 40_000 {
		fmt.Fprintln(&long, i)
	}
	for _, size := range []int{0, 1, half, half + 1, 2*half - 1, 2 * half, 2*half + 1, 3 * half, 3*half + 7, long.Len()} {
		for _, piece := range []int{1, 1000, half, half + 3, 5 * half} {
			said := long.String()[:size]
			want := said
			if size > 2*half {
				want = fmt.Sprintf("%s\n… %d bytes left out …\n%s", said[:half], size-2*half, said[size-half:])
			}
			got := transcribe(said, piece)
			if got.Text() != want || got.Total() != int64(size) {
				t.Errorf("%d bytes in pieces of %d: got %d bytes of text, total %d, want %d bytes", size, piece, len(got.Text()), got.Total(), len(want))
			}
		}
	}
}

func FuzzATranscriptIsShortValidText(f *testing.F) {
	f.Add([]byte("a\xffb\x00c"), 3)
	f.Add([]byte("äöü"), 40_000)
	f.Fuzz(func(t *testing.T, said []byte, times int) {
		var transcript sandbox.Transcript
		for range min(max(times, 0), 1+200_000/(len(said)+1)) {
			_, _ = transcript.Write(said)
		}
		got := transcript.Text()
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0) || len(got) > 3*sandbox.MaxOutputBytes+100 {
			t.Fatalf("got %d bytes, valid %v, want short, valid text without NUL", len(got), utf8.ValidString(got))
		}
	})
}

func TestCheckLine(t *testing.T) {
	for line, want := range map[string]core.Code{
		"ls": "", "": core.CodeValidationFailed, " \n\t": core.CodeValidationFailed, "a\x00b": core.CodeValidationFailed,
		strings.Repeat("a", sandbox.MaxLineBytes): "", strings.Repeat("a", sandbox.MaxLineBytes+1): core.CodeValidationFailed,
	} {
		if got := core.CodeOf(sandbox.CheckLine(line)); got != want {
			t.Errorf("%.20q: got %q, want %q", line, got, want)
		}
	}
}

func TestTheBoundOfACommand(t *testing.T) {
	const most = sandbox.MaxTime
	for given, want := range map[time.Duration]time.Duration{-1: most, 0: most, time.Second: time.Second, most: most, most + 1: most} {
		if got := (sandbox.Command{Time: given}).Bound(); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}
