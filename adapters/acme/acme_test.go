package acme_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/acme"
)

func TestANameGetsItsCertificateAtItsFirstHandshake(t *testing.T) {
	h := newHost(t)
	h.let("shop.example.com", acme.Admit)
	h.let("preview.example.com", acme.AdmitSparingly)
	first := h.wantCertificate("shop.example.com")
	if again := h.wantCertificate("shop.example.com"); !again.Equal(first) {
		t.Errorf("got another certificate, want the first")
	}
	h.wantCertificate("preview.example.com")
	if got := h.log.String(); !strings.Contains(got, "obtained a certificate") || !strings.Contains(got, "shop.example.com") {
		t.Errorf("got the log %q, want it to say so", got)
	}

	t.Run("and keeps it where nobody else can read it", func(t *testing.T) {
		err := filepath.WalkDir(h.config.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: got mode %o, want nothing for others", path, info.Mode().Perm())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})

	t.Run("and has it again in the next process, also while the authority is away", func(t *testing.T) {
		h.authority.Close()
		h.restart()
		if again := h.wantCertificate("shop.example.com"); !again.Equal(first) {
			t.Errorf("got another certificate, want the first")
		}
	})

	t.Run("and no longer when the name is given up", func(t *testing.T) {
		h.let("shop.example.com", acme.Refuse)
		h.restart()
		h.wantRefusal("shop.example.com")
	})
}

func TestNamesThatAreNothingAreRefusedAtOnce(t *testing.T) {
	h := newHost(t)
	h.let("shop.example.com", acme.Admit)
	h.wantCertificate("shop.example.com")
	for _, name := range []string{"nobody.example.com", "example.com", "www.shop.example.com", "localhost", "127.0.0.1", "", "shop.example.com.evil.test"} {
		h.wantRefusal(name)
	}
	files := func() (count int) {
		_ = filepath.WalkDir(h.config.Dir, func(string, fs.DirEntry, error) error { count++; return nil })
		return count
	}
	before := files()
	began := time.Now()
	for range 200 {
		h.wantRefusal("nobody.example.com")
	}
	if took := time.Since(began); took > time.Minute || files() != before {
		t.Errorf("got %s for 200 refusals and %d files more, want nothing done for them", took, files()-before)
	}
	if got := h.asked["nobody.example.com"]; got > 10 {
		t.Errorf("got the name judged %d times, want a verdict kept", got)
	}
	if strings.Contains(h.log.String(), "nobody") {
		t.Errorf("got %q, want no line for strangers", h.log)
	}
}

func TestAnAuthorityThatIsAwayFailsNewNamesAlone(t *testing.T) {
	h := newHost(t)
	h.let("old.example.com", acme.Admit)
	h.let("new.example.com", acme.Admit)
	h.wantCertificate("old.example.com")
	h.authority.Close()
	h.wantRefusal("new.example.com")
	if got := h.log.String(); !strings.Contains(got, "could not obtain a certificate") || !strings.Contains(got, "new.example.com") {
		t.Errorf("got the log %q, want it to say so", got)
	}
	h.wantCertificate("old.example.com")

	t.Run("which are refused at once while it is left alone", func(t *testing.T) {
		began := time.Now()
		for range 20 {
			h.wantRefusal("new.example.com")
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("got %s for 20 refusals, want them at once", took)
		}
		if got := strings.Count(h.log.String(), "could not obtain a certificate"); got != 1 {
			t.Errorf("got the authority asked %d times, want once", got)
		}
	})

	t.Run("and visitors of these stay on plain HTTP", func(t *testing.T) {
		if status, _, body := h.visit(http.MethodGet, "new.example.com", "/"); status != http.StatusOK || body != "served new.example.com" {
			t.Errorf("got %d %q, want the page", status, body)
		}
		if status, location, _ := h.visit(http.MethodGet, "old.example.com", "/"); status != http.StatusPermanentRedirect {
			t.Errorf("got %d %q, want a redirect", status, location)
		}
	})
}

func TestManyHandshakesAtOnceAskForOneCertificate(t *testing.T) {
	h := newHost(t)
	h.let("shop.example.com", acme.Admit)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := h.handshake("shop.example.com"); err != nil {
				t.Errorf("got %v, want a certificate", err)
			}
		})
	}
	all.Wait()
	if got := strings.Count(h.log.String(), "obtained a certificate"); got != 1 {
		t.Errorf("got %d certificates, want 1", got)
	}
}

func TestPlainHTTP(t *testing.T) {
	h := newHost(t)
	h.let("shop.example.com", acme.Admit)
	for _, row := range []struct{ method, host, path, want string }{
		{"GET", "shop.example.com", "/a/b?c=d", "https://shop.example.com/a/b?c=d"},
		{"POST", "Shop.Example.com.:8080", "/", "https://shop.example.com/"},
		{"GET", "shop.example.com", "//evil.example/..", "https://shop.example.com//evil.example/.."},
		{"GET", "shop.example.com", "/.well-known/acme-challenge/nothing", "https://shop.example.com/.well-known/acme-challenge/nothing"},
		{"GET", "nobody.example.com", "/", ""},
		{"GET", "localhost:8080", "/healthz", ""},
		{"GET", "127.0.0.1:8080", "/healthz", ""},
		{"GET", "[::1]:8080", "/healthz", ""},
		{"GET", "nobody.example.com", "/.well-known/acme-challenge/nothing", ""},
	} {
		status, location, body := h.visit(row.method, row.host, row.path)
		if row.want != "" && (status != http.StatusPermanentRedirect || location != row.want) {
			t.Errorf("%s %s%s: got %d to %q, want %q", row.method, row.host, row.path, status, location, row.want)
		}
		if row.want == "" && (status != http.StatusOK || !strings.HasPrefix(body, "served")) {
			t.Errorf("%s %s%s: got %d %q, want the page", row.method, row.host, row.path, status, body)
		}
	}
	h.broken = errBroken
	h.restart()
	if status, _, body := h.visit(http.MethodGet, "shop.example.com", "/"); status != http.StatusOK {
		t.Errorf("got %d %q while names cannot be judged, want the page", status, body)
	}
	h.wantRefusal("shop.example.com")
}

func TestCheck(t *testing.T) {
	h := newHost(t)
	if err := h.manager.Check(t.Context()); err != nil {
		t.Errorf("got %v, want an authority that answers", err)
	}
	h.config.Authority = strings.TrimSuffix(h.authority.Directory, "dir") + "nothing"
	h.restart()
	if err := h.manager.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v, want it to say that this is no directory", err)
	}
	h.authority.Close()
	if err := h.manager.Check(t.Context()); err == nil {
		t.Errorf("got nil, want the authority away")
	}
}

func TestNewRefusesWhatItCannotWorkWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for says, config := range map[string]acme.Config{
		"a folder that is a file":   {Dir: file, Plain: "127.0.0.1:80", Secure: "127.0.0.1:443"},
		"an address without a port": {Dir: t.TempDir(), Plain: "127.0.0.1:80", Secure: "127.0.0.1"},
		"an invalid port":           {Dir: t.TempDir(), Plain: "127.0.0.1:http", Secure: "127.0.0.1:443"},
	} {
		if _, err := acme.New(config); err == nil {
			t.Errorf("%s: got nil, want an error", says)
		}
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	manager, err := acme.New(acme.Config{Dir: open, Plain: "127.0.0.1:80", Secure: "127.0.0.1:443"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	if info, err := os.Stat(open); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want the folder closed to others", info.Mode(), err)
	}
}
