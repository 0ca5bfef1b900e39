package settings

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"
)

// shared are the settings that several processes must have in common.
func shared(values map[string]string) map[string]string {
	all := map[string]string{
		"NATS_URL": "nats://127.0.0.1", "DATABASE_URL": "postgres://127.0.0.1/atelier",
		"JWT_SECRET": strings.Repeat("s", 64), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
	}
	maps.Copy(all, values)
	return all
}

func TestProcessesThatWorkTogetherShareWhatTheyMust(t *testing.T) {
	s, err := Read(env(shared(map[string]string{"COLLAB_EMBEDDED": "off"})))
	if err != nil || bool(s.Exclusive()) || s.CollabEmbedded {
		t.Fatalf("got %+v, %v, want a process beside others, without rooms", s, err)
	}
	tests := []struct{ name, value, names string }{
		{"DATABASE_URL", "", "DATABASE_URL"},
		{"DATABASE_URL", "sqlite:///tmp/a.db", "DATABASE_URL"},
		{"JWT_SECRET", "", "JWT_SECRET"},
		{"ENCRYPTION_KEY", "", "ENCRYPTION_KEY"},
	}
	for _, test := range tests {
		_, err := Read(env(shared(map[string]string{test.name: test.value})))
		if err == nil || !strings.HasPrefix(err.Error(), test.names) {
			t.Errorf("%s=%q: got %v, want an error that names %s", test.name, test.value, err, test.names)
		}
	}
}

func TestAProcessAloneHasTheRooms(t *testing.T) {
	_, err := Read(env(map[string]string{"COLLAB_EMBEDDED": "off"}))
	if err == nil || !strings.HasPrefix(err.Error(), "COLLAB_EMBEDDED") {
		t.Errorf("got %v, want an error that names COLLAB_EMBEDDED", err)
	}
}
