package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
