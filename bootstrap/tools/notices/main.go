// Command notices writes bootstrap/atelier/notices.txt: the licences of everything that
// the binary links or carries and that others wrote. `make notices` runs it.
//
// It takes Go modules from what the binary is built of, for every architecture of a
// release, and packages of the npm registry from the studio's lock and the seed. The
// licence of a package of the studio is fetched from the registry once, and then kept
// in notices.txt itself.
//
// With -sbom it prints the same components as CycloneDX instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/bootstrap/npmarchive"
)

// noticesFile is where the notices are, from the root of this module.
const noticesFile = "bootstrap/atelier/notices.txt"

func main() {
	release := flag.String("sbom", "", "print what the release of this version is made of, and write nothing")
	flag.Parse()
	if err := run(context.Background(), ".", *release); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, release string) error {
	file := filepath.Join(root, noticesFile)
	known, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if release != "" {
		return writeBOM(os.Stdout, release, parse(string(known)))
	}
	text, err := compose(ctx, root, parse(string(known)), fetched)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// fetched returns the licences of a package of the registry, from its archive.
func fetched(ctx context.Context, from npmarchive.Archive) ([]string, error) {
	dir, err := os.MkdirTemp("", "notices-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := npmarchive.Fetch(ctx, from, dir); err != nil {
		return nil, err
	}
	var texts []string
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isLicence(entry.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	return texts, err
}
