package versions

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// TestData has the snapshots of the projects' test data; backends.Service implements it.
type TestData interface {
	// TestDataWith returns the first snapshot since a time whose data have the schema of a schema
	// file, or "".
	TestDataWith(ctx context.Context, by core.Actor, project core.ID, schema []byte, since core.Time) (core.ID, error)
	// RestoreTestData makes test data what they were at a snapshot, and keeps what they were until
	// then as another one. It returns core.CodeNotFound if the snapshot is gone.
	RestoreTestData(ctx context.Context, by core.Actor, project, snapshot core.ID) error
}

// RestoreResult is the outcome of RestoreWithTestData.
type RestoreResult struct {
	core.Version
	// TestData says that test data were brought back.
	TestData bool `json:"testData"`
}

// RestoreWithTestData is Restore, which also brings back test data from a snapshot that has the
// version's schema, if one is kept.
//
// The snapshot is found first, so that nothing changes for who may not restore it. Files go back
// before data: between the two, the previews follow the schema file. If data fail, the error is
// returned although the files went back, and a repetition goes on from there.
func (s *Service) RestoreWithTestData(ctx context.Context, by core.Actor, project core.ID, version string) (RestoreResult, bool, error) {
	snapshot, err := s.testDataOf(ctx, by, project, version)
	if err != nil {
		return RestoreResult{}, false, err
	}
	made, changed, err := s.Restore(ctx, by, project, version)
	if err != nil || snapshot == "" {
		return RestoreResult{Version: made}, changed, err
	}
	err = s.testData.RestoreTestData(context.WithoutCancel(ctx), by, project, snapshot)
	if core.IsCode(err, core.CodeNotFound) {
		// The snapshot was deleted meanwhile.
		return RestoreResult{Version: made}, changed, nil
	}
	return RestoreResult{made, err == nil}, changed, err
}

// testDataOf returns the snapshot of test data that fits a version, or "".
func (s *Service) testDataOf(ctx context.Context, by core.Actor, project core.ID, version string) (core.ID, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionVersionWrite, project); err != nil {
		return "", err
	}
	earlier, err := s.history.Version(ctx, project, version)
	if err != nil {
		return "", err
	}
	all, err := s.history.FilesAt(ctx, project, earlier.ID)
	if err != nil {
		return "", err
	}
	for _, file := range all {
		if file.Path.String() != core.BackendSchemaPath {
			continue
		}
		schema, err := s.history.Content(ctx, project, *file.Blob, maxReadBytes)
		if core.IsCode(err, core.CodePayloadTooLarge) {
			return "", nil // and no backend ever had this schema
		}
		if err != nil {
			return "", err
		}
		return s.testData.TestDataWith(ctx, by, project, schema, earlier.CreatedAt)
	}
	return "", nil
}
