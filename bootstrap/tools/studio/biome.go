package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/atelierhq/atelier/bootstrap/tools/npmarchive"
)

// biomeVersion is the Biome that lints and formats the studio's sources, by the
// settings in web/biome.jsonc.
const biomeVersion = "2.6.8"

// biomeArchive returns Biome's package for this system.
func biomeArchive() (npmarchive.Archive, error) {
	kinds := map[string][2]string{
		"linux/amd64": {"linux-x64", "XIk3pLQT56I6Tti+u0DF8FtSNXjCMTPbxVTzfJ9cS2t1ImVKvrqV5b52GuEaJg6/wuiXvz0sjfb5saB4TPRjzA=="},
		"linux/arm64": {"linux-arm64", "0Bjim8lKwnrvXUHoI4k3Tb51BjoiLEwDnovCI8nSzkk6wj3dShiuAjrx6+X0Hjf4ejR1sRZgTQiSDHlpy9vB7w=="},
	}
	kind, known := kinds[runtime.GOOS+"/"+runtime.GOARCH]
	if !known {
		return npmarchive.Archive{}, fmt.Errorf("there is no Biome for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	name := "cli-" + kind[0]
	return npmarchive.Archive{URL: "https://registry.npmjs.org/@biomejs/" + name + "/-/" + name + "-" + biomeVersion + ".tgz", Digest: kind[1]}, nil
}

// bringBiome returns the path of Biome, which it downloads once, into the user's cache.
func bringBiome(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	archive, err := biomeArchive()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "atelier-tools", "biome-"+biomeVersion)
	err = npmarchive.Keep(dir, func(draft string) error {
		fmt.Fprintf(os.Stderr, "studio: fetching Biome %s\n", biomeVersion)
		return npmarchive.Fetch(ctx, archive, draft)
	})
	if err != nil {
		return "", fmt.Errorf("fetch Biome %s: %w", biomeVersion, err)
	}
	return filepath.Join(dir, "biome"), nil
}

// biome runs Biome on the sources below a directory. Biome prints its findings itself.
func biome(ctx context.Context, web string, args ...string) error {
	program, err := bringBiome(ctx)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, append(args, ".")...)
	command.Dir, command.Stdout, command.Stderr = web, os.Stdout, os.Stderr
	return command.Run()
}
