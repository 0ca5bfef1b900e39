package buildtest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

func hasNoViteConfig(t *testing.T, open func(t *testing.T) build.Builder) {
	builder := open(t)
	got, err := builder.ViteConfig(t.Context(), project(nil), map[string]string{"VITE_A": "a"})
	if err != nil || !reflect.DeepEqual(got, build.ViteConfig{}) {
		t.Errorf("got %+v, %v, want nothing", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builder.ViteConfig(ctx, project(nil), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: got %v, want %v", err, context.Canceled)
	}
}
