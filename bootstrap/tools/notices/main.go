// Command notices writes bootstrap/atelier/notices.txt: the licences of everything by
// others that the binary links or embeds. `make notices` runs it.
//
// It covers Go modules of the binary, for every architecture of a release; packages of
// the npm registry, from the seed and from the list that `make studio` writes; and code
// that is copied into the sources.
//
// With -sbom it prints the same components as CycloneDX instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	text, err := compose(ctx, root)
	if err != nil {
		return err
	}
	if release != "" {
		return writeBOM(os.Stdout, release, parse(text))
	}
	return os.WriteFile(filepath.Join(root, noticesFile), []byte(text), 0o644)
}
