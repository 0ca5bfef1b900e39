package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// natsVariable tells tests where the NATS server is.
const natsVariable = "ATELIER_TEST_NATS"

// bus is a private NATS server. It persists nothing.
type bus struct {
	address string
	process *exec.Cmd
	output  bytes.Buffer
	ended   chan struct{}
}

// natsProgram returns the path of the server, "" if there is none. Debian installs it
// outside of most users' PATH.
func natsProgram() string {
	for _, name := range []string{"nats-server", "/usr/sbin/nats-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// startBus serves on a free port of the loopback interface. If it fails, it leaves
// nothing behind.
func startBus(ctx context.Context) (*bus, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	host := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	b := &bus{address: "nats://" + host, ended: make(chan struct{})}
	b.process = exec.Command(natsProgram(), "-a", "127.0.0.1", "-p", strconv.Itoa(port))
	b.process.Dir = os.TempDir()
	b.process.Stdout, b.process.Stderr = &b.output, &b.output
	b.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(b.process.SysProcAttr)
	if err := b.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = b.process.Wait()
		close(b.ended)
	}()
	if err := b.awaitReady(ctx, host); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// awaitReady waits until the server accepts connections.
func (b *bus) awaitReady(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if conn, err := net.Dial("tcp", host); err == nil {
			return conn.Close()
		}
		select {
		case <-b.ended:
			return fmt.Errorf("the NATS server did not start on %s:\n%s", host, &b.output)
		case <-ctx.Done():
			return fmt.Errorf("the NATS server was not ready on %s: %w", host, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop kills the server, which has nothing to clean up.
func (b *bus) stop() {
	_ = b.process.Process.Kill()
	<-b.ended
}
