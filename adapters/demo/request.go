package demo

import (
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// request is what the script understands of the user's message.
type request struct {
	// message is the user's own words; text is what the page will show.
	message string
	text    string
	// replaces is the text on the page that text replaces, "" if none was named.
	replaces string
	// heading means that text is for the first heading, and not for a line of its own.
	heading bool
	// guestbook means that the user wants a guestbook; starter is the application that the user
	// wants, nil for none.
	guestbook bool
	starter   *starter
}

var (
	quotes = regexp.MustCompile(`“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|"([^"]+)"|` + "`([^`]+)`" + `|(?:^|[\s(])'([^']+)'(?:$|[\s).,;:!?])`)
	// titleRequest finds the new text of "change the title to X".
	titleRequest = regexp.MustCompile(`(?i)\b(?:title|heading|headline|header)\b[^.\n]*?\b(?:to|as|into|say|says|read|reads|be|is)\b:?\s+([^\n]+)`)
	// addRequest finds X in "add X" at the beginning of a sentence.
	addRequest = regexp.MustCompile(`(?im)^\s*(?:(?:please|now|can you|could you|also)[,\s]+)*(?:add|append|insert|put|write)\s+([^\n]+)`)
)

// maxText bounds the text for the page, in characters.
const maxText = 200

// readRequest parses the newest message of the user that is no plan: when a plan is carried
// out, the message before it holds the request.
func readRequest(messages []ai.Message) request {
	newest := ""
	for _, message := range slices.Backward(messages) {
		if message.Role != ai.RoleUser {
			continue
		}
		if !strings.Contains(message.Text, `"steps"`) {
			return parseRequest(message.Text)
		}
		if newest == "" {
			newest = message.Text
		}
	}
	return parseRequest(newest)
}

func parseRequest(message string) request {
	r := request{message: message}
	adds := addRequest.FindStringSubmatch(message)
	named := quotedTexts(message)
	switch retitled := titleRequest.FindStringSubmatch(message); {
	case len(named) > 1 && adds == nil:
		r.replaces, r.text, r.heading = named[0], named[len(named)-1], true
	case len(named) > 0:
		r.text, r.heading = named[0], adds == nil
	case retitled != nil:
		r.text, r.heading = retitled[1], true
	case adds != nil:
		r.text = adds[1]
	default:
		r.text = message
	}
	if len(named) == 0 && !r.heading {
		r.starter = starterOf(message)
	}
	r.guestbook = len(named) == 0 && !r.heading && guestbookRequest.MatchString(message)
	r.text = core.ShortenChars(strings.Join(strings.Fields(r.text), " "), maxText)
	if named == nil {
		r.text = strings.TrimRight(r.text, ".!?;: ")
	}
	if r.text == "" {
		r.text = "Hello from Atelier"
	}
	return r
}

func quotedTexts(message string) []string {
	var texts []string
	for _, match := range quotes.FindAllStringSubmatch(message, -1) {
		for _, text := range match[1:] {
			if strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
