package sitehost

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"

	"github.com/atelierhq/atelier/core"
)

// notice is a page that is shown when another cannot be served. It says what is wrong and
// what to do.
type notice struct {
	// Lang is the language of the texts; "" is English.
	Lang  string
	Title string
	Text  string
	// Link is a path of the host, "" for none, and LinkText what it is called.
	Link, LinkText string
	// Diagnostics are the mistakes that keep a preview from building.
	Diagnostics []core.Diagnostic
	// Again is after how many seconds browsers reload by themselves; 0 is never.
	Again int
	// Client is the tag of the preview's client, which reloads the page when there is
	// something to see.
	Client template.HTML
	// Closing is the script that closes a window which a script has opened, "" for none. In
	// other windows it does nothing.
	Closing template.JS
}

func noSite() notice {
	return notice{Title: "There is no site here", Text: "Check the address. If this is your project, open it in the studio and publish it."}
}

// takenDown replaces a site that an admin of the installation took down.
func takenDown(reason string) notice {
	return notice{Title: "This site was taken down", Text: "The people who run this service took it down. Their reason: " + reason}
}

func noPage() notice {
	return notice{Title: "There is no such page", Text: "Check the address, or go to the start page of this site."}
}

func noPreview() notice {
	return notice{Title: "This preview has moved", Text: "A preview's address changes when the project's visibility or members change. Open the project in the studio to see it."}
}

// closing is for windows that the waiting page does not close: it is gone, has no hold of the
// window, or opened it itself.
const closing = "close()"

func signedIn() notice {
	return notice{Title: "You are signed in", Text: "You can close this window and go back to the application.", Closing: closing}
}

func notSignedIn() notice {
	return notice{Title: "The sign-in did not work", Text: "Close this window, go back to the application and try again."}
}

func unavailable() notice {
	return notice{Title: "This page cannot be shown right now", Text: "Try again in a few seconds."}
}

// starting replaces a page while a development server does not answer yet. client is
// trusted HTML.
func starting(progress string, client []byte) notice {
	return notice{Title: "The preview is starting", Text: progress, Again: 2, Client: template.HTML(client)}
}

// notYet replaces a page of a preview without a successful build. client is trusted HTML.
func notYet(diagnostics []core.Diagnostic, client []byte) notice {
	if len(diagnostics) == 0 {
		return notice{Title: "The preview is starting", Text: "It appears here automatically.", Client: template.HTML(client)}
	}
	return notice{
		Title:       "The build failed",
		Text:        "Fix the problems listed here; the preview then appears automatically.",
		Diagnostics: diagnostics,
		Client:      template.HTML(client),
	}
}

//go:embed pages/notice.html
var noticeSource string

var noticePage = template.Must(template.New("notice").Parse(noticeSource))

// noticePolicy is a Content-Security-Policy that allows a notice only inline styles, the
// client script and closing. The preview's own policy is sent as well: browsers enforce both.
var noticePolicy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' " + hashOf(closing) +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'"

// hashOf names an inline script in a Content-Security-Policy.
func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// showNotice answers with a page, or with its title if the client accepts no HTML.
func showNotice(w http.ResponseWriter, r *http.Request, status int, shown notice) {
	header := w.Header()
	if !wantsPage(r.Header.Get("Accept")) {
		refuse(w, status, shown.Title)
		return
	}
	var body bytes.Buffer
	if err := noticePage.Execute(&body, shown); err != nil {
		refuse(w, status, shown.Title)
		return
	}
	header["Cache-Control"] = noStore
	header["Content-Type"] = []string{mediaTypes[".html"]}
	header.Add("Content-Security-Policy", noticePolicy)
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes())
	}
}
