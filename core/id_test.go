package core_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestNewIDIsAVersion7UUID(t *testing.T) {
	before := time.Now().UnixMilli()
	for range 1000 {
		id := core.NewID()
		parsed, err := core.ParseID(string(id))
		if err != nil || parsed != id {
			t.Fatalf("%s: got %s, %v, want it accepted", id, parsed, err)
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(string(id), "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		if version := raw[6] >> 4; version != 7 {
			t.Errorf("%s: got version %d, want 7", id, version)
		}
		if variant := raw[8] >> 6; variant != 0b10 {
			t.Errorf("%s: got variant %b, want 10", id, variant)
		}
		var made int64
		for _, b := range raw[:6] {
			made = made<<8 | int64(b)
		}
		if after := time.Now().UnixMilli(); made < before || made > after {
			t.Errorf("%s: got the time %d, want one from %d to %d", id, made, before, after)
		}
	}
}

func TestNewIDsAreUnique(t *testing.T) {
	const workers, each = 4, 20_000
	made := make([][]core.ID, workers)
	var running sync.WaitGroup
	for w := range made {
		running.Go(func() {
			for range each {
				made[w] = append(made[w], core.NewID())
			}
		})
	}
	running.Wait()
	all := slices.Concat(made...)
	slices.Sort(all)
	if got, want := len(slices.Compact(all)), workers*each; got != want {
		t.Errorf("got %d different ids, want %d", got, want)
	}
}

func TestNewIDsMadeLaterSortLater(t *testing.T) {
	previous := core.NewID()
	for range 2000 {
		for start := time.Now(); time.Since(start) < time.Microsecond; {
		}
		next := core.NewID()
		if next <= previous {
			t.Fatalf("%s was made after %s, want it to sort later", next, previous)
		}
		previous = next
	}
}

func TestParseID(t *testing.T) {
	good := "0190b5a4-7c3f-7abc-8def-0123456789ab"
	for text, want := range map[string]core.Code{
		good:                                   "",
		"00000000-0000-0000-0000-000000000000": "",
		"":                                     core.CodeNotFound,
		"me":                                   core.CodeNotFound,
		strings.ToUpper(good):                  core.CodeNotFound,
		strings.ReplaceAll(good, "-", ""):      core.CodeNotFound,
		"{" + good + "}":                       core.CodeNotFound,
		"urn:uuid:" + good:                     core.CodeNotFound,
		good + "0":                             core.CodeNotFound,
		good[1:]:                               core.CodeNotFound,
		" " + good[1:]:                         core.CodeNotFound,
		good[:35] + "g":                        core.CodeNotFound,
		good[:35] + "\x00":                     core.CodeNotFound,
		good[:8] + "_" + good[9:]:              core.CodeNotFound,
		good[:7] + "--" + good[9:]:             core.CodeNotFound,
		good[:34] + "é":                        core.CodeNotFound,
		"../../../../../../../etc/passwd/xxxxxxxxx": core.CodeNotFound,
	} {
		id, err := core.ParseID(text)
		if got := core.CodeOf(err); got != want {
			t.Errorf("%q: got code %q, want %q", text, got, want)
		}
		if err == nil && string(id) != text || err != nil && id != "" {
			t.Errorf("%q: got the id %q beside %v", text, id, err)
		}
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("0190b5a4-7c3f-7abc-8def-0123456789ab")
	f.Add("0190b5a4-7c3f-7abc-8def-0123456789aG")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := core.ParseID(text)
		if err != nil {
			return
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || len(raw) != 16 || string(id) != strings.ToLower(text) {
			t.Fatalf("%q: accepted, but it is no UUID in lower case", text)
		}
	})
}
