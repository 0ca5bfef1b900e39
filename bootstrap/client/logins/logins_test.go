package logins_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/client/logins"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

func TestNoLoginIsLostWhenManyChangeTheFile(t *testing.T) {
	file := logins.At(t.TempDir())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			err := file.Change(func(held *logins.Logins) error {
				held.Installations[fmt.Sprint(i)] = logins.Login{Credential: remote.Credential{Token: "t"}}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	held, err := file.Read()
	if err != nil || len(held.Installations) != 20 {
		t.Errorf("got %d logins, %v, want 20", len(held.Installations), err)
	}
	if info, err := os.Stat(file.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want it for its owner alone", info, err)
	}
}

func TestAFileThatOthersCanReadIsRefused(t *testing.T) {
	file := logins.At(t.TempDir())
	if err := file.Change(func(*logins.Logins) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Read(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("got %v, want what to do about it", err)
	}
}
