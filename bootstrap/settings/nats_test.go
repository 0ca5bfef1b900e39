package settings

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestNATSSettingsAreRead(t *testing.T) {
	s, err := Read(env(nil))
	if err != nil || s.NATS != (NATS{Prefix: "atelier"}) {
		t.Errorf("got %+v, %v, want no server", s.NATS, err)
	}
	for _, address := range []string{"nats://127.0.0.1", "tls://nats.example:4222", "nats://ada:pa%2Fss@[::1]:4222", "nats://token@a:1,nats://token@b:2"} {
		s, err := Read(env(shared(map[string]string{"NATS_URL": address, "NATS_PREFIX": "second_one", "DATABASE_URL": "postgres://db.example/atelier",
			"JWT_SECRET": strings.Repeat("s", 32), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
		})))
		if err != nil || s.NATS != (NATS{URL: address, Prefix: "second_one"}) {
			t.Errorf("%s: got %+v, %v, want the server and the prefix", address, s.NATS, err)
		}
	}
}

func TestBadNATSSettingsStopTheStartAndShowNoSecret(t *testing.T) {
	for name, values := range map[string][]string{
		"NATS_URL": {
			"hunter2", "127.0.0.1:4222", "http://ada:hunter2@nats.example", "nats://ada:hunter2@", "nats://", ",", "nats://a,",
			"nats://a/hunter2", "nats://a?x=hunter2", "nats://a:port", "nats://ada:hunter2@a b", "nats://a\nhunter2",
		},
		"NATS_PREFIX": {"a.b", "*", ">", "a b", "\u00e4", strings.Repeat("x", 65)},
	} {
		for _, value := range values {
			_, err := Read(env(map[string]string{name: value}))
			if err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s=%q: got %v, want one line that names it and shows no secret", name, value, err)
			}
		}
	}
}
