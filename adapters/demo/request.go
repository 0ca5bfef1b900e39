package demo

import (
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// request is what the script understands of the person's message.
type request struct {
	// message is the person's own words, said the script's words in their language.
	message string
	said    *words
	// text is what the page will show, "" if the script does not know how to do what is asked.
	text string
	// replaces is the text on the page that text replaces, "" if none was named.
	replaces string
	// heading says that text is for the first heading, and not for a line of its own. untold says that a
	// new title is asked for, but which is not clear.
	heading, untold bool
	// starter is the application that the person wants, nil for none.
	starter *starter
}

var (
	quotes = regexp.MustCompile(`“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|"([^"]+)"|` + "`([^`]+)`" + `|(?:^|[\s(])'([^']+)'(?:$|[\s).,;:!?])`)

	titleWords = `(?:title|heading|headline|titel|überschrift|título|titulo|encabezado|titular)`
	// beforeTitle is what stands before the quotes in "change the title of the page to “X”".
	beforeTitle = regexp.MustCompile(`(?i)(?:^|\s)(?:haupt)?` + titleWords + `(?:\s+(?:of|der|des|de|on|auf|en)\s+[\pL ]{1,30}?)?(?:\s+(?:to|as|into|says?|should (?:say|read|be)|reads?|is|in|zu|auf|soll(?:te)?(?: lauten)?|lautet|a|por|debe decir|diga))*\s*:?\s*$`)
	// bareTitle finds X in "change the title to X": a name, which begins with a capital letter or a digit.
	bareTitle  = regexp.MustCompile(`(?i:^\s*(?:(?:please|bitte|por favor|now|can you|could you)[,\s]+)*(?:change|set|rename|make|ändere?|setze?|cambia|pon)\s+(?:the\s+|my\s+|den\s+|die\s+|el\s+)?(?:page\s+|main\s+)?` + titleWords + `(?:\s+(?:of|der|des|de)\s+[\pL ]{1,30}?)?\s+(?:to|into|in|zu|auf|a|por):?\s+)([\p{Lu}\p{N}][^\n]*)$`)
	wantsTitle = regexp.MustCompile(`(?i)^\s*(?:(?:please|bitte|por favor)[,\s]+)*(?:change|set|rename|ändere?|cambia)\s+(?:the\s+|my\s+|den\s+|die\s+|el\s+)?` + titleWords + `(?:$|[\s.!])`)

	lineWords = `(?:(?:a|the|this|eine[nr]?|die|den|una?|la|el)\s+)?(?:line|text|sentence|paragraph|words?|zeile|satz|absatz|línea|linea|frase|texto|párrafo)`
	addWords  = `(?:^|[\n.!?]\s*)(?:(?:please|now|can you|could you|also|bitte|por favor)[,\s]+)*(?:add|append|insert|put|write|show|füge?|ergänze?|schreibe?|zeige?|añade|agrega|pon|escribe|muestra)`
	// beforeLine is what stands before the quotes in "add the line “X”".
	beforeLine = regexp.MustCompile(`(?i)` + addWords + `(?:\s+` + lineWords + `)?(?:\s+(?:that says|saying|which says|mit dem text|que diga))?\s*:?\s*$`)
	// bareLine finds X in "add the line X".
	bareLine = regexp.MustCompile(`(?i:` + addWords + `\s+` + lineWords + `:?\s+)([\p{Lu}\p{N}][^\n]*)$`)

	// moreWishes finds a second wish after a bare text.
	moreWishes = regexp.MustCompile(`(?i)[.!?]\s|\s(?:and|und|y|then|dann|but|aber|pero)\s`)

	// beforeReplaced and beforeReplacing stand before the first and the second quotes in "replace “A” by “B”".
	beforeReplaced  = regexp.MustCompile(`(?i)(?:^|\s)(?:replace|change|swap|ersetze?|tausche?|ändere?|cambia|reemplaza|sustituye)(?:\s[^.!?\n]{0,40})?\s*$`)
	beforeReplacing = regexp.MustCompile(`(?i)^\s*(?:by|with|to|into|for|durch|mit|in|zu|gegen|por|a|con)\s*$`)

	// afterText is what may follow the quotes: where, and the end of the sentence.
	afterText = regexp.MustCompile(`(?i)^(?:\s+(?:below|under|after|to|on|at|unter|nach|auf|bajo|debajo de|en|a)\s+(?:the|der|die|dem|el|la|l)\s+(?:heading|title|page|headline|end|bottom|überschrift|titel|seite|título|página))?(?:\s+(?:please|bitte|por favor|hinzu|ein|an|um))?\s*(?:[.!?\n]|$)`)
)

// maxText bounds the text for the page, in characters.
const maxText = 200

// readRequest parses the person's newest message that is no plan: when a plan is carried out, the
// message before it holds the request.
func readRequest(messages []ai.Message) request {
	newest := ""
	for _, message := range slices.Backward(messages) {
		if message.Role != ai.RoleUser || message.Hint {
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

// parseRequest understands few wishes, in the message as a whole or in a paragraph of it, such as the
// comment that a request quotes. What it does not understand it leaves alone: a wish that stands on the
// page is worse than none.
func parseRequest(message string) request {
	all := parseWish(message)
	for paragraph := range strings.SplitSeq(message, "\n\n") {
		if all.isKnown() {
			break
		}
		part := parseWish(paragraph)
		part.message, part.said = all.message, all.said
		all = part
	}
	return all
}

// isKnown reports whether the script knows what is asked.
func (r request) isKnown() bool { return r.text != "" || r.starter != nil || r.untold }

func parseWish(message string) request {
	r := request{message: message, said: wordsFor(message)}
	named := quotedTexts(message)
	switch {
	case len(named) == 2 && beforeReplaced.MatchString(message[:named[0].begin]) && beforeReplacing.MatchString(message[named[0].end:named[1].begin]):
		r.replaces, r.text, r.heading = named[0].text, named[1].text, true
	case len(named) == 1 && afterText.MatchString(message[named[0].end:]):
		before := message[:named[0].begin]
		if r.heading = beforeTitle.MatchString(before); r.heading || beforeLine.MatchString(before) {
			r.text = named[0].text
		}
	case len(named) == 0:
		r.bare()
	}
	r.text = core.ShortenChars(strings.Join(strings.Fields(r.text), " "), maxText)
	return r
}

// bare reads a message without quotes.
func (r *request) bare() {
	title, line := bareTitle.FindStringSubmatch(r.message), bareLine.FindStringSubmatch(r.message)
	switch {
	case title != nil && !moreWishes.MatchString(title[1]):
		r.text, r.heading = strings.TrimRight(title[1], ".!?;: "), true
	case line != nil && !moreWishes.MatchString(line[1]):
		r.text = line[1]
	case wantsTitle.MatchString(r.message):
		r.untold = true
	default:
		r.starter = starterOf(r.message)
	}
}

// quotedText is a text in quotes, and where it stands in a message with its quotes.
type quotedText struct {
	text       string
	begin, end int
}

func quotedTexts(message string) []quotedText {
	var texts []quotedText
	for _, match := range quotes.FindAllStringSubmatchIndex(message, -1) {
		for group := 2; group < len(match); group += 2 {
			if match[group] < 0 {
				continue
			}
			text := message[match[group]:match[group+1]]
			if strings.TrimSpace(text) != "" {
				texts = append(texts, quotedText{text, match[0], match[1]})
			}
		}
	}
	return texts
}
