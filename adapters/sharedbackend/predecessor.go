package sharedbackend

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// succeed ends the claims of this process's predecessor, which nobody else would get before their
// lease is over, and leaves this process's name for its successor. The kernel frees the lock of the
// file when a process ends: who gets it knows that the process whose name it has is no more. A
// process that does not get it, such as a command beside the service, ends nothing.
//
// If a whole disk was copied, the other is alive, and the token of the next claim fences it: nothing
// that was acknowledged is lost.
func (c *claims) succeed(ctx context.Context) {
	if c.config.NameFile == "" {
		return
	}
	if err := c.takeName(ctx); err != nil {
		c.log().Warn("could not end the claims of the process before this one: the data of its backends is away until they end by themselves", "error", err)
	}
}

func (c *claims) takeName(ctx context.Context) error {
	file, err := os.OpenFile(c.config.NameFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := durable.Retried(func() error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil // its process lives
		}
		return err
	}
	c.nameFile = file
	name, err := io.ReadAll(io.LimitReader(file, maxNameBytes))
	if err != nil {
		return err
	}
	if predecessor, unknown := core.ParseID(string(name)); unknown == nil {
		if err := c.endAll(ctx, predecessor); err != nil {
			return err
		}
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(c.self), 0)
	return err
}

// maxNameBytes is more than a name has.
const maxNameBytes = 100

// endAll ends the claims of an owner: extended until a time that is over, they are anybody's.
func (c *claims) endAll(ctx context.Context, owner core.ID) error {
	bounded, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	_, err := c.table().Renew(bounded, owner, core.At(c.config.Store.Now().Add(-c.config.Lease)))
	return err
}

// leaveName lets a successor have the file of names.
func (c *claims) leaveName() {
	if c.nameFile != nil {
		_ = c.nameFile.Close()
	}
}
