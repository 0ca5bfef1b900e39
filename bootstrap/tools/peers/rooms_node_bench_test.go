package peers

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// nodePackages are the server of Yjs's authors, in the last version without a database of
// its own, and its dependencies.
var nodePackages = []string{"y-websocket@1.5.4", "yjs@13.6.33", "y-protocols@1.0.7", "lib0@0.2.120", "ws@6.2.3"}

// nodeRooms is a running y-websocket server. It keeps rooms in memory alone, and lets
// everybody in.
type nodeRooms struct {
	address string
	pid     int
}

func (n *nodeRooms) room(name string) place {
	return place{url: "ws://" + n.address + "/" + name}
}

func startNodeRooms(b *testing.B) *nodeRooms {
	b.Helper()
	dir, cache := b.TempDir(), b.TempDir()
	install := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--prefix", dir, "--cache", cache}, nodePackages...)...)
	install.Dir = dir
	if output, err := install.CombinedOutput(); err != nil {
		b.Fatalf("npm: %v\n%s", err, output)
	}
	n := &nodeRooms{address: fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(b))}
	command := exec.Command("node", filepath.Join(dir, "node_modules", "y-websocket", "bin", "server.js"))
	command.Env = append(os.Environ(), "HOST=127.0.0.1", "PORT="+n.address[len("127.0.0.1:"):], "NODE_ENV=production")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	})
	n.pid = command.Process.Pid
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if response, err := http.Get("http://" + n.address); err == nil {
			response.Body.Close()
			return n
		}
	}
	b.Fatalf("the y-websocket server did not answer:\n%s", output.String())
	return nil
}
