package demo

import (
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// wish is what the script understands of the user's message.
type wish struct {
	// message is the user's own words; text is what the page will show.
	message string
	text    string
	// instead is a text on the page that text replaces, "" if none was named.
	instead string
	// heading means that text is for the first heading, and not for a line of its own.
	heading bool
}

var (
	quotes = regexp.MustCompile(`“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|"([^"]+)"|` + "`([^`]+)`" + `|(?:^|[\s(])'([^']+)'(?:$|[\s).,;:!?])`)
	// retitle finds the new text of "change the title to X".
	retitle = regexp.MustCompile(`(?i)\b(?:title|heading|headline|header)\b[^.\n]*?\b(?:to|as|into|say|says|read|reads|be|is)\b:?\s+([^\n]+)`)
	// addition finds X in "add X" at the beginning of a sentence.
	addition = regexp.MustCompile(`(?im)^\s*(?:(?:please|now|can you|could you|also)[,\s]+)*(?:add|append|insert|put|write)\s+([^\n]+)`)
)

// maxWish bounds the text for the page, in characters.
const maxWish = 200

// readWish parses the newest message of the user that is no plan: when a plan is carried
// out, the message before it holds the wish.
func readWish(messages []ai.Message) wish {
	newest := ""
	for _, message := range slices.Backward(messages) {
		if message.Role != ai.RoleUser {
			continue
		}
		if !strings.Contains(message.Text, `"steps"`) {
			return understand(message.Text)
		}
		if newest == "" {
			newest = message.Text
		}
	}
	return understand(newest)
}

func understand(message string) wish {
	w := wish{message: message}
	adds := addition.FindStringSubmatch(message)
	named := quotedTexts(message)
	switch retitled := retitle.FindStringSubmatch(message); {
	case len(named) > 1 && adds == nil:
		w.instead, w.text, w.heading = named[0], named[len(named)-1], true
	case len(named) > 0:
		w.text, w.heading = named[0], adds == nil
	case retitled != nil:
		w.text, w.heading = retitled[1], true
	case adds != nil:
		w.text = adds[1]
	default:
		w.text = message
	}
	w.text = cut(strings.Join(strings.Fields(w.text), " "), maxWish)
	if named == nil {
		w.text = strings.TrimRight(w.text, ".!?;: ")
	}
	if w.text == "" {
		w.text = "Hello from Atelier"
	}
	return w
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
