package pebble

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// Names is a running name server. Every name resolves to 127.0.0.1, without TXT records,
// until a test changes that. It ends with its test.
type Names struct {
	t testing.TB
	// Resolver is its address, as host:port.
	Resolver string

	programs, folder string
	// tell is the address of its management interface.
	tell string
	log  *conformance.Log
}

// StartNames starts a name server.
func StartNames(t testing.TB) *Names {
	t.Helper()
	n := &Names{
		t: t, Resolver: "127.0.0.1:" + strconv.Itoa(conformance.FreePort(t)), programs: install(t), folder: t.TempDir(),
		tell: "127.0.0.1:" + strconv.Itoa(conformance.FreePort(t)), log: &conformance.Log{},
	}
	n.run(names, "-dnsserver", n.Resolver, "-management", n.tell, "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "")
	n.await("http://" + n.tell + "/")
	return n
}

// run starts a program that ends with the test.
func (n *Names) run(program string, arguments ...string) *exec.Cmd {
	n.t.Helper()
	command := exec.Command(filepath.Join(n.programs, program), arguments...)
	command.Dir, command.Stdout, command.Stderr = n.folder, n.log, n.log
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0"}
	if err := command.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return command
}

// await waits until an address answers, with any status.
func (n *Names) await(address string) {
	n.t.Helper()
	for deadline := time.Now().Add(readyTime); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := n.get(address); err == nil {
			return
		}
	}
	n.t.Fatalf("%s did not answer within %s:\n%s", address, readyTime, n.log)
}

func (n *Names) get(address string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		// The certificate belongs to the test itself, on loopback.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// SetTexts gives a name TXT records.
func (n *Names) SetTexts(name string, texts ...string) {
	n.t.Helper()
	n.post("/clear-txt", map[string]any{"host": name + "."})
	for _, text := range texts {
		n.post("/set-txt", map[string]any{"host": name + ".", "value": text})
	}
}

// SetAddress resolves a name to an IPv4 address.
func (n *Names) SetAddress(name, address string) {
	n.t.Helper()
	n.post("/clear-a", map[string]any{"host": name + "."})
	n.post("/add-a", map[string]any{"host": name + ".", "addresses": []string{address}})
}

// post calls the management interface.
func (n *Names) post(path string, message any) {
	n.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		n.t.Fatal(err)
	}
	answer, err := http.Post("http://"+n.tell+path, "application/json", bytes.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		n.t.Fatalf("%s: got %d, want 200", path, answer.StatusCode)
	}
}

// Log returns the output of both programs.
func (n *Names) Log() string { return n.log.String() }
