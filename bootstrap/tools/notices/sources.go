package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// compose returns the notices of the sources below root.
func compose(ctx context.Context, root string) (string, error) {
	all := notices{}
	modules, err := goModules(ctx, root)
	if err != nil {
		return "", err
	}
	packages, err := studioPackages(filepath.Join(root, "adapters/studio"))
	if err != nil {
		return "", err
	}
	seed, err := seedPackages(filepath.Join(root, "adapters/npm/seed"))
	if err != nil {
		return "", err
	}
	copied, err := copies(root)
	if err != nil {
		return "", err
	}
	err = errors.Join(all.merge(modules), all.merge(packages), all.merge(seed), all.merge(copied))
	return all.String(), err
}

// copies are the licences of others' code that is copied into the sources.
func copies(root string) (notices, error) {
	found := notices{}
	for component, file := range map[string]string{
		"react-refresh, in adapters/esbuild/preview/refresh":   "adapters/esbuild/preview/refresh/LICENSE",
		"lucide, in adapters/scaffold/shared":                  "adapters/scaffold/lucide.LICENSE",
		"tailwindcss, in adapters/internal/tailwind":           "adapters/internal/tailwind/tailwindcss/LICENSE",
		"zxcvbn, in core/password_leaked.txt":                  "core/password_leaked.LICENSE",
		"The Go programming language and its standard library": "",
	} {
		name := filepath.Join(root, file)
		if file == "" {
			out, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				return nil, err
			}
			name = filepath.Join(strings.TrimSpace(string(out)), "LICENSE")
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found.add(component, string(text))
	}
	return found, nil
}

// goPackage is the output of `go list` for a package.
type goPackage struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// goModules returns the licences of the modules that the binary links.
func goModules(ctx context.Context, root string) (notices, error) {
	found := notices{}
	for _, architecture := range []string{"amd64", "arm64"} {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Module", "./bootstrap/atelier")
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
			var pkg goPackage
			if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if pkg.Module == nil || pkg.Module.Main {
				continue
			}
			if err := addModule(found, pkg); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// addModule adds the licences in the directories from a package up to its module.
func addModule(found notices, pkg goPackage) error {
	component := "Go module " + pkg.Module.Path + " " + pkg.Module.Version
	found[component] = append(found[component], []string{}...) // merge finds a module without a licence
	for dir := pkg.Dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !isLicence(entry.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			found.add(component, string(text))
		}
		if dir == pkg.Module.Dir {
			return nil
		}
	}
}

// studioPackages returns the licences of the packages that the studio was built with,
// which `make studio` writes. Each package of the lock must have one.
func studioPackages(studio string) (notices, error) {
	text, err := os.ReadFile(filepath.Join(studio, "NOTICES.txt"))
	if err != nil {
		return nil, err
	}
	found := notices{}
	heads := studioHead.FindAllSubmatchIndex(text, -1)
	for i, head := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		found.add("npm package "+string(text[head[2]:head[3]])+"@"+string(text[head[4]:head[5]]), string(text[head[1]:end]))
	}
	locks, err := filepath.Glob(filepath.Join(studio, "locks", "*.json"))
	if err != nil || len(locks) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s: there is no lock", studio))
	}
	for _, file := range locks {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var lock struct {
			Lock struct{ Packages map[string]struct{} }
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for name := range lock.Lock.Packages {
			found["npm package "+name] = append(found["npm package "+name], []string{}...) // merge finds it
		}
	}
	return found, nil
}

// studioHead matches the heading of each licence of the studio's packages: name, version,
// licence.
var studioHead = regexp.MustCompile(`(?m)^-{80}\n(\S+) (\S+) \(.*\)\n-{80}\n`)

// seedPackages returns the licences in the embedded archives.
func seedPackages(dir string) (notices, error) {
	found := notices{}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s: there is no archive", dir))
	}
	for _, archive := range archives {
		component := "npm package " + strings.TrimSuffix(filepath.Base(archive), ".tgz")
		found[component] = nil
		if err := addArchive(found, component, archive); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
	}
	return found, nil
}

func addArchive(found notices, component, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !isLicence(path.Base(entry.Name)) || fs.FileMode(entry.Mode).IsDir() {
			continue
		}
		text, err := io.ReadAll(entries)
		if err != nil {
			return err
		}
		found.add(component, string(text))
	}
}
