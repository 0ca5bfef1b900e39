package builds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// counter is a resolver and a builder that count their requests.
type counter struct {
	installed []string
	built     []string
	wrong     []core.Diagnostic
	err       error
}

func (c *counter) Install(_ context.Context, dependencies map[string]string) (packages.Set, error) {
	key := fmt.Sprint(dependencies)
	c.installed = append(c.installed, key)
	return packages.Set{Dir: "/store/" + key, Key: key}, c.err
}

func (*counter) ViteConfig(context.Context, fs.FS, map[string]string) (build.ViteConfig, error) {
	return build.ViteConfig{}, nil
}

func (c *counter) Build(_ context.Context, req build.Request) (build.Result, error) {
	c.built = append(c.built, fmt.Sprint(req.Mode, " ", req.PackagesKey))
	return build.Result{Diagnostics: c.wrong}, nil
}

func TestPrepare(t *testing.T) {
	start := func(manifest string) fs.FS {
		return fstest.MapFS{"package.json": {Data: []byte(manifest)}, "index.html": {Data: []byte("<p>")}}
	}
	react := start(`{"dependencies": {"react": "^19.0.0"}}`)
	starts := []fs.FS{
		fstest.MapFS{"index.html": {Data: []byte("<p>")}},
		react, react,
		start(`{"dependencies": {"vue": "^3.0.0"}}`),
		start(`{"dependencies": {"preact": "^10.0.0"}}`),
	}

	t.Run("builds one project of each set of packages, in both modes", func(t *testing.T) {
		c := &counter{}
		synctest.Test(t, func(t *testing.T) {
			if err := Prepare(t.Context(), starts, c, c); err != nil {
				t.Fatal(err)
			}
		})
		one, other := "map[react:^19.0.0]", "map[preact:^10.0.0]"
		want := fmt.Sprint([]string{
			fmt.Sprint(build.ModePreview, " ", one), fmt.Sprint(build.ModeSite, " ", one),
			fmt.Sprint(build.ModePreview, " ", other), fmt.Sprint(build.ModeSite, " ", other),
		})
		if got := fmt.Sprint(c.built); got != want {
			t.Errorf("got %s built, want %s", got, want)
		}
	})

	t.Run("says what went wrong", func(t *testing.T) {
		for name, c := range map[string]*counter{
			"packages": {err: core.Errorf(core.CodeUnavailable, "no disk")},
			"sources":  {wrong: []core.Diagnostic{{Message: "no"}}},
		} {
			synctest.Test(t, func(t *testing.T) {
				if err := Prepare(t.Context(), starts, c, c); err == nil {
					t.Errorf("%s: got no error, want one", name)
				}
			})
		}
	})

	t.Run("leaves the first moments to others, and ends with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &counter{}
			ctx, cancel := context.WithTimeout(t.Context(), settleTime/2)
			defer cancel()
			err := Prepare(ctx, starts, c, c)
			if len(c.installed) == 0 || len(c.built) != 0 || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %d installed, %d built, %v, want all installed and nothing built", len(c.installed), len(c.built), err)
			}
		})
	})
}
