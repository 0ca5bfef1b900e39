package settings

import (
	"encoding/base64"
	"maps"
	"path/filepath"
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

func TestProcessesShareTheDataOfApplications(t *testing.T) {
	s, err := Read(env(shared(map[string]string{"PROJECTS_ROOT": "/srv/projects"})))
	if err != nil || s.BackendsDir != filepath.Join("/srv/projects", ".backends") || s.PeerAddr != "" {
		t.Errorf("got %q, %q and %v, want a directory beside the projects, and no address", s.BackendsDir, s.PeerAddr, err)
	}
	s, err = Read(env(shared(map[string]string{"PROJECTS_ROOT": "/srv/projects", "BACKENDS_DIR": "/srv/backends", "PEER_ADDR": "10.0.0.2:8090"})))
	if err != nil || s.BackendsDir != "/srv/backends" || s.PeerAddr != "10.0.0.2:8090" {
		t.Errorf("got %q, %q and %v, want what was set", s.BackendsDir, s.PeerAddr, err)
	}
}

func TestAPeerIsReachedAtAnAddressOfItsOwn(t *testing.T) {
	for _, address := range []string{"10.0.0.2:8090", "[fd00::2]:8090", "serve-1:8090", "serve-1.example.net:8090"} {
		if _, err := Read(env(shared(map[string]string{"PEER_ADDR": address}))); err != nil {
			t.Errorf("%s: got %v, want it accepted", address, err)
		}
	}
	for _, address := range []string{"10.0.0.2", ":8090", "0.0.0.0:8090", "[::]:8090", "10.0.0.2:0", "10.0.0.2:", "10.0.0.2:many", "10.0.0.2:70000", "https://10.0.0.2:8090"} {
		_, err := Read(env(shared(map[string]string{"PEER_ADDR": address})))
		if err == nil || !strings.HasPrefix(err.Error(), "PEER_ADDR") {
			t.Errorf("%s: got %v, want an error that names PEER_ADDR", address, err)
		}
	}
}

func TestAProcessAloneKeepsTheDataOfApplications(t *testing.T) {
	for name, value := range map[string]string{"BACKENDS_DIR": "/srv/backends", "PEER_ADDR": "10.0.0.2:8090"} {
		_, err := Read(env(map[string]string{name: value}))
		if err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
}
