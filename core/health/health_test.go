package health_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/health"
)

func TestAdminsSeeWhatEachCheckFinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.NewStore()
		admin, other := core.User{ID: core.NewID(), Email: "admin@example.com", Admin: true}, core.User{ID: core.NewID(), Email: "other@example.com"}
		for _, user := range []core.User{admin, other} {
			if err := store.Tables().Users.Create(t.Context(), user); err != nil {
				t.Fatal(err)
			}
		}
		service := health.New(access.NewGate(store), health.Checks{
			{"works", func(context.Context) (core.Phrase, error) { return core.Phrasef("answers"), nil }},
			{"known", func(context.Context) (core.Phrase, error) {
				return core.Phrase{}, core.Wrap(core.CodeUnavailable, errors.New("password=secret"), "the disk is full")
			}},
			{"unknown", func(context.Context) (core.Phrase, error) { return core.Phrase{}, errors.New("password=secret") }},
			{"hangs", func(ctx context.Context) (core.Phrase, error) { <-ctx.Done(); return core.Phrase{}, ctx.Err() }},
		}, slog.New(slog.DiscardHandler))
		found, err := service.Look(t.Context(), core.Actor{UserID: admin.ID})
		want := []health.Finding{
			{"works", true, core.Phrasef("answers")}, {"known", false, core.Phrasef("the disk is full")},
			{"unknown", false, core.Phrasef("it failed; the log of the service says why")}, {"hangs", false, core.Phrasef("it did not answer in time")},
		}
		if err != nil || !reflect.DeepEqual(found, want) {
			t.Errorf("got %+v, %v, want %+v", found, err, want)
		}
		if _, err := service.Look(t.Context(), core.Actor{UserID: other.ID}); !core.IsCode(err, core.CodeForbidden) {
			t.Errorf("got %v, want it forbidden to others", err)
		}
	})
}
