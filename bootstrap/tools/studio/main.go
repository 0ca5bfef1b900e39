// Studio builds the studio's sources into the embedded files, with Atelier's own builder
// and npm store. It can also serve them during development, and lint and format them with
// Biome.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// studioDir is where the sources of the studio are.
const studioDir = "adapters/studio"

func main() {
	address := flag.String("serve", "", "serve a whole service on this `address` instead, the studio built anew when its sources change")
	data := flag.String("data", "", "the `folder` of that service, a temporary one unless it is given")
	lint := flag.Bool("lint", false, "lint the sources, and check their format, instead")
	format := flag.Bool("format", false, "format the sources instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	web := filepath.Join(studioDir, "web")
	var err error
	switch {
	case *lint:
		err = errors.Join(checkLiterals(os.DirFS(web)), biome(ctx, web, "check", "--error-on-warnings"))
	case *format:
		err = biome(ctx, web, "check", "--write", "--linter-enabled=false")
	default:
		err = run(ctx, *address, *data)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "studio:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, data string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	shop, err := newWorkshop(studioDir, filepath.Join(cache, "atelier-studio"))
	if err != nil {
		return err
	}
	if address != "" {
		return serve(ctx, shop, address, data)
	}
	if err := writeClient("."); err != nil {
		return err
	}
	files, err := shop.build(ctx)
	if err != nil {
		return err
	}
	if err := shop.write(files, filepath.Join(studioDir, "dist")); err != nil {
		return err
	}
	set, err := shop.install(ctx)
	if err != nil {
		return err
	}
	text, err := notices(set.Dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(studioDir, noticesFile), text, 0o644); err != nil {
		return err
	}
	return shop.keepLock()
}
