package credentials_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/adapters/credentials"
)

// TestMain lets the test program be its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == credentials.HashCommand {
		if err := credentials.ServeHashes(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// newPasswordsInWorkers hashes a number at a time in processes of their own.
func newPasswordsInWorkers(t *testing.T, parallel int) *credentials.Passwords {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	passwords := credentials.NewPasswords(credentials.Config{
		Parallel: parallel, Command: []string{program, credentials.HashCommand}, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(passwords.Close)
	return passwords
}

func wantMatch(t *testing.T, passwords *credentials.Passwords, hash, password string, want bool) {
	t.Helper()
	if got, err := passwords.Verify(t.Context(), hash, password); err != nil || got != want {
		t.Errorf("%q: got %v, %v, want %v", password, got, err, want)
	}
}

func TestAWorkerComputesWhatTheServiceDoes(t *testing.T) {
	outside, inside := newPasswordsInWorkers(t, 1), newPasswords(t)
	hash, err := outside.Hash(t.Context(), "a password")
	if err != nil {
		t.Fatal(err)
	}
	wantMatch(t, inside, hash, "a password", true)
	hash, err = inside.Hash(t.Context(), "a password")
	if err != nil {
		t.Fatal(err)
	}
	wantMatch(t, outside, hash, "a password", true)
	wantMatch(t, outside, hash, "another", false)
	wantMatch(t, outside, hash, strings.Repeat("x", 1024), false)
	if got := credentials.IdleWorkers(outside); len(got) != 1 {
		t.Errorf("got %d workers, want the one that was used again", len(got))
	}
}

func TestAWorkerThatEndedIsReplaced(t *testing.T) {
	passwords := newPasswordsInWorkers(t, 1)
	hash, err := passwords.Hash(t.Context(), "a password")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, worker := range credentials.IdleWorkers(passwords) {
			if err := worker.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		wantMatch(t, passwords, hash, "a password", true)
	}
}

func TestWithoutAWorkerTheServiceHashes(t *testing.T) {
	var log bytes.Buffer
	passwords := credentials.NewPasswords(credentials.Config{
		Command: []string{filepath.Join(t.TempDir(), "gone"), credentials.HashCommand}, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	defer passwords.Close()
	hash, err := passwords.Hash(t.Context(), "a password")
	if err != nil || !strings.Contains(log.String(), "could not start a worker for password hashes") {
		t.Fatalf("got %v and the log %q, want a hash and why there is no worker", err, log.String())
	}
	wantMatch(t, passwords, hash, "a password", true)
}

func TestAProgramThatIsNoWorkerRefusesTheSignIn(t *testing.T) {
	passwords := credentials.NewPasswords(credentials.Config{Command: []string{"/bin/true"}, Log: slog.New(slog.DiscardHandler)})
	defer passwords.Close()
	if hash, err := passwords.Hash(t.Context(), "a password"); err == nil {
		t.Errorf("got %q, want an error", hash)
	}
}

func TestWorkersEndWithTheirPasswords(t *testing.T) {
	passwords := newPasswordsInWorkers(t, 2)
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			if _, err := passwords.Hash(context.WithoutCancel(t.Context()), "a password"); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	workers := credentials.IdleWorkers(passwords)
	if len(workers) == 0 || len(workers) > 2 {
		t.Errorf("got %d workers, want 1 or 2", len(workers))
	}
	passwords.Close()
	for _, worker := range workers {
		if err := worker.Kill(); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("got %v, want the worker gone", err)
		}
	}
}

func TestAWorkerWithoutWorkEnds(t *testing.T) {
	passwords := newPasswordsInWorkers(t, 1)
	if _, err := passwords.Hash(t.Context(), "a password"); err != nil {
		t.Fatal(err)
	}
	credentials.DismissIdle(passwords)
	if got := credentials.IdleWorkers(passwords); len(got) != 0 {
		t.Errorf("got %d workers, want none", len(got))
	}
}
