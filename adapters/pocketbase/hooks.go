package pocketbase

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/hook"
	"github.com/pocketbase/pocketbase/tools/router"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// addressPlaceholder replaces the application's address in mails. The service inserts that
// of the site or the preview (backend.AddressPlaceholder).
const addressPlaceholder = backend.AddressPlaceholder

// mailTime bounds how long a request waits for its mail to be queued.
const mailTime = 10 * time.Second

// bindHooks passes mails to the service's queue and prevents superusers.
func (a *application) bindHooks(place backend.Place, config Config) {
	a.OnMailerSend().BindFunc(func(e *pb.MailerEvent) error {
		if config.Post == nil {
			return errors.New("mails cannot be sent")
		}
		ctx, cancel := context.WithTimeout(context.Background(), mailTime)
		defer cancel()
		for _, to := range e.Message.To {
			mail := backend.Mail{To: to.Address, Subject: e.Message.Subject, Text: cmp.Or(e.Message.Text, plainText(e.Message.HTML)), HTML: e.Message.HTML}
			if err := config.Post.Send(ctx, place, mail); err != nil {
				return mailError(err)
			}
		}
		return nil
	})
	a.OnRecordAuthWithOAuth2Request().BindFunc(settleExchange(config))
	a.OnRecordCreate(pb.CollectionNameSuperusers).BindFunc(func(*pb.RecordEvent) error {
		return errors.New("there are no superusers")
	})
}

// mailError answers that the project has sent too many mails.
func mailError(err error) error {
	if core.IsCode(err, core.CodeRateLimited) {
		return errors.New(strings.TrimSpace(err.Error()))
	}
	return err
}

// attributesSuffix names the file in which PocketBase keeps the type and the sum of another.
const attributesSuffix = ".attrs"

// afterUpload is the priority of a hook that runs when PocketBase has written the files of a
// record, and not yet the record: its own, which calls it, has 99.
const afterUpload = 100

// keepUploads makes the files of a record durable before the record is: one that was acknowledged
// has its files after a power cut, and on a shared disk after the loss of a machine.
func (a *application) keepUploads() {
	keep := &hook.Handler[*pb.RecordEvent]{
		Id: "atelierKeepUploads", Priority: afterUpload,
		Func: func(e *pb.RecordEvent) error {
			if err := a.syncUploads(e.Record); err != nil {
				return router.NewApiError(http.StatusServiceUnavailable, "The files could not be written to the disk: try again.", err)
			}
			return e.Next()
		},
	}
	a.OnRecordCreateExecute().Bind(keep)
	a.OnRecordUpdateExecute().Bind(keep)
}

// syncUploads waits until the files of a record that were just written are on the disk, with the
// directories on the way to them, which may be new.
func (a *application) syncUploads(record *pb.Record) error {
	dir := filepath.Join(a.files, filepath.FromSlash(record.BaseFilesPath()))
	written := 0
	for _, field := range record.Collection().Fields {
		if field.Type() != pb.FieldTypeFile {
			continue
		}
		for _, file := range record.GetUnsavedFiles(field.GetName()) {
			path := filepath.Join(dir, file.Name)
			if err := a.sync(path); err != nil {
				return err
			}
			if err := a.sync(path + attributesSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			written++
		}
	}
	if written == 0 {
		return nil
	}
	// The directory of the record, of its collection, of all files, and what that is in.
	for range 4 {
		if err := a.sync(dir); err != nil {
			return err
		}
		dir = filepath.Dir(dir)
	}
	return nil
}
