package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
)

func TestDoctorChecksTheDataOfApplications(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"DATA_DIR": dir}
	if out, err := atelier(t, env, "restore", anArchive(t)); err != nil {
		t.Fatalf("got %v\n%s", err, out)
	}
	out, err := atelier(t, env, "doctor")
	for _, want := range []string{
		"ok    data worker      holds the data of applications", "ok    function worker  runs the functions", "ok    disk space       free:", "ok    data             1 databases",
	} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("got %v\n%s\nwant %q", err, out, want)
		}
	}
	data := filepath.Join(dir, "backends", "p", "live", "data", "data.db")
	content, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(content[4096:4200])
	if err := os.WriteFile(data, content, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = atelier(t, env, "doctor")
	if err == nil || !strings.Contains(out, "FAIL  data             the live data of project p:") || !strings.Contains(out, "restore a snapshot of it") {
		t.Errorf("got %v\n%s\nwant the damaged database, and what to do", err, out)
	}
}

// TestDoctorChecksTheDataOfSeveralProcesses reads databases as they are shipped.
func TestDoctorChecksTheDataOfSeveralProcesses(t *testing.T) {
	root := t.TempDir()
	env := map[string]string{"DATA_DIR": filepath.Join(root, "alone")}
	if out, err := atelier(t, env, "restore", anArchive(t)); err != nil {
		t.Fatalf("got %v\n%s", err, out)
	}
	shared, project := filepath.Join(root, "shared"), core.NewID()
	held := filepath.Join(shared, string(project), "3")
	if err := os.MkdirAll(held, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "alone", "backends", "p", "live"), filepath.Join(held, "live")); err != nil {
		t.Fatal(err)
	}
	d := dataCheck{&command{settings: settings.Settings{DataDir: root, BackendsDir: shared, NATS: settings.NATS{URL: "nats://127.0.0.1"}}}}
	if told, err := d.run(t.Context()); err != nil || !strings.HasPrefix(told, "1 databases") {
		t.Errorf("got %q and %v, want one whole database", told, err)
	}
	data := filepath.Join(held, "live", "data", "data.db")
	content, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(content[4096:4200])
	if err := os.WriteFile(data, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.run(t.Context()); err == nil || !strings.Contains(err.Error(), "the live data of project "+string(project)) {
		t.Errorf("got %v, want the damaged database", err)
	}
	d.settings.BackendsDir = filepath.Join(root, "nothing")
	if told, err := d.run(t.Context()); err != nil || !strings.HasPrefix(told, "0 databases") {
		t.Errorf("got %q and %v, want none before the first start", told, err)
	}
}
