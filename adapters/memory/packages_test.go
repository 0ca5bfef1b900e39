package memory_test

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages/packagestest"
)

func TestPackages(t *testing.T) { packagestest.Run(t, openPackages) }

func openPackages(t *testing.T) packagestest.Harness {
	registry := memory.NewPackages()
	t.Cleanup(func() {
		if err := registry.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return packagestest.Harness{
		Resolver: registry,
		Publish: func(t *testing.T, pkg packagestest.Entry) {
			manifest, err := json.Marshal(map[string]any{"name": pkg.Name, "version": pkg.Version, "scripts": pkg.Scripts})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"package.json": string(manifest)}
			maps.Copy(files, pkg.Files)
			published := memory.PublishedPackage{Name: pkg.Name, Version: pkg.Version, Dependencies: pkg.Dependencies, Files: files}
			if err := registry.Publish(published); err != nil {
				t.Fatal(err)
			}
		},
		Corrupt: func(t *testing.T, name, version string) { registry.Tamper(name, version, "package.json", "{}") },
		Offline: func() { registry.SetOffline(true) },
	}
}

func TestPackagesOfAnEmptyRegistryAllExist(t *testing.T) {
	registry := memory.NewPackages()
	set, err := registry.Install(t.Context(), map[string]string{"react": "^19.2.0"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(set.Dir + "/node_modules/react/package.json")
	if want := `{"dependencies":null,"name":"react","version":"19.2.0"}`; string(text) != want || err != nil {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
	if err := registry.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(set.Dir); !os.IsNotExist(err) {
		t.Errorf("after Close: got %v, want the set to be gone", err)
	}
}

func TestPublishRefusesWhatIsNoVersion(t *testing.T) {
	for _, version := range []string{"", "1", "1.2", "1.x.0", "one", "1.2.3.4"} {
		err := memory.NewPackages().Publish(memory.PublishedPackage{Name: "engine", Version: version})
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("version %q: got %v, want code %s", version, err, core.CodeValidationFailed)
		}
	}
}
