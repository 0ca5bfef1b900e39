package modelhttp

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Vendors have no common word, code or field for a conversation that exceeds the model's
// window, nor for an answer longer than the model can write. The patterns match the
// vendors' own sentences; testdata/refusals has one of each.

// tooLongWords occur in refusals of a conversation that is too long.
var tooLongWords = []string{
	"context length", "context_length", "context window", "context size", "context limit", "maximum context", "prompt is too long",
	"maximum prompt length", "input is too long", "input length", "input token count", "token limit", "max length", "maximum length",
	"`inputs` tokens", "too many tokens", "too large for model with", "reduce the length of the messages", "reduce your message size",
	"request_too_large",
}

// tooLargeWords occur in refusals of one request that exceeds the rate limit of a minute:
// waiting does not help.
var tooLargeWords = []string{"request too large", "tokens must be reduced"}

// windowPatterns and countedPatterns find the model's window, and the vendor's count of
// the prompt. The first match counts.
var (
	windowPatterns = patterns(
		`context limit: \d+ \+ \d+ > (\d+)`,             // Anthropic
		`prompt is too long: \d+ tokens? > (\d+)`,       // Anthropic
		`with (\d+) maximum context length`,             // Mistral
		`maximum number of tokens allowed \(?(\d+)`,     // Gemini
		`maximum prompt length is (\d+)`,                // xAI
		`range of input length should be \[\d+, ?(\d+)`, // Qwen
		`model token limit: (\d+)`,                      // Kimi
		`max length: ?(\d+)`,                            // Kimi
		`max_new_tokens. must be <= (\d+)`,              // Together, TGI
		`cannot exceed (\d+)`,                           // Cohere
		`the maximum length (\d+)`,                      // Volcano Engine
		`limit (\d+), requested \d+`,                    // Groq, OpenAI: tokens a minute
		`context (?:length|window|size|limit)[^0-9]{0,40}?(\d+)`,
	)
	countedPatterns = patterns(
		`context limit: (\d+) \+`,
		`prompt is too long: (\d+) tokens?`,
		`\((\d+) (?:in the messages|of text input|in your prompt)`,
		`resulted in (\d+) tokens`,
		`(\d+) input tokens`,
		`input token count \((\d+)\)`,
		`request contains (\d+) tokens`,
		`prompt (?:contains|of) (\d+) tokens`,
		`request \((\d+) tokens\)`,
		`given: (\d+) .inputs. tokens`,
		`input length (\d+) exceeds`,
		`prompt of (\d+)`,
	)
)

// answerWords occur where a refusal concerns the longest answer that a request may ask
// for; answerPatterns find what a vendor allows.
var (
	answerWords = []string{
		"max_tokens", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "maxoutputtokens", "max tokens",
		"output tokens", "completion tokens", "maximum tokens",
	}
	answerPatterns = patterns(
		`max_(?:completion_|output_)?tokens[^\[]{0,60}\[\d+, ?(\d+)\]`,         // DeepSeek, Qwen
		`max_tokens: \d+ > (\d+)`,                                              // Anthropic
		`supports at most (\d+)`,                                               // OpenAI
		`tokens.{0,3} (?:must|should) be (?:less than or equal to|<=) .?(\d+)`, // Groq, Cohere
		`exceeds the model limit of (\d+)`,                                     // Bedrock
		`\(inclusive\) to (\d+) \(exclusive\)`,                                 // Gemini, Vertex AI
	)
	anyNumber = regexp.MustCompile(`\d+`)
)

func patterns(texts ...string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(texts))
	for i, text := range texts {
		compiled[i] = regexp.MustCompile(text)
	}
	return compiled
}

// isTooLong reports whether the conversation exceeds the model's window, by the vendor's
// words. A rate limit means this only if one request exceeds it.
func (e *vendorError) isTooLong() bool {
	switch {
	case e.lacksCredit(), e.refusesKey(), e.isFiltered():
		return false
	case e.status == http.StatusTooManyRequests:
		return e.contains(tooLargeWords)
	case e.status == http.StatusRequestEntityTooLarge:
		return true
	}
	return e.contains(tooLongWords) || e.contains(tooLargeWords)
}

// plainText returns a vendor's text in lower case, with separators removed from
// numbers.
func plainText(text string) string {
	return separators.ReplaceAllString(strings.ToLower(text), "$1$2")
}

var separators = regexp.MustCompile(`(\d),(\d{3})\b`)

// number returns the number in the first matching pattern, of the innermost sentence that has
// one, 0 if none matches.
func (e *vendorError) number(patterns []*regexp.Regexp) int {
	for _, sentence := range slices.Backward(e.texts) {
		text := plainText(sentence)
		for _, pattern := range patterns {
			if match := pattern.FindStringSubmatch(text); match != nil {
				return asNumber(match[1])
			}
		}
	}
	return 0
}

// asNumber returns 0 for a number that no model has.
func asNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > math.MaxInt32 {
		return 0
	}
	return n
}

// leastAnswer is the smallest number, in tokens, that is accepted as a model's longest
// answer.
const leastAnswer = 256

// maxAnswer returns the longest answer that a vendor allows, after it refused one of
// asked tokens. It returns 0 if the refusal has another reason. For an unknown sentence
// it returns the largest number below asked.
func (e *vendorError) maxAnswer(asked int) int {
	switch e.status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		return 0
	}
	if e.status >= http.StatusInternalServerError || asked <= leastAnswer || e.refusesKey() || e.lacksCredit() || !e.contains(answerWords) {
		return 0
	}
	allowed := e.number(answerPatterns)
	if strings.Contains(plainText(e.text), "(exclusive)") {
		allowed--
	}
	if allowed >= leastAnswer && allowed < asked {
		return allowed
	}
	allowed = 0
	for _, digits := range anyNumber.FindAllString(plainText(e.text), -1) {
		if n := asNumber(digits); n >= leastAnswer && n < asked {
			allowed = max(allowed, n)
		}
	}
	return allowed
}
