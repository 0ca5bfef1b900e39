package mailer

import (
	"cmp"
	htmltemplate "html/template"
	"net/url"
	texttemplate "text/template"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// applicationMail passes on the mail of an application, with a subject of one line. Its texts are
// somebody's, so that the sender and a footer say whose.
func applicationMail(id core.ID, origin Origin, from ApplicationMail) (mail.Message, error) {
	said := footer{Name: cmp.Or(harmless(plainName(from.Name)), hostOf(from.Address)), Address: from.Address, Service: string(origin)}
	message := mail.Message{To: from.To, Subject: plainName(from.Subject), Text: from.Text, Application: said.Name, ID: string(id)}
	text, err := write(texttemplate.New("footer").Parse(footerText))(said)
	if err != nil {
		return mail.Message{}, err
	}
	page, err := write(htmltemplate.New("footer").Parse(footerHTML))(said)
	if err != nil {
		return mail.Message{}, err
	}
	message.Text += text
	if from.HTML != "" {
		message.HTML = from.HTML + closing + page
	}
	return message, nil
}

// footer is what a footer says.
type footer struct{ Name, Address, Service string }

// hostOf returns the host of a site's address.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

const (
	footerText = `
--
Sent by {{.Name}} ({{.Address}}), an application that somebody has published with {{.Service}}, not by the service itself.
To report it, reply to this mail: the operator of the service reads the replies.
`
	footerHTML = `<div style="display:block!important;visibility:visible!important;opacity:1!important;position:static!important;font:13px sans-serif!important;color:#555!important;background:#fff!important;margin:24px 0 0!important;padding:12px 0!important;border-top:1px solid #ccc!important">Sent by {{.Name}} (<a href="{{.Address}}">{{.Address}}</a>), an application that somebody has published with <a href="{{.Service}}">{{.Service}}</a>, not by the service itself. To report it, reply to this mail: the operator of the service reads the replies.</div>
`
	// closing ends what an application has left open: a comment, an attribute, or an element whose
	// content is no HTML. It shows nothing where nothing is open.
	closing = `<!-- "'> --></style></script></title></textarea></xmp></noscript></noframes></noembed></iframe></template></select></svg></math>
`
)
