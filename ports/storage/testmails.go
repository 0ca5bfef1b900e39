package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// TestMails are the mails that end users of projects' test data were sent. They are deleted with
// their project.
type TestMails interface {
	// Add stores a mail, and removes the project's oldest ones beyond core.MaxTestMails.
	Add(ctx context.Context, mail core.TestMail) error
	// List returns a project's mails, the newest first.
	List(ctx context.Context, project core.ID) ([]core.TestMail, error)
}
