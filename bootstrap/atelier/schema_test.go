package main

import (
	"strings"
	"testing"
)

func TestADatabaseThatIsOlderThanTheProgramIsNotServed(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir(), "AUTO_MIGRATE": "off", "PREPARE": "off", "LISTEN_ADDR": "127.0.0.1:0"}
	const want = "the database is older than this program"
	for _, command := range []string{"serve", "reconcile"} {
		if _, err := atelier(t, env, command); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run atelier migrate") {
			t.Errorf("%s: got %v, want %q and what to do", command, err, want)
		}
	}
	if out, err := atelier(t, env, "doctor"); err == nil || !strings.Contains(out, want) {
		t.Errorf("doctor: got %v\n%s\nwant %q", err, out, want)
	}
	env["AUTO_MIGRATE"] = "on"
	if out, _ := atelier(t, env, "doctor"); !strings.Contains(out, "the next start applies") {
		t.Errorf("doctor: got\n%s\nwant that the next start migrates", out)
	}
	env["AUTO_MIGRATE"] = "off"
	for _, command := range []string{"migrate", "reconcile"} {
		if out, err := atelier(t, env, command); err != nil {
			t.Errorf("%s: got %s, %v, want a database that is served", command, out, err)
		}
	}
}
