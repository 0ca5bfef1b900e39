package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorMakesAVersionAndLeavesNothing(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir()}
	out, err := atelier(t, env, "doctor")
	if err != nil || !strings.Contains(out, "ok    git              built in") {
		t.Errorf("got %v\n%s\nwant git to work", err, out)
	}
	left, err := os.ReadDir(filepath.Join(env["DATA_DIR"], "projects"))
	if err != nil || len(left) != 1 || left[0].Name() != ".atelier" {
		t.Errorf("got %v, %v, want nothing but the service's own folder", left, err)
	}
}

func TestDoctorTakesAPicture(t *testing.T) {
	for settings, want := range map[string]string{
		"THUMBNAILS=on":  "ok    browser          Chromium opens pages",
		"BROWSING=on":    "ok    browser          Chromium opens pages",
		"THUMBNAILS=off": "ok    browser          off: THUMBNAILS=off",
	} {
		name, value, _ := strings.Cut(settings, "=")
		if out, err := atelier(t, map[string]string{name: value}, "doctor"); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %v\n%s\nwant %q", settings, err, out, want)
		}
	}
}

func TestDoctorSaysWhyThereAreNoPictures(t *testing.T) {
	out, err := atelier(t, map[string]string{"THUMBNAILS": "on", "SANDBOX": "off"}, "doctor")
	if err != nil || !strings.Contains(out, "ok    browser          off: no page can be opened, because SANDBOX") {
		t.Errorf("got %v\n%s\nwant the setting named", err, out)
	}
}

func TestDoctorAsksTheServersOfSeveralProcesses(t *testing.T) {
	env := map[string]string{
		"DATABASE_URL": os.Getenv("ATELIER_TEST_POSTGRES"), "NATS_URL": os.Getenv("ATELIER_TEST_NATS"),
		"JWT_SECRET": strings.Repeat("s", 64), "ENCRYPTION_KEY": strings.Repeat("k", 43) + "=",
	}
	if out, err := atelier(t, env, "doctor"); err != nil || !strings.Contains(out, "ok    NATS             answers, subjects begin with atelier") {
		t.Errorf("got %v\n%s\nwant NATS to answer", err, out)
	}
	env["NATS_URL"], env["DATABASE_URL"] = "nats://ada:hunter2@127.0.0.1:1", "postgres://ada:hunter2@127.0.0.1:1/ada"
	out, err := atelier(t, env, "doctor")
	if err == nil || !strings.Contains(out, "FAIL  NATS ") || !strings.Contains(out, "FAIL  database ") || strings.Contains(out, "hunter2") {
		t.Errorf("got %v\n%s\nwant both to fail, without the passwords", err, out)
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "ok  ") && !strings.HasPrefix(line, "FAIL") {
			t.Errorf("got the line %q, want one line a finding", line)
		}
	}
}
