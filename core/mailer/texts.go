package mailer

import (
	"bytes"
	"cmp"
	"embed"
	htmltemplate "html/template"
	"net/url"
	"strings"
	texttemplate "text/template"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// Origin is the public address of the studio, with which links begin, without a
// slash at its end.
type Origin string

//go:embed texts
var texts embed.FS

var (
	textParts = texttemplate.Must(texttemplate.ParseFS(texts, "texts/*.txt"))
	htmlParts = htmltemplate.Must(htmltemplate.ParseFS(texts, "texts/*.html"))
)

// mailTime is the form of times in mails.
const mailTime = "2 January 2006, 15:04 UTC"

// maxNameChars bounds a name in a mail.
const maxNameChars = 100

// words are the values for the templates. Names are plain; each part escapes them as
// needed.
type words struct {
	Subject, To, Link string

	Workspace, InvitedBy string
	Role                 core.Role
	// Notice is the kind of a notice; Device, Address and Name are its.
	Notice                NoticeKind
	Device, Address, Name string
	// Expires is a day and a time for people.
	Expires string
}

// inviteMail writes the mail of an invitation.
func inviteMail(id core.ID, origin Origin, invitation Invitation) (mail.Message, error) {
	workspace := harmless(plainName(invitation.Workspace))
	subject := "Invitation to a workspace"
	if workspace != "" {
		subject = `Invitation to the workspace "` + workspace + `"`
	}
	return compose(id, letterInvite, words{
		Subject:   subject,
		To:        invitation.To,
		Link:      string(origin) + "/invites/" + url.PathEscape(invitation.Token),
		Workspace: workspace,
		InvitedBy: cmp.Or(harmless(plainName(invitation.InvitedBy)), invitation.Sender),
		Role:      invitation.Role,
		Expires:   invitation.ExpiresAt.Std().Format(mailTime),
	})
}

// instanceInviteMail writes the mail of an invitation to the installation.
func instanceInviteMail(id core.ID, origin Origin, invitation Invitation) (mail.Message, error) {
	query := url.Values{"invite": {invitation.Token}, "email": {invitation.To}}
	return compose(id, letterInstanceInvite, words{
		Subject:   "Invitation to Atelier",
		To:        invitation.To,
		Link:      string(origin) + "/signup?" + query.Encode(),
		InvitedBy: cmp.Or(harmless(plainName(invitation.InvitedBy)), invitation.Sender),
		Expires:   invitation.ExpiresAt.Std().Format("2 January 2006, 15:04 UTC"),
	})
}

// passwordResetMail writes the mail with the link to a new password.
func passwordResetMail(id core.ID, origin Origin, to, token string) (mail.Message, error) {
	return compose(id, letterPasswordReset, words{
		Subject: "A new password for Atelier",
		To:      to,
		Link:    string(origin) + "/reset-password?token=" + url.QueryEscape(token),
	})
}

// applicationMail passes on the mail of an application, with a subject of one line.
func applicationMail(id core.ID, from ApplicationMail) mail.Message {
	return mail.Message{To: from.To, Subject: plainName(from.Subject), Text: from.Text, HTML: from.HTML, ID: string(id)}
}

func compose(id core.ID, kind letterKind, words words) (mail.Message, error) {
	var text, html bytes.Buffer
	if err := textParts.ExecuteTemplate(&text, string(kind)+".txt", words); err != nil {
		return mail.Message{}, core.Wrap(core.CodeInternal, err, "the mail cannot be written")
	}
	if err := htmlParts.ExecuteTemplate(&html, string(kind)+".html", words); err != nil {
		return mail.Message{}, core.Wrap(core.CodeInternal, err, "the mail cannot be written")
	}
	return mail.Message{To: words.To, Subject: words.Subject, Text: text.String(), HTML: html.String(), ID: string(id)}, nil
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
