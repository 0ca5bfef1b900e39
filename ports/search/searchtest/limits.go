package searchtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/search"
)

func refusesPatterns(t *testing.T, engine search.Engine) {
	for _, pattern := range []string{
		"(", ")", "[", "[z-a]", "a**", "*", "+a", `\`, `\1`, `(a)\1`, "(?=a)", "(?<!a)", "(?>a)", `\K`, `\Z`, `\p{Nonsense}`, "a{1001}", "((a{100}){100}){100}", "a\xff", "[\xff]",
		strings.Repeat("a", search.MaxPatternBytes+1), strings.Repeat("(a?){1000}", 90), `(\pL{100}){10}(\pL{1000}){90}`,
	} {
		_, err := engine.Search(t.Context(), tree(map[string]string{"f": "aaa"}), search.Query{Pattern: pattern, Limit: 10})
		if !core.IsCode(err, core.CodeInvalidRegex) {
			t.Errorf("%.40q: got %v, want code invalid_regex", pattern, err)
		}
	}
	longest := strings.Repeat("a", search.MaxPatternBytes)
	wantPlaces(t, engine, tree(map[string]string{"f": "x" + longest}), longest, "f:1:2")
}

// boundsCost gives patterns that take the package regexp seconds to
// minutes on such texts.
func boundsCost(t *testing.T, engine search.Engine) {
	random := rand.New(rand.NewPCG(5, 6))
	letters := make([]byte, 80<<10)
	for i := range letters {
		letters[i] = "ab"[random.IntN(2)]
	}
	lines := slices.Clone(letters)
	for i := 99; i < len(lines); i += 100 {
		lines[i] = '\n'
	}
	files := tree(map[string]string{"line": string(letters), "lines": string(lines), "same": strings.Repeat("a", 80<<10), "words": strings.Repeat("aaa é日\n", 8000)})
	for _, pattern := range []string{
		"(((a?){10}){10}){10}x", "(a*)*x", "(x+x+)+y", "c[ab]{200}a", "[ab]*a[ab]{200}c", "c[ab]{18}a", strings.Repeat("a?", 300) + "x", `(\pL+\s*){1,80}x`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), conformance.Patience)
		_, err := engine.Search(ctx, files, search.Query{Pattern: pattern, Limit: search.MaxLimit})
		cancel()
		if err != nil && !core.IsCode(err, core.CodeInvalidRegex) {
			t.Fatalf("%.40q: got %v, want it refused with invalid_regex, or an end", pattern, err)
		}
	}
}

func honoursContext(t *testing.T, engine search.Engine) {
	contents := map[string]string{}
	for i := range 500 {
		contents[fmt.Sprintf("d%d/f%d", i%10, i)] = "needle\n"
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Search(ended, tree(contents), search.Query{Pattern: "ne+dle", Limit: 10_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: got %v, want %v", err, context.Canceled)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	files := faultyTree{tree(contents), func(name string) error {
		if strings.Contains(name, "f25") {
			once.Do(cancel)
		}
		return nil
	}}
	if _, err := engine.Search(ctx, files, search.Query{Pattern: "ne+dle", Limit: 10_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended meanwhile: got %v, want %v", err, context.Canceled)
	}
}

func runsInParallel(t *testing.T, engine search.Engine) {
	contents := map[string]string{}
	for i := range 100 {
		contents[fmt.Sprintf("f%03d", i)] = strings.Repeat("foo bar é\nbaz 12\n", 20)
	}
	files := tree(contents)
	var running sync.WaitGroup
	for _, pattern := range []string{"foo", "ba[rz]", `\d+`, "(?i)BAR"} {
		want := find(t, engine, files, pattern, search.MaxLimit)
		for range 4 {
			running.Go(func() {
				got, err := engine.Search(t.Context(), files, search.Query{Pattern: pattern, Limit: search.MaxLimit})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%q: got %d matches, %v, want the %d as when alone", pattern, len(got.Matches), err, len(want.Matches))
				}
			})
		}
	}
	running.Wait()
}

func leaksNothing(t *testing.T, engine search.Engine) {
	contents := map[string]string{}
	for i := range 300 {
		contents[fmt.Sprintf("f%03d", i)] = "needle\n"
	}
	before := runtime.NumGoroutine()
	for range 20 {
		find(t, engine, tree(contents), "ne+dle", 1)
	}
	deadline := time.Now().Add(conformance.Patience)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := runtime.NumGoroutine(); got > before {
		t.Errorf("got %d goroutines, want the %d from before", got, before)
	}
}
