package pocketbase

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	pb "github.com/pocketbase/pocketbase/core"

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
