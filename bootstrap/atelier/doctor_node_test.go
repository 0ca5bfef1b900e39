package main

import (
	"strings"
	"testing"
)

func TestDoctorSaysWhatBuildWorkersAreKeptFrom(t *testing.T) {
	out, err := atelier(t, map[string]string{}, "doctor")
	if err != nil || !strings.Contains(out, "ok    build workers    workers have no network, run no programs") {
		t.Errorf("got %v\n%s\nwant what build workers are kept from", err, out)
	}
}

func TestDoctorSaysWhetherProjectsOwnToolsRun(t *testing.T) {
	out, err := atelier(t, map[string]string{}, "doctor")
	if err != nil || !strings.Contains(out, "ok    Node.js          v") || !strings.Contains(out, " npm ") {
		t.Errorf("got %v\n%s\nwant the versions", err, out)
	}
	out, err = atelier(t, map[string]string{"SANDBOX": "off"}, "doctor")
	if err != nil || !strings.Contains(out, "ok    Node.js          off: ") || !strings.Contains(out, "install bubblewrap and nodejs") {
		t.Errorf("got %v\n%s\nwant what to install", err, out)
	}
}
