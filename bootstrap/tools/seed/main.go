// Seed writes the packages of the built-in templates into the sources, in the versions
// that the npm registry has today. The program embeds them, so that these templates need
// no network.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/core/builds"
)

// seedDir is the directory of the seed in the sources.
const seedDir = "adapters/npm/seed"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, seedDir); err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, dir string) error {
	lists, err := dependencies()
	if err != nil {
		return err
	}
	store, err := os.MkdirTemp("", "seed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(store)
	resolver, err := npm.New(npm.Config{Dir: store})
	if err != nil {
		return err
	}
	return resolver.WriteSeed(ctx, dir, lists)
}

// dependencies returns what each built-in template needs.
func dependencies() ([]map[string]string, error) {
	templates := scaffold.New()
	var lists []map[string]string
	for _, template := range templates.List() {
		files, err := templates.Files(template.ID)
		if err != nil {
			return nil, err
		}
		list, err := builds.Dependencies(files)
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", template.ID, err)
		}
		lists = append(lists, list)
	}
	return lists, nil
}
