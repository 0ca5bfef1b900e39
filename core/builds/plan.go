package builds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Plan says what makes a project's pages.
type Plan struct {
	Runtime Runtime
	// Reason is why the runtime is not the one of most projects, for people; it may
	// be empty.
	Reason string
	// Tools is what RuntimeNode runs.
	Tools Tools

	// files and asked are what it was read from. misplaced is what is wrong with
	// package.json.
	files     fs.FS
	asked     manifest
	misplaced error
}

// Plan tells what makes the project's pages, by its files as they are. A
// package.json that cannot be read counts as one without anything: MakePlanned says
// what is wrong with it.
func (m *Maker) Plan(ctx context.Context, project core.ID) (Plan, error) {
	files, err := m.sources.View(ctx, project)
	if err != nil {
		return Plan{}, err
	}
	asked, err := readManifest(files)
	var misplaced *misplacedError
	if errors.As(err, &misplaced) {
		return Plan{Runtime: RuntimeGo, misplaced: err}, nil
	}
	if err != nil {
		return Plan{}, err
	}
	plan, err := planOf(files, asked)
	if err != nil || plan.Runtime != RuntimeNode {
		return plan, err
	}
	plan.Tools.Env, err = m.environment.Public(ctx, project)
	return plan, err
}

func planOf(files fs.FS, asked manifest) (Plan, error) {
	clues := Clues{Chosen: asked.runtime, HasManifest: asked.source != nil, Packages: asked.packages}
	names, err := namesAtRoot(files)
	if err != nil {
		return Plan{}, err
	}
	clues.ViteConfigName = firstOf(names, "vite.config")
	clues.ViteConfig = readSource(files, clues.ViteConfigName)
	if clues.PostCSSConfigName = firstOf(names, "postcss.config"); clues.PostCSSConfigName == "" {
		clues.PostCSSConfigName = firstOf(names, ".postcssrc")
	}
	clues.PostCSSConfig = readSource(files, clues.PostCSSConfigName)
	plan := Plan{files: files, asked: asked}
	if plan.Runtime, plan.Reason = Detect(clues); plan.Runtime == RuntimeNode {
		plan.Tools = toolsOf(asked, packagesKey(files, asked, names))
	}
	return plan, nil
}

// namesAtRoot lists the files directly below the root.
func namesAtRoot(files fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the project's files cannot be listed")
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// firstOf finds a configuration, whichever of its kinds it is of.
func firstOf(names []string, stem string) string {
	for _, name := range names {
		if rest, found := strings.CutPrefix(name, stem); found && (rest == "" || rest == path.Ext(name)) {
			return name
		}
	}
	return ""
}

// readSource reads the beginning of a file, "" when there is none.
func readSource(files fs.FS, name string) string {
	if name == "" {
		return ""
	}
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	source, _ := io.ReadAll(io.LimitReader(file, maxManifestBytes))
	return string(source)
}

// locks are the files that say which versions are installed.
func locks() []string { return []string{"package-lock.json", "npm-shrinkwrap.json", ".npmrc"} }

// packagesKey names what npm would install: it changes with what package.json asks
// for, and with what chooses versions.
func packagesKey(files fs.FS, asked manifest, names []string) string {
	sum := sha256.New()
	// Encoding what was decoded from JSON does not fail, nor does a hash.
	_ = json.NewEncoder(sum).Encode(asked.sections)
	for _, lock := range locks() {
		if slices.Contains(names, lock) {
			_, _ = io.WriteString(sum, lock+"\n")
			file, err := files.Open(lock)
			if err != nil {
				continue
			}
			_, _ = io.Copy(sum, io.LimitReader(file, maxLockBytes))
			_ = file.Close()
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// maxLockBytes bounds what is read of a lock file. The largest in use have a few
// megabytes.
const maxLockBytes = 32 << 20
