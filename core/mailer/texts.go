package mailer

import (
	"cmp"
	"embed"
	htmltemplate "html/template"
	"io"
	"net/url"
	"path"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// Origin is the public address of the studio, with which links begin, without a
// slash at its end.
type Origin string

// texts has a directory a language, and in it three files a mail: its subject, and its two
// parts.
//
//go:embed texts
var texts embed.FS

// maxNameChars bounds a name in a mail.
const maxNameChars = 100

// words are the values for the templates. Names are plain; each part escapes them as
// needed.
type words struct {
	To, Link string

	Workspace, Project, InvitedBy string
	Role                          core.Role
	// Notice is the kind of a notice; Device, Address and Name are its.
	Notice                NoticeKind
	Site, Reason          string
	Device, Address, Name string
	// Gone says that the address of a webhook wants no more.
	Gone bool
	// Expires and At, when what a notice tells of happened, are in UTC; each language has
	// its own way to write them.
	Expires, At time.Time
	// Subject is for the parts, which are written after it.
	Subject string
}

// inviteMail writes the mail of an invitation.
func inviteMail(id core.ID, origin Origin, invitation Invitation) (mail.Message, error) {
	return compose(id, invitation.Language, letterInvite, words{
		To:        invitation.To,
		Link:      string(origin) + "/invites/" + url.PathEscape(invitation.Token),
		Workspace: harmless(plainName(invitation.Workspace)),
		InvitedBy: cmp.Or(harmless(plainName(invitation.InvitedBy)), invitation.Sender),
		Role:      invitation.Role,
		Expires:   invitation.ExpiresAt.Std().UTC(),
	})
}

// instanceInviteMail writes the mail of an invitation to the installation.
func instanceInviteMail(id core.ID, origin Origin, invitation Invitation) (mail.Message, error) {
	query := url.Values{"invite": {invitation.Token}, "email": {invitation.To}}
	return compose(id, invitation.Language, letterInstanceInvite, words{
		To:        invitation.To,
		Link:      string(origin) + "/signup?" + query.Encode(),
		InvitedBy: cmp.Or(harmless(plainName(invitation.InvitedBy)), invitation.Sender),
		Expires:   invitation.ExpiresAt.Std().UTC(),
	})
}

// passwordResetMail writes the mail with the link to a new password.
func passwordResetMail(id core.ID, origin Origin, language core.Language, to, token string) (mail.Message, error) {
	return compose(id, language, letterPasswordReset, words{
		To: to, Link: string(origin) + "/reset-password?token=" + url.QueryEscape(token),
	})
}

// compose writes a mail in a language, English for "".
func compose(id core.ID, language core.Language, kind letterKind, words words) (mail.Message, error) {
	file := path.Join("texts", string(cmp.Or(language, core.LanguageEnglish)), string(kind))
	subject, err := write(texttemplate.ParseFS(texts, file+".subject"))(words)
	if err != nil {
		return mail.Message{}, err
	}
	words.Subject = strings.TrimSpace(subject)
	text, err := write(texttemplate.ParseFS(texts, file+".txt"))(words)
	if err != nil {
		return mail.Message{}, err
	}
	html, err := write(htmltemplate.ParseFS(texts, file+".html"))(words)
	if err != nil {
		return mail.Message{}, err
	}
	return mail.Message{To: words.To, Subject: words.Subject, Text: text, HTML: html, ID: string(id)}, nil
}

// template is one of plain text or of HTML.
type template interface {
	Execute(to io.Writer, data any) error
}

// write returns what fills in a template that was parsed.
func write[T template](parsed T, err error) func(values any) (string, error) {
	return func(values any) (string, error) {
		var text strings.Builder
		if err == nil {
			err = parsed.Execute(&text, values)
		}
		if err != nil {
			return "", core.Wrap(core.CodeInternal, err, "the mail cannot be written")
		}
		return text.String(), nil
	}
}

// plainName makes one short line of a name, without invisible characters: they could
// break a header, or reverse the text that follows.
func plainName(name string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case turnsText(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, name)
	line := []rune(strings.Join(strings.Fields(visible), " "))
	if len(line) > maxNameChars {
		return string(line[:maxNameChars-1]) + "…"
	}
	return string(line)
}

// harmless returns a name, or "" for one that contains a web address, because mail
// programs would turn it into a link.
func harmless(name string) string {
	lower := strings.ToLower(name)
	if strings.ContainsAny(lower, "/\\@:") || strings.Contains(lower, "www") {
		return ""
	}
	runes := []rune(strings.NewReplacer("。", ".", "．", ".", "｡", ".", "․", ".").Replace(lower))
	for i := 1; i+1 < len(runes); i++ {
		if runes[i] == '.' && isInHost(runes[i-1]) && isInHost(runes[i+1]) {
			return ""
		}
	}
	return name
}

func isInHost(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// turnsText reports whether a character changes the direction of the following text.
func turnsText(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == '\u061c'
}
