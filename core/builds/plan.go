package builds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// Plan says how a project's pages are made.
type Plan struct {
	Runtime Runtime
	// Reason says why the runtime is not the usual one, for people; it may be
	// empty.
	Reason string
	// Tools are the commands that RuntimeNode runs.
	Tools Tools

	// files and asked are its inputs, and vite is what they say of Vite. misplaced is the error in
	// package.json.
	files     fs.FS
	asked     manifest
	vite      build.ViteConfig
	misplaced error
}

// Plan decides from the project's current files how its pages are made. An invalid
// package.json counts as an empty one; MakePlanned reports the error.
func (m *Maker) Plan(ctx context.Context, project core.ID) (Plan, error) {
	files, err := m.deps.Sources.View(ctx, project)
	if err != nil {
		return Plan{}, err
	}
	return m.planFrom(ctx, project, files)
}

// planFrom is Plan for other files of the project.
func (m *Maker) planFrom(ctx context.Context, project core.ID, files fs.FS) (Plan, error) {
	asked, err := readManifest(files)
	var misplaced *misplacedError
	if errors.As(err, &misplaced) {
		return Plan{Runtime: RuntimeGo, misplaced: err}, nil
	}
	if err != nil {
		return Plan{}, err
	}
	env := func() (map[string]string, error) { return m.publicEnv(ctx, project, asked) }
	plan, err := planOf(ctx, files, asked, m.deps.Builder, env)
	if err != nil || plan.Runtime != RuntimeNode {
		return plan, err
	}
	plan.Tools.Env, err = env()
	return plan, err
}

// publicEnv returns the environment values that pages may contain. Tools with a prefix of
// their own also find VITE_KEY as, say, REACT_APP_KEY.
func (m *Maker) publicEnv(ctx context.Context, project core.ID, asked manifest) (map[string]string, error) {
	env, err := m.deps.Environment.Public(ctx, project)
	if err != nil {
		return nil, err
	}
	prefixes := map[string]string{"react-scripts": "REACT_APP_", "next": "NEXT_PUBLIC_"}
	for name, prefix := range prefixes {
		if !slices.Contains(asked.packages, name) {
			continue
		}
		env = maps.Clone(env)
		for _, key := range slices.Collect(maps.Keys(env)) {
			if rest, found := strings.CutPrefix(key, "VITE_"); found {
				env[prefix+rest] = env[key]
			}
		}
	}
	return env, nil
}

// planOf plans for files whose pages may know env.
func planOf(ctx context.Context, files fs.FS, asked manifest, builder build.Builder, env func() (map[string]string, error)) (Plan, error) {
	clues := Clues{Chosen: asked.runtime, HasManifest: asked.source != nil, Packages: asked.packages, Scripts: asked.scripts}
	names, err := namesAtRoot(files)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{files: files, asked: asked}
	if plan.Runtime, plan.Reason = Detect(clues); plan.Runtime == RuntimeGo && configures(names, asked) {
		if plan.vite, err = readVite(ctx, files, builder, env); err != nil {
			return Plan{}, err
		}
		clues.UnsupportedVite = plan.vite.Unsupported
		plan.Runtime, plan.Reason = Detect(clues)
	}
	if plan.Runtime == RuntimeNode {
		plan.Tools = toolsOf(asked, packagesKey(files, asked, names))
	}
	return plan, nil
}

func readVite(ctx context.Context, files fs.FS, builder build.Builder, env func() (map[string]string, error)) (build.ViteConfig, error) {
	public, err := env()
	if err != nil {
		return build.ViteConfig{}, err
	}
	return builder.ViteConfig(ctx, files, public)
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

// configures reports whether a project configures Vite or PostCSS.
func configures(names []string, asked manifest) bool {
	return asked.postcss || slices.ContainsFunc(names, func(name string) bool {
		stem := strings.TrimSuffix(name, path.Ext(name))
		return stem == "vite.config" || stem == "postcss.config" || strings.HasPrefix(name, ".postcssrc")
	})
}

// readSource reads the beginning of a file, "" if there is none.
func readSource(files fs.FS, name string) string {
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	source, _ := io.ReadAll(io.LimitReader(file, maxManifestBytes))
	return string(source)
}

// locks are the lock files, which decide the installed versions.
func locks() []string { return []string{"package-lock.json", "npm-shrinkwrap.json", ".npmrc"} }

// packagesKey is a hash of everything that decides what npm installs: the
// dependencies in package.json and the lock files.
func packagesKey(files fs.FS, asked manifest, names []string) string {
	sum := sha256.New()
	// Neither encoding decoded JSON nor writing to a hash can fail.
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

// maxLockBytes bounds how much of a lock file is read. The largest in use have a
// few megabytes.
const maxLockBytes = 32 << 20
