package pocketbase

import (
	"html"
	"regexp"
	"strings"

	pb "github.com/pocketbase/pocketbase/core"
)

// confirmLinks replaces the links in mails to PocketBase's admin page, which is not served,
// by those of the service. PocketBase's export has the same links.
var confirmLinks = strings.NewReplacer(
	"/_/#/auth/confirm-verification/", "/_data/@confirm/verification#",
	"/_/#/auth/confirm-password-reset/", "/_data/@confirm/password#",
	"/_/#/auth/confirm-email-change/", "/_data/@confirm/email#",
)

// confirmHere points the links in a collection's mails to the service.
func confirmHere(collection *pb.Collection) {
	for _, template := range []*pb.EmailTemplate{
		&collection.VerificationTemplate, &collection.ResetPasswordTemplate, &collection.ConfirmEmailChangeTemplate,
		&collection.OTP.EmailTemplate, &collection.AuthAlert.EmailTemplate,
	} {
		template.Body = confirmLinks.Replace(template.Body)
	}
}

var (
	invisible = regexp.MustCompile(`(?is)<(style|head|script)\b.*?</(style|head|script)>|<!--.*?-->|<!doctype[^>]*>`)
	anchor    = regexp.MustCompile(`(?is)<a\b[^>]*\bhref="([^"]*)"[^>]*>(.*?)</a>`)
	lineEnd   = regexp.MustCompile(`(?i)</p>|<br\s*/?>|</div>|</h\d>|</li>`)
	markup    = regexp.MustCompile(`(?s)<[^>]*>`)
	blanks    = regexp.MustCompile(`[ \t]*\n\s*\n[ \t]*`)
)

// plainText converts a mail's HTML to text, with the addresses of its links.
func plainText(page string) string {
	page = invisible.ReplaceAllString(page, "")
	page = anchor.ReplaceAllString(page, "$2: $1")
	page = strings.Join(strings.Fields(page), " ")
	page = lineEnd.ReplaceAllString(page, "\n\n")
	page = html.UnescapeString(markup.ReplaceAllString(page, ""))
	return strings.TrimSpace(blanks.ReplaceAllString(page, "\n\n")) + "\n"
}
