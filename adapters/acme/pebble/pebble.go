package pebble

import (
	"crypto/x509"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// readyTime is how long a program may take to answer.
const readyTime = 2 * time.Minute

// Ports are the ports at which the authority expects the service that requests
// certificates: both on 127.0.0.1, unless a name resolves elsewhere.
type Ports struct{ HTTP, TLS int }

// Authority is a running authority with its name server. It ends with its test.
type Authority struct {
	*Names
	// Directory is the authority's address, and Trust a file with the certificate of its
	// HTTPS server.
	Directory, Trust string

	management string
	command    *exec.Cmd
	roots      []byte
}

// Start starts both programs.
func Start(t testing.TB, ports Ports) *Authority {
	t.Helper()
	a := &Authority{
		Names: StartNames(t), Directory: "https://127.0.0.1:" + strconv.Itoa(conformance.FreePort(t)) + "/dir",
		management: "127.0.0.1:" + strconv.Itoa(conformance.FreePort(t)),
	}
	a.Trust = filepath.Join(a.folder, "cert.pem")
	key := filepath.Join(a.folder, "key.pem")
	writeCertificate(t, a.Trust, key)
	a.configure(ports, key)
	a.Open()
	return a
}

func (a *Authority) configure(ports Ports, key string) {
	a.t.Helper()
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": a.address(), "managementListenAddress": a.management, "certificate": a.Trust, "privateKey": key,
		"httpPort": ports.HTTP, "tlsPort": ports.TLS,
	}})
	if err == nil {
		err = os.WriteFile(a.config(), config, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *Authority) config() string { return filepath.Join(a.folder, "config.json") }

// address returns the authority's address, as host:port.
func (a *Authority) address() string {
	return a.Directory[len("https://") : len(a.Directory)-len("/dir")]
}

// Open starts the authority again after Close.
func (a *Authority) Open() {
	a.t.Helper()
	a.command = a.run(authority, "-config", a.config(), "-dnsserver", a.Resolver)
	a.await(a.Directory)
	found, err := a.get("https://" + a.management + "/roots/0")
	if err != nil {
		a.t.Fatal(err)
	}
	a.roots = found
}

// Close ends the authority. The name server continues.
func (a *Authority) Close() {
	a.t.Helper()
	_ = a.command.Process.Kill()
	_ = a.command.Wait()
}

// Roots returns the roots of a client that trusts the authority, even if that is down.
func (a *Authority) Roots() *x509.CertPool {
	a.t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(a.roots) {
		a.t.Fatalf("got %q, want a certificate", a.roots)
	}
	return roots
}
