package attack_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/attack"
	"github.com/atelierhq/atelier/ports/backend"
)

func place() backend.Place { return backend.Place{Project: core.NewID(), Env: core.DataTest} }

func highs(found []core.Finding) []core.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f core.Finding) bool { return f.Severity != core.FindingHigh })
}

// schemas is how many generated schemas of each kind meet PocketBase. The engine in memory meets 500,
// and so does PocketBase in make soak.
var schemas = flag.Int("schemas", 10, "generated schemas of each kind for PocketBase")

// TestLeaksAreStopped makes schemas with a leak each, of which 99 of 100 have to be found.
func TestLeaksAreStopped(t *testing.T) {
	t.Parallel()
	findsLeaks(t, memory.New(memory.Config{}), 500)
}

// TestSoundSchemasPass makes schemas without a leak, of which 1 of 100 may be refused.
func TestSoundSchemasPass(t *testing.T) {
	t.Parallel()
	passesSound(t, memory.New(memory.Config{}), 500)
}

// TestFaultsThatPocketBaseShows is both with the engine that people's data is in.
func TestFaultsThatPocketBaseShows(t *testing.T) {
	t.Parallel()
	engine := newPocketBase(t)
	findsLeaks(t, engine, *schemas)
	passesSound(t, engine, *schemas)
}

func findsLeaks(t *testing.T, engine attack.Engine, count int) {
	t.Helper()
	d := dice{rand.New(rand.NewPCG(1, 2))}
	missed := 0
	for range count {
		schema, leak := d.leaking()
		if len(highs(attacked(t, engine, schema, leak))) == 0 {
			missed++
			t.Logf("missed: %s", leak)
		}
	}
	if missed > count/100 {
		t.Errorf("%d of %d leaks were missed, want at most 1 of 100", missed, count)
	}
}

func passesSound(t *testing.T, engine attack.Engine, count int) {
	t.Helper()
	d := dice{rand.New(rand.NewPCG(3, 4))}
	refused := 0
	for range count {
		schema, main, _ := d.sound()
		if high := highs(attacked(t, engine, schema, main)); len(high) > 0 {
			refused++
			t.Logf("refused: %s: %s %v %s", main, high[0].Action, high[0].Fields, high[0].Text)
		}
	}
	if refused > count/100 {
		t.Errorf("%d of %d sound schemas were refused, want at most 1 of 100", refused, count)
	}
}

// attacked returns what an attack on a schema finds.
func attacked(t *testing.T, engine attack.Engine, schema backend.Schema, name string) []core.Finding {
	t.Helper()
	found, err := attack.Run(t.Context(), engine, place(), schema)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

func ordersOf(list string) backend.Schema {
	users := col("users", backend.Auth, [5]string{"-", "-", "", "id = " + me, "-"})
	orders := col("orders", backend.Base, [5]string{list, own("customer"), own("customer"), "-", "-"}, fld("email", "email", nil), fld("text", "text", nil), rel("customer", "users", nil))
	return backend.Schema{Collections: []backend.Collection{users, orders}}
}

func TestFindingsKeepTheirIDUntilTheRuleChanges(t *testing.T) {
	t.Parallel()
	engine := memory.New(memory.Config{})
	run := func(schema backend.Schema) core.Finding {
		found, err := attack.Run(t.Context(), engine, place(), schema)
		if err != nil || len(highs(found)) != 1 {
			t.Fatalf("found %v, %v, want one that is high", found, err)
		}
		return highs(found)[0]
	}
	first, again, other := run(ordersOf("")), run(ordersOf("")), run(ordersOf("id != ''"))
	if first.ID != again.ID || first.ID == other.ID {
		t.Errorf("the ids are %s, %s and, for another rule, %s", first.ID, again.ID, other.ID)
	}
	if _, err := core.ParseID(string(first.ID)); err != nil {
		t.Error(err)
	}
	if first.As != core.AttackGuest || first.Action != core.AttackList || !slices.Equal(first.Fields, []string{"email"}) {
		t.Errorf("found %+v", first)
	}
	if want := `"listRule": "@request.auth.id != '' && customer = @request.auth.id", "viewRule": "@request.auth.id != '' && customer = @request.auth.id"`; first.Suggestion != want {
		t.Errorf("the suggestion is %s, want %s", first.Suggestion, want)
	}
}

// spyEngine is an engine that remembers the places of copies, and calls before with every request.
type spyEngine struct {
	*memory.Engine
	mu     sync.Mutex
	copies map[backend.Place]bool
	before func()
}

func (w *spyEngine) Apply(ctx context.Context, at backend.Place, schema backend.Schema) error {
	w.mu.Lock()
	w.copies[at] = true
	w.mu.Unlock()
	return w.Engine.Apply(ctx, at, schema)
}

func (w *spyEngine) Serve(to http.ResponseWriter, r *http.Request, at backend.Place, as backend.Identity) {
	if w.before != nil {
		w.before()
	}
	w.Engine.Serve(to, r, at, as)
}

// left reports which copies still exist.
func (w *spyEngine) left(t *testing.T) int {
	t.Helper()
	left := 0
	for at := range w.copies {
		if _, err := w.Schema(context.WithoutCancel(t.Context()), at); !core.IsCode(err, core.CodeNotFound) {
			left++
		}
	}
	return left
}

func TestNothingIsLeftAndNothingTouched(t *testing.T) {
	t.Parallel()
	engine := &spyEngine{Engine: memory.New(memory.Config{}), copies: make(map[backend.Place]bool)}
	at := place()
	if err := engine.Engine.Apply(t.Context(), at, ordersOf("")); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Insert(t.Context(), at, "orders", backend.Insertion{Records: []json.RawMessage{json.RawMessage(`{"email": "anna@example.com", "text": "hello"}`)}}); err != nil {
		t.Fatal(err)
	}
	found, err := attack.Run(t.Context(), engine, at, ordersOf(""))
	if err != nil || len(highs(found)) != 1 || highs(found)[0].Records != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if stats, err := engine.Stats(t.Context(), at); err != nil || stats.Records != 1 || engine.left(t) != 0 || len(engine.copies) != 1 {
		t.Errorf("the data holds %+v, %v, and %d of %d copies are left", stats, err, engine.left(t), len(engine.copies))
	}
	ctx, cancel := context.WithCancel(t.Context())
	sent := 0
	engine.before = func() {
		if sent++; sent == 20 {
			cancel()
		}
	}
	if _, err := attack.Run(ctx, engine, at, ordersOf("")); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("after the cancellation Run returned %v", err)
	}
	if engine.left(t) != 0 || len(engine.copies) != 2 {
		t.Errorf("%d of %d copies are left", engine.left(t), len(engine.copies))
	}
}

// The cost goes beside the options that the schema gives passwords, unless it is one of them.
func TestPasswordsOfTheCopyAreHashedCheaply(t *testing.T) {
	t.Parallel()
	engine := memory.New(memory.Config{})
	for given, want := range map[string]map[string]string{"": {"cost": "4"}, `{"min": 9}`: {"cost": "4", "min": "9"}, `{"cost": 12}`: {"cost": "12"}} {
		schema := ordersOf("")
		if given != "" {
			var options map[string]json.RawMessage
			if err := json.Unmarshal([]byte(given), &options); err != nil {
				t.Fatal(err)
			}
			schema.Collections[0].Fields = []backend.Field{{ID: "secret", Name: "password", Type: "password", Options: options}}
		}
		copied := &schemaSpy{Engine: engine}
		if _, err := attack.Run(t.Context(), copied, place(), schema); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name, value := range copied.schema.Collections[0].Fields[0].Options {
			got[name] = string(value)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got the password's options %v, want %v", given, got, want)
		}
		if fields := schema.Collections[0].Fields; len(fields) > 0 && given != `{"cost": 12}` && fields[0].Options["cost"] != nil {
			t.Errorf("%s: the schema that was given has changed", given)
		}
	}
}

// schemaSpy is an engine that remembers the last schema.
type schemaSpy struct {
	*memory.Engine
	schema backend.Schema
}

func (a *schemaSpy) Apply(ctx context.Context, at backend.Place, schema backend.Schema) error {
	a.schema = schema
	return a.Engine.Apply(ctx, at, schema)
}

func TestWrongSchemasAreProblems(t *testing.T) {
	t.Parallel()
	problem := new(backend.Problem)
	if _, err := attack.Run(t.Context(), memory.New(memory.Config{}), place(), ordersOf("nowhere = 1")); !errors.As(err, &problem) {
		t.Errorf("Run returned %v, want a problem", err)
	}
}

// newPocketBase returns the real engine.
func newPocketBase(tb testing.TB) *pocketbase.Engine {
	engine, err := pocketbase.New(pocketbase.Config{Dir: tb.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	return engine
}

// BenchmarkAttack attacks 20 collections, which are to take 3 s at most.
func BenchmarkAttack(b *testing.B) {
	engine := newPocketBase(b)
	schema := backend.Schema{Collections: []backend.Collection{dice{rand.New(rand.NewPCG(7, 8))}.users()}}
	for i := range 19 {
		mine := own("owner")
		if i%3 == 0 {
			mine = signed
		}
		schema.Collections = append(schema.Collections, col(fmt.Sprintf("things%d", i), backend.Base, [5]string{mine, mine, mine, mine, mine}, fld("title", "text", nil), fld("phone", "text", nil), fld("state", "select", opts{"values": []string{"new", "open", "closed"}, "maxSelect": 1}), fld("count", "number", nil), rel("owner", "users", nil)))
	}
	at := place()
	if err := engine.Apply(b.Context(), at, schema); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := attack.Run(b.Context(), engine, at, schema); err != nil || len(highs(found)) == 0 {
			b.Fatal(found, err)
		}
	}
}
