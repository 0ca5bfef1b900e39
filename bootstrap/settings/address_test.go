package settings

import (
	"strings"
	"testing"
)

func TestAnotherPortIsOneSetting(t *testing.T) {
	for listen, want := range map[string]string{
		"": "localhost:8080", "127.0.0.1:9000": "localhost:9000", "0.0.0.0:9000": "localhost:9000", ":80": "localhost", "127.0.0.1:0": "localhost:8080",
	} {
		s, err := Read(env(map[string]string{"LISTEN_ADDR": listen}))
		if err != nil || s.AppURL.String() != "http://"+want || s.AppDomain != want || s.PreviewDomain != "preview."+want {
			t.Errorf("LISTEN_ADDR=%s: got %s, %s, %s, %v, want %s for all", listen, s.AppURL, s.AppDomain, s.PreviewDomain, err, want)
		}
	}
	s, err := Read(env(map[string]string{"LISTEN_ADDR": "127.0.0.1:9000", "APP_URL": "https://a.example", "APP_DOMAIN": "b.example"}))
	if err != nil || s.AppURL.String() != "https://a.example" || s.AppDomain != "b.example" {
		t.Errorf("got %s, %s, %v, want what is set", s.AppURL, s.AppDomain, err)
	}
}

func TestOllamasOwnFormIsTaken(t *testing.T) {
	for given, want := range map[string]string{
		"": "http://127.0.0.1:11434", "127.0.0.1:11434": "http://127.0.0.1:11434", "0.0.0.0": "http://127.0.0.1:11434", ":9": "http://127.0.0.1:9",
		"gpu.lan": "http://gpu.lan:11434", "[::1]:9": "http://[::1]:9", "[::]": "http://127.0.0.1:11434", "https://ollama.example/": "https://ollama.example",
	} {
		if s, err := Read(env(map[string]string{"OLLAMA_HOST": given})); err != nil || s.AI.OllamaHost != want {
			t.Errorf("OLLAMA_HOST=%s: got %s, %v, want %s", given, s.AI.OllamaHost, err, want)
		}
	}
	for _, given := range []string{"ftp://host", "host:port", "a b", "host/path", "user@host:1"} {
		if _, err := Read(env(map[string]string{"OLLAMA_HOST": given})); err == nil || !strings.HasPrefix(err.Error(), "OLLAMA_HOST") {
			t.Errorf("OLLAMA_HOST=%s: got %v, want a refusal that names it", given, err)
		}
	}
}

func TestThePublicAddressHasNoQueryAndNoFragment(t *testing.T) {
	for _, given := range []string{"https://a.example?x=1", "https://a.example?", "https://a.example#top", "https://a.example/#"} {
		if _, err := Read(env(map[string]string{"APP_URL": given})); err == nil || !strings.HasPrefix(err.Error(), "APP_URL") || !strings.Contains(err.Error(), "without a query or fragment") {
			t.Errorf("APP_URL=%s: got %v, want a refusal with the rule", given, err)
		}
	}
	if s, err := Read(env(map[string]string{"APP_URL": "https://a.example/"})); err != nil || s.AppURL.String() != "https://a.example" {
		t.Errorf("a slash at the end: got %s, %v, want it taken off", s.AppURL, err)
	}
}
