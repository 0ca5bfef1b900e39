package quarantine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
)

// clearAll clears quarantines as a repair does.
func clearAll(repository gitdir.Dir) error {
	entries, err := os.ReadDir(repository.Aside())
	for _, entry := range entries {
		if err == nil && Is(entry) {
			err = Clear(repository, entry)
		}
	}
	return err
}

func TestAQuarantineIsNeverTakenAwayBeforeItIsLocked(t *testing.T) {
	dir := t.TempDir()
	if err := gitdir.Make(dir); err != nil {
		t.Fatal(err)
	}
	repository := gitdir.Open(dir, func() error { return nil })
	made, cleared := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-made:
				cleared <- nil
				return
			default:
				if err := clearAll(repository); err != nil {
					cleared <- err
					return
				}
			}
		}
	}()
	for range 2000 {
		file, err := createFile(repository)
		if err != nil {
			t.Error(err)
			break
		}
		if _, err := os.Lstat(file.Name()); err != nil {
			t.Errorf("got %v, want the file in its place", err)
		}
		if err := os.Remove(file.Name()); err != nil {
			t.Error(err)
		}
		file.Close()
	}
	close(made)
	if err := <-cleared; err != nil {
		t.Errorf("repair: got %v, want nil", err)
	}
	if left, err := filepath.Glob(repository.Aside(filePrefix + "*")); err != nil || len(left) != 0 {
		t.Errorf("got %q left, %v, want nothing", left, err)
	}
}
