package backends

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/recordfile"
	"github.com/atelierhq/atelier/ports/backend"
)

// Export is a file with all records of a collection, in a format that Import accepts.
type Export struct {
	// Name is the name of the file.
	Name string

	engine     Engine
	at         backend.Place
	collection backend.Collection
	format     recordfile.Format
}

// Export prepares a file with the records of a collection.
func (s *Records) Export(ctx context.Context, by core.Actor, at backend.Place, collection string, format recordfile.Format) (*Export, error) {
	from, err := s.collection(ctx, by, readingOf(at.Env), at, collection)
	if err != nil {
		return nil, err
	}
	return &Export{from.Name + "." + string(format), s.deps.Engine, at, from, format}, nil
}

// Write writes the records of one moment. After an error, the output is incomplete.
func (e *Export) Write(ctx context.Context, to io.Writer) error {
	file := recordfile.NewWriter(to, e.collection, e.format)
	if err := e.engine.Dump(ctx, e.at, e.collection.Name, file); err != nil {
		return err
	}
	return file.End()
}
