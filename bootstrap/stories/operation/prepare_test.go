package operation_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/ports/conformance"
)

// The first start bundles what the templates need before the first project is created.
func TestTheFirstStartPreparesTheTemplates(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t), "PREPARE=on")
	bundles := func() int {
		sets, err := filepath.Glob(filepath.Join(service.Dir, "bundles", "*", "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(sets)
	}
	const want = 2 // for previews and for sites
	if !conformance.Becomes(func() bool { return bundles() >= want }) {
		t.Fatalf("got %d bundles, want %d\n%s", bundles(), want, service.Log())
	}
	service.Stop()
	if said := service.Log(); strings.Contains(said, "prepared") {
		t.Errorf("got %q, want no complaint", said)
	}
}

func TestTheServiceStopsWhileItPrepares(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t), "PREPARE=on")
	service.Stop()
	if said := service.Log(); strings.Contains(said, "prepared") {
		t.Errorf("got %q, want no complaint", said)
	}
}
