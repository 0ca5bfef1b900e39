// Package outbox writes mails to files, for installations without a mail server.
package outbox

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/rfc5322"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// maxFiles is how many mails are kept, the newest ones.
const maxFiles = 1000

// suffix ends the name of a mail's file; unfinished begins the name of a file that is
// being written.
const (
	suffix     = ".eml"
	unfinished = ".new-"
)

// nameLayout begins the name of a mail's file, so that names sort by time.
const nameLayout = "20060102T150405.000Z"

// Outbox is a mail.Sender that writes mails to files that only the service's user may
// read. Only one process may use a folder.
type Outbox struct {
	dir  string
	from netmail.Address
	log  *slog.Logger
	now  func() time.Time

	// mu keeps prune from removing a file that is being written as unfinished.
	mu sync.Mutex
}

var _ mail.Sender = (*Outbox)(nil)

// Config configures an Outbox.
type Config struct {
	// Dir is the folder. It is created when the first mail is written.
	Dir  string
	From netmail.Address
	Log  *slog.Logger
	Now  func() time.Time
}

// New returns an outbox.
func New(config Config) *Outbox {
	return &Outbox{dir: config.Dir, from: config.From, log: config.Log, now: config.Now}
}

// Send implements mail.Sender. The log names the file.
func (o *Outbox) Send(ctx context.Context, message mail.Message) error {
	at := o.now().UTC()
	letter, err := rfc5322.Compose(o.from, message, at)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mail was not written in time")
	}
	var content bytes.Buffer
	if _, err := letter.WriteTo(&content); err != nil {
		return core.Wrap(core.CodeInternal, err, "the mail cannot be written")
	}
	path := filepath.Join(o.dir, at.Format(nameLayout)+"-"+string(core.NewID())+suffix)
	if err := o.put(path, content.Bytes()); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mail could not be written to the outbox")
	}
	o.log.Info("wrote a mail to a file, because no mail server is set (SMTP_URL)", "file", path)
	return nil
}

// Check implements mail.Sender.
func (o *Outbox) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the outbox could not be checked in time")
	}
	if err := o.probe(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "mails cannot be written to the outbox")
	}
	return nil
}

// probe writes a file and removes it. Another process may have pruned it before, as
// unfinished.
func (o *Outbox) probe() error {
	if err := o.prepare(); err != nil {
		return err
	}
	path := filepath.Join(o.dir, unfinished+string(core.NewID()))
	if err := durable.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// prepare creates the folder, for its owner alone.
func (o *Outbox) prepare() error {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(o.dir, 0o700)
}

// put writes a file durably and atomically, and removes the oldest ones.
func (o *Outbox) put(path string, content []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.prepare(); err != nil {
		return err
	}
	temp := filepath.Join(o.dir, unfinished+string(core.NewID()))
	err := durable.WriteFile(temp, content, 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := durable.SyncDir(o.dir); err != nil {
		return err
	}
	if err := o.prune(); err != nil {
		o.log.Warn("could not remove old mails from the outbox", "error", err)
	}
	return nil
}

// prune removes the oldest mails beyond the limit, and unfinished files of a crash.
func (o *Outbox) prune() error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	var mails, rest []string
	for _, entry := range entries {
		switch {
		case strings.HasPrefix(entry.Name(), unfinished):
			rest = append(rest, entry.Name())
		case strings.HasSuffix(entry.Name(), suffix):
			mails = append(mails, entry.Name())
		}
	}
	slices.Sort(mails)
	rest = append(rest, mails[:max(0, len(mails)-maxFiles)]...)
	for _, name := range rest {
		if err := os.Remove(filepath.Join(o.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
