package main

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
)

func TestStrangersHandshakesAreNotLogged(t *testing.T) {
	var written bytes.Buffer
	server := log.New(handshakeFilter{slog.New(slog.NewTextHandler(&written, nil))}, "", 0)
	server.Printf("http: TLS handshake error from %s: %s", "192.0.2.1:5", "certificate is not allowed")
	if written.Len() != 0 {
		t.Errorf("got %q, want nothing of a handshake", &written)
	}
	server.Printf("http: panic serving %s", "192.0.2.1:5")
	if !strings.Contains(written.String(), "panic serving") {
		t.Errorf("got %q, want what goes wrong", &written)
	}
}

func TestATLSAddressThatIsNotHereStopsTheStart(t *testing.T) {
	env := map[string]string{
		"TLS": "acme", "APP_URL": "https://studio.test", "APP_DOMAIN": "sites.test", "LISTEN_ADDR": "127.0.0.1:0",
		"TLS_LISTEN_ADDR": "192.0.2.1:443", "SANDBOX": "off",
	}
	out, err := atelier(t, env, "serve")
	if err == nil || !strings.Contains(err.Error(), "TLS_LISTEN_ADDR") {
		t.Errorf("got %s, %v, want the variable named", out, err)
	}
}
