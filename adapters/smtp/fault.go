package smtp

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/atelierhq/atelier/core"
)

// authenticationRequired is a refusal of the sender, not of the mail (RFC 4954).
const authenticationRequired = 530

// maxCauseBytes bounds how much of the server's answer is logged.
const maxCauseBytes = 500

// errNotASCII refuses an address that the server cannot handle.
func errNotASCII() error {
	return core.Errorf(core.CodeValidationFailed, "the mail server does not accept addresses with letters beyond ASCII")
}

// fault gives a failure its code. A permanent refusal after the recipient is known means
// that the mail will never be accepted. Any other failure may pass, even a wrong
// password, which an operator can correct.
func fault(err error, to string) error {
	var known *core.Error
	var refusal *gomail.SendError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.As(err, &refusal) && refusesMail(refusal):
		return core.Wrap(core.CodeValidationFailed, cause(err, to), "the mail server refused the mail")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return core.Wrap(core.CodeUnavailable, cause(err, to), "the mail server did not answer in time")
	}
	return core.Wrap(core.CodeUnavailable, cause(err, to), "the mail server did not accept the mail")
}

func refusesMail(refusal *gomail.SendError) bool {
	switch refusal.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return refusal.ErrorCode() >= 500 && refusal.ErrorCode() != authenticationRequired
	}
	return false
}

// cause returns a failure's text without the recipient's address, which servers repeat.
func cause(err error, to string) error {
	text := err.Error()
	if to != "" {
		text = regexp.MustCompile("(?i)"+regexp.QuoteMeta(to)).ReplaceAllLiteralString(text, "the recipient")
	}
	return errors.New(strings.ToValidUTF8(text[:min(len(text), maxCauseBytes)], ""))
}
