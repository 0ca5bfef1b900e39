package main

import (
	"strings"
	"testing"
)

func TestSelfCheckNoticesAnOldSchema(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir(), "LISTEN_ADDR": "127.0.0.1:1"}
	if out, err := atelier(t, env, "self-check"); err == nil || !strings.Contains(err.Error(), "older than this program") {
		t.Errorf("got %q, %v, want the old schema told", out, err)
	}
}
