package smtp

import (
	"fmt"
	"strings"
	"testing"
)

func TestServersAreReadFromTheirURL(t *testing.T) {
	for text, want := range map[string]Server{
		"smtp://mail.example.com":                   {host: "mail.example.com", port: 587},
		"smtp://mail.example.com/":                  {host: "mail.example.com", port: 587},
		"smtps://mail.example.com":                  {host: "mail.example.com", port: 465, implicit: true},
		"smtp://localhost:1025":                     {host: "localhost", port: 1025},
		"smtp://[::1]:25":                           {host: "::1", port: 25},
		"smtp://ada:secret@mail.example.com:25":     {host: "mail.example.com", port: 25, user: "ada", password: "secret"},
		"smtps://ada%40x.example:p%40ss%3A@m.local": {host: "m.local", port: 465, implicit: true, user: "ada@x.example", password: "p@ss:"},
	} {
		if got, ok := ParseServer(text); !ok || got != want {
			t.Errorf("%s: got %#v %v, want %#v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "mail.example.com", "mail.example.com:25", "http://mail.example.com", "smtp:", "smtp://", "smtp://:25", "smtp:mail.example.com",
		"smtp://mail.example.com:0", "smtp://mail.example.com:99999", "smtp://mail.example.com:x", "smtp://ada@mail.example.com",
		"smtp://ada:@mail.example.com", "smtp://:secret@mail.example.com", "smtp://mail.example.com/inbox", "smtp://mail.example.com?x=y",
		"smtp://mail.example.com#x", "smtp://mail example.com", "smtp://a:b@c\r\nd",
	} {
		if got, ok := ParseServer(text); ok {
			t.Errorf("%q: got %v, want it refused", text, got)
		}
	}
}

func TestWhatIsThisMachine(t *testing.T) {
	for text, want := range map[string]bool{
		"smtp://localhost": true, "smtp://LOCALHOST": true, "smtp://127.0.0.1": true, "smtp://127.9.9.9:25": true, "smtp://[::1]": true,
		"smtp://localhost.example.com": false, "smtp://192.168.0.1": false, "smtp://mail": false, "smtp://127.0.0.1.example.com": false,
	} {
		server, ok := ParseServer(text)
		if !ok || server.local() != want {
			t.Errorf("%s: got %v, want %v", text, server.local(), want)
		}
	}
}

func TestAServerIsPrintedWithoutItsPassword(t *testing.T) {
	server, ok := ParseServer("smtps://ada:hunter2@mail.example.com")
	if !ok {
		t.Fatal("refused")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(verb, server); strings.Contains(text, "hunter2") || !strings.Contains(text, "smtps://mail.example.com:465") {
			t.Errorf("%s: got %s, want the address alone", verb, text)
		}
	}
	if got := (Server{}).String(); got != "none" {
		t.Errorf("got %s, want none", got)
	}
}

func FuzzParseServer(f *testing.F) {
	for _, seed := range []string{"smtp://ada:secret@mail.example.com:25", "smtps://[::1]", "smtp://a%00b:c@d", "smtp://", "smtp://a:b@c:d@e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		server, ok := ParseServer(text)
		if ok == server.IsZero() {
			t.Fatalf("got %v %v, want a server exactly when it is good", server, ok)
		}
		if ok && (server.port < 1 || server.port > 65535 || (server.user == "") != (server.password == "")) {
			t.Fatalf("got %d %q, want a port, and user and password or neither", server.port, server.user)
		}
		if again, good := ParseServer(server.String()); ok && (!good || again.address() != server.address()) {
			t.Fatalf("got %v from %s, want the same address", again, server)
		}
	})
}
