package disk

import (
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// keepPrivate keeps the machine's other users out of a root that lets them in: the root itself
// when nothing else is in it, or each folder in it that is the service's.
func keepPrivate(root string) error {
	info, err := os.Stat(root)
	if err != nil || !durable.IsOpen(info) {
		return err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	shared := false
	for _, entry := range entries {
		if !isOurs(entry) {
			shared = true
			continue
		}
		if err := durable.Tighten(filepath.Join(root, entry.Name())); err != nil {
			return err
		}
	}
	if shared {
		return nil
	}
	return durable.Tighten(root)
}

// isOurs tells the folders of projects and deployments, and the service's own.
func isOurs(entry os.DirEntry) bool {
	_, err := core.ParseID(entry.Name())
	return entry.IsDir() && (err == nil || entry.Name() == serviceDir)
}

// exposed returns core.CodeUnavailable if the machine's other users can read a folder in root
// and this process cannot change that, because the folder belongs to another user.
func exposed(root string) error {
	info, err := os.Stat(root)
	if err != nil || !durable.IsOpen(info) {
		return durable.Fault(err, "folder")
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return durable.Fault(err, "folder")
	}
	for _, entry := range entries {
		at := filepath.Join(root, entry.Name())
		if info, err := os.Stat(at); isOurs(entry) && err == nil && durable.IsOpen(info) {
			return core.Errorf(core.CodeUnavailable, "every user of this machine can read %s: its owner should run chmod -R o-rwx %s", at, root)
		}
	}
	return nil
}

// Exposed returns core.CodeUnavailable if the machine's other users can read projects. New
// opens no folder to them, and closes those of this user at the start.
func (t *Trees) Exposed() error { return exposed(t.root) }

// Exposed returns core.CodeUnavailable if the machine's other users can read deployments, which
// include those of projects that are not public.
func (s *Sites) Exposed() error { return exposed(s.root) }
