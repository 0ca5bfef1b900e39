package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// server is a private PostgreSQL server with its data in a temporary directory.
type server struct {
	address string
	folder  string
	process *exec.Cmd
	output  *bytes.Buffer
	ended   chan struct{}
}

// serverPrograms returns the directory of initdb and postgres, of the newest version, ""
// if there is none.
func serverPrograms() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		// If the path has a link, the other programs are beside its target.
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(target)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return versionOf(a) - versionOf(b) })
	return filepath.Dir(newest)
}

// versionOf reads N in /usr/lib/postgresql/N/bin/initdb.
func versionOf(initdb string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return version
}

// startServer creates a database cluster and serves it on a free port of the loopback
// interface. If it fails, it leaves nothing behind.
func startServer(ctx context.Context) (*server, error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "atelier-testenv-*")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder, output: &bytes.Buffer{}, ended: make(chan struct{})}
	if err := s.start(ctx, account); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// serverAccount returns the account of the server, nil for the caller's. PostgreSQL
// refuses to run as root.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither an account postgres nor nobody")
}

func (s *server) start(ctx context.Context, account *syscall.Credential) error {
	password := rand.Text()
	if err := s.initialise(ctx, account, password); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.address = (&url.URL{
		Scheme: "postgres", User: url.UserPassword("atelier", password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()
	settings := []string{"-D", s.data(), "-p", strconv.Itoa(port)}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=500",
		// The data of these tests need not survive a power cut.
		"fsync=off", "full_page_writes=off", "synchronous_commit=off",
	} {
		settings = append(settings, "-c", setting)
	}
	s.process = s.program(context.Background(), account, "postgres", settings...)
	s.process.SysProcAttr.Setpgid = true
	endWithParent(s.process.SysProcAttr)
	if err := s.process.Start(); err != nil {
		s.process = nil
		return err
	}
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	return s.awaitReady(ctx, port)
}

func (s *server) data() string { return filepath.Join(s.folder, "data") }

// initialise creates the cluster. It prefers a linguistic collation, so that code which
// sorts by bytes must say so.
func (s *server) initialise(ctx context.Context, account *syscall.Credential, password string) error {
	secret := filepath.Join(s.folder, "password")
	if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
		return err
	}
	if account != nil {
		for _, path := range []string{s.folder, secret} {
			if err := os.Chown(path, int(account.Uid), int(account.Gid)); err != nil {
				return err
			}
		}
	}
	options := []string{
		"-D", s.data(), "-U", "atelier", "--pwfile", secret, "-A", "password",
		"--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync",
	}
	linguistic := append(slices.Clone(options), "--locale-provider", "icu", "--icu-locale", "en-US")
	for _, attempt := range [][]string{linguistic, options} {
		err := s.program(ctx, account, "initdb", attempt...).Run()
		if err == nil {
			s.output.Reset()
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("initdb failed:\n%s", s.output)
}

func (s *server) program(ctx context.Context, account *syscall.Credential, name string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(serverPrograms(), name), arguments...)
	cmd.Dir = s.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.Stdout, cmd.Stderr = s.output, s.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	return cmd
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// awaitReady waits until the server accepts connections. It then writes the last line of
// its pid file, "ready".
func (s *server) awaitReady(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		lines, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
		if err == nil && bytes.HasSuffix(bytes.TrimSpace(lines), []byte("ready")) {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("PostgreSQL did not start on port %d:\n%s", port, s.output)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL was not ready on port %d: %w", port, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends the server and removes its directory. If an orderly shutdown takes too long,
// it kills the server.
func (s *server) stop() error {
	if s.process != nil {
		for _, number := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
			_ = s.process.Process.Signal(number)
			select {
			case <-s.ended:
			case <-time.After(10 * time.Second):
				continue
			}
			break
		}
	}
	return os.RemoveAll(s.folder)
}
