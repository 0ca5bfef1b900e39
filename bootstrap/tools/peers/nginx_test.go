package peers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// startNginx serves files with their gzip forms beside them, as an operator would
// who wants it fast, and returns its address.
func startNginx(b *testing.B, files map[string][]byte) string {
	b.Helper()
	dir := b.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, "site", name)
		var packed bytes.Buffer
		writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		_, _ = writer.Write(content)
		_ = writer.Close()
		for path, content := range map[string][]byte{path: content, path + ".gz": packed.Bytes()} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	port := conformance.FreePort(b)
	who, err := user.Current()
	if err != nil {
		b.Fatal(err)
	}
	// Its workers must be able to read the directory.
	config := fmt.Sprintf(`user %[3]s; daemon off; worker_processes 2; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 1024; }
http {
	types { text/html html; text/javascript js; text/css css; }
	access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
	open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
	client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen 127.0.0.1:%[2]d; root %[1]s/site; gzip_static on; etag on; }
}`, dir, port, who.Username)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		b.Fatal(err)
	}
	command := exec.Command("/usr/sbin/nginx", "-c", path, "-p", dir)
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	address := fmt.Sprintf("http://127.0.0.1:%d/", port)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if response, err := http.Get(address); err == nil {
			response.Body.Close()
			return address
		}
	}
	b.Fatal("nginx did not answer")
	return ""
}

var requestsPerSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

// load returns how many requests a second an address answers over 64 connections.
func load(b *testing.B, address, host string) float64 {
	b.Helper()
	args := []string{"-t2", "-c64", "-d1s", "-H", "Accept-Encoding: gzip"}
	if host != "" {
		args = append(args, "-H", "Host: "+host)
	}
	output, err := exec.Command("wrk", append(args, address)...).CombinedOutput()
	match := requestsPerSecond.FindSubmatch(output)
	if err != nil || match == nil || bytes.Contains(output, []byte("Non-2xx")) || bytes.Contains(output, []byte("Socket errors")) {
		b.Fatalf("wrk %s: %v\n%s", address, err, output)
	}
	rate, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate
}

// ratioOf compares two rates over five rounds, one after the other in each.
func ratioOf(ours, theirs func() float64) float64 {
	var ratios []float64
	for range 5 {
		their := theirs()
		ratios = append(ratios, ours()/their)
	}
	slices.Sort(ratios)
	return ratios[2]
}
