package pebble

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// readyTime is how long a program may take to answer.
const readyTime = 30 * time.Second

// Ports are where the authority looks for the service that asks for certificates:
// both on 127.0.0.1 unless a name says otherwise.
type Ports struct{ HTTP, TLS int }

// Authority is a running authority. It ends with its test.
type Authority struct {
	t      testing.TB
	folder string
	// Directory is the authority's address, and Trust a file with the certificate
	// that its own connections show.
	Directory, Trust string
	// Resolver is the name server, as host:port.
	Resolver string

	programs   string
	management string
	tell       string
	command    *exec.Cmd
	log        *output
}

// Start starts both programs. Every name leads to 127.0.0.1 until a test says
// otherwise.
func Start(t testing.TB, ports Ports) *Authority {
	t.Helper()
	a := &Authority{t: t, folder: t.TempDir(), programs: install(t), log: &output{}}
	a.Directory = "https://127.0.0.1:" + strconv.Itoa(FreePort(t)) + "/dir"
	a.management = "127.0.0.1:" + strconv.Itoa(FreePort(t))
	a.Resolver = "127.0.0.1:" + strconv.Itoa(FreePort(t))
	a.tell = "127.0.0.1:" + strconv.Itoa(FreePort(t))
	a.Trust = filepath.Join(a.folder, "cert.pem")
	key := filepath.Join(a.folder, "key.pem")
	writeCertificate(t, a.Trust, key)
	a.configure(ports, key)
	a.run(names, "-dnsserver", a.Resolver, "-management", a.tell, "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "")
	a.await("http://" + a.tell + "/")
	a.Open()
	return a
}

func (a *Authority) configure(ports Ports, key string) {
	a.t.Helper()
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": a.address(), "managementListenAddress": a.management, "certificate": a.Trust, "privateKey": key,
		"httpPort": ports.HTTP, "tlsPort": ports.TLS, "retryAfter": map[string]int{"authz": 1, "order": 1},
	}})
	if err == nil {
		err = os.WriteFile(a.config(), config, 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *Authority) config() string { return filepath.Join(a.folder, "config.json") }

// address is the authority's, as host:port.
func (a *Authority) address() string {
	return a.Directory[len("https://") : len(a.Directory)-len("/dir")]
}

// Open starts the authority, after Close.
func (a *Authority) Open() {
	a.t.Helper()
	a.command = a.run(authority, "-config", a.config(), "-dnsserver", a.Resolver)
	a.await(a.Directory)
}

// Close ends the authority. The name server goes on.
func (a *Authority) Close() {
	a.t.Helper()
	_ = a.command.Process.Kill()
	_ = a.command.Wait()
}

// run starts a program that ends with the test.
func (a *Authority) run(program string, arguments ...string) *exec.Cmd {
	a.t.Helper()
	command := exec.Command(filepath.Join(a.programs, program), arguments...)
	command.Dir, command.Stdout, command.Stderr = a.folder, a.log, a.log
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0"}
	if err := command.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return command
}

// await waits until an address answers, whatever it says.
func (a *Authority) await(address string) {
	a.t.Helper()
	for deadline := time.Now().Add(readyTime); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := a.get(address); err == nil {
			return
		}
	}
	a.t.Fatalf("%s did not answer within %s:\n%s", address, readyTime, a.log)
}

func (a *Authority) get(address string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		// The certificate is of a test's own making, on loopback.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec
	}}
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// Roots are what a client trusts that trusts the authority.
func (a *Authority) Roots() *x509.CertPool {
	a.t.Helper()
	found, err := a.get("https://" + a.management + "/roots/0")
	if err != nil {
		a.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(found) {
		a.t.Fatalf("got %q, want a certificate", found)
	}
	return roots
}

// SetTexts gives a name TXT records.
func (a *Authority) SetTexts(name string, texts ...string) {
	a.t.Helper()
	a.post("/clear-txt", map[string]any{"host": name + "."})
	for _, text := range texts {
		a.post("/set-txt", map[string]any{"host": name + ".", "value": text})
	}
}

// SetAddress lets a name lead to an IPv4 address.
func (a *Authority) SetAddress(name, address string) {
	a.t.Helper()
	a.post("/clear-a", map[string]any{"host": name + "."})
	a.post("/add-a", map[string]any{"host": name + ".", "addresses": []string{address}})
}

// post tells the name server something.
func (a *Authority) post(path string, message any) {
	a.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		a.t.Fatal(err)
	}
	answer, err := http.Post("http://"+a.tell+path, "application/json", bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		a.t.Fatalf("%s: got %d, want 200", path, answer.StatusCode)
	}
}

// Log is what both programs have written.
func (a *Authority) Log() string { return a.log.String() }

// FreePort is a port of 127.0.0.1 that nobody listens at.
func FreePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// output gathers what programs write while a test reads it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns what was written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
