package disk_test

import (
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/ports/objects"
	"github.com/atelierhq/atelier/ports/objects/objectstest"
)

func TestObjects(t *testing.T) {
	objectstest.Run(t, func(t *testing.T) objects.Store { return disk.NewObjects(filepath.Join(t.TempDir(), "backups")) })
}
