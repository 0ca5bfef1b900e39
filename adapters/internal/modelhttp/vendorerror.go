package modelhttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// vendorError is a vendor's report of a failure. A gateway's report holds the one of the vendor behind
// it, often as JSON inside a text: what that says is more exact, and holds as well.
type vendorError struct {
	// text is for people: the innermost sentence. texts are all sentences, the innermost last.
	// kinds are the words for programs.
	text  string
	texts []string
	kinds []string
	// status is the HTTP status that the report names, or 0; innerStatus is the one of the vendor behind
	// a gateway.
	status, innerStatus int
	// vendor is the name of the vendor behind a gateway.
	vendor string
	// filtered are the subjects for which a content filter refused the request.
	filtered []string
}

// Error implements error.
func (e *vendorError) Error() string { return e.text }

// is reports whether one of the kinds contains one of the words.
func (e *vendorError) is(words ...string) bool {
	return slices.ContainsFunc(e.kinds, func(kind string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(kind, word) })
	})
}

// lacksCredit reports whether the vendor demands payment.
func (e *vendorError) lacksCredit() bool {
	return e.is("insufficient_quota", "billing") || e.status == http.StatusPaymentRequired || e.contains(creditWords)
}

// refusesKey reports whether the vendor rejected the key.
func (e *vendorError) refusesKey() bool {
	return !e.lacksCredit() && !e.isFiltered() && (e.status == http.StatusUnauthorized || e.is("authentication", "invalid_api_key"))
}

// isFiltered reports whether a content filter refused the request.
func (e *vendorError) isFiltered() bool {
	return len(e.filtered) > 0 || e.is("content_filter", "content_policy", "responsibleaipolicyviolation", "moderation", "data_inspection_failed")
}

// Words of refusals that vendors send with any status: of an empty account
// (Anthropic, DeepSeek, xAI, Qwen), and of a model that is not there (OpenRouter, LiteLLM, OpenAI, Azure).
var (
	creditWords = []string{"used all available credits", "monthly spending limit", "account is in good standing", "credit balance is too low", "insufficient balance", "insufficient credits"}
	modelWords  = []string{"is not a valid model id", "invalid model name passed", "model_not_found", "no endpoints found for ", "deploymentnotfound"}
)

// lacksModel reports whether the vendor does not have the model.
func (e *vendorError) lacksModel(model string) bool {
	switch {
	case model == "":
		return false
	case e.status == http.StatusNotFound, e.is("not_found"):
		return mentionsModel(e, model) || e.contains(modelWords)
	}
	return e.status == http.StatusBadRequest && e.contains(modelWords)
}

func mentionsModel(said *vendorError, model string) bool {
	return strings.Contains(strings.ToLower(said.text), "model") || strings.Contains(said.text, model) || said.is("model")
}

// parseVendorError returns nil if the data reports no error. The shapes are {"error":
// "text"} (Ollama), {"error": {"message", "type", "code"}} (OpenAI and compatible
// servers), the same in a list (Google) or with a list (Cloudflare), and {"type": "error", "error": {…}}
// (Anthropic).
func parseVendorError(data []byte) *vendorError {
	data = bytes.TrimSpace(data)
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		data = list[0]
	}
	var body struct {
		Error    json.RawMessage `json:"error"`
		Provider json.RawMessage `json:"provider"`
	}
	if DecodeJSON(data, &body) != nil || isNothing(body.Error) {
		return nil
	}
	said := &vendorError{}
	said.name(word(body.Provider))
	said.read(body.Error)
	said.settle()
	return said
}

// read takes a whole report, of which no form is certain.
func (e *vendorError) read(data []byte) {
	e.enter(data, 0)
	if e.text == "" && json.Valid(data) {
		e.hear(string(data), maxLayers)
	}
}

// Bounds of a report: how deep a cause may be, and how many of a list or of the objects in a text count.
const (
	maxLayers   = 6
	maxSiblings = 4
)

// ownWords are the members with an error's own sentence; lesserWords are so only without one. causes are
// the members with what it wraps: error and detail (everybody), metadata and raw (OpenRouter:
// https://openrouter.ai/docs/api/reference/errors-and-debugging), innererror (Azure),
// provider_specific_fields (LiteLLM), cause, value and error_message (Vercel), errors (Cloudflare).
var (
	ownWords    = []string{"message", "msg"}
	lesserWords = []string{"error", "detail"}
	kindMembers = []string{"type", "code", "status", "error_type"}
	vendorNames = []string{"provider_name", "provider"}
	causes      = []string{"error", "detail", "errors", "cause", "metadata", "raw", "innererror", "inner_error", "provider_specific_fields", "value", "error_message"}
)

// enter takes a value at a depth, and reports whether it held a sentence.
func (e *vendorError) enter(value json.RawMessage, depth int) (said bool) {
	value = bytes.TrimSpace(value)
	if depth >= maxLayers || isNothing(value) {
		return false
	}
	switch value[0] {
	case '"':
		return e.hear(word(value), depth)
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return false
		}
		for _, item := range list[:min(len(list), maxSiblings)] {
			said = e.enter(item, depth) || said
		}
		return said
	case '{':
		var object map[string]json.RawMessage
		return json.Unmarshal(value, &object) == nil && e.enterObject(object, depth)
	}
	return false
}

func (e *vendorError) enterObject(object map[string]json.RawMessage, depth int) (said bool) {
	for _, member := range ownWords {
		said = said || e.hear(word(object[member]), depth)
	}
	for _, member := range lesserWords {
		said = said || e.hear(word(object[member]), depth)
	}
	for _, member := range kindMembers {
		e.classify(object[member], depth)
	}
	for _, member := range vendorNames {
		e.name(word(object[member]))
	}
	e.filter(object)
	for _, member := range causes {
		value := bytes.TrimSpace(object[member])
		switch {
		case bytes.HasPrefix(value, []byte(`"`)) && slices.Contains(lesserWords, member):
			continue // It was heard, or is less than the error's own sentence.
		case bytes.HasPrefix(value, []byte("[")) && member == "detail":
			continue // These are the places of a request that are not valid.
		}
		said = e.enter(value, depth+1) || said
	}
	return said
}

// hear takes a sentence. Gateways put the JSON of the vendor behind them into theirs.
func (e *vendorError) hear(text string, depth int) bool {
	if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "<") && depth > 0 {
		return false // A web page of a vendor's says less than its gateway.
	}
	e.text = text
	e.texts = append(e.texts, text)
	if named := vendorInText.FindAllStringSubmatch(text, -1); named != nil {
		e.name(named[len(named)-1][1])
	}
	for range maxSiblings {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&object) == nil && e.enter(object, depth+1) {
			break
		}
		text = text[at+1:]
	}
	return true
}

// classify takes a word for programs, or a status.
func (e *vendorError) classify(kind json.RawMessage, depth int) {
	text := strings.ToLower(word(kind))
	if text == "" {
		text = string(kind)
	}
	status, err := strconv.Atoi(text)
	switch {
	case err != nil || status < 400 || status >= 600:
		if text != "" {
			e.kinds = append(e.kinds, text)
		}
	case depth == 0:
		e.status = status
	default:
		e.innerStatus = status
	}
}

// filter takes what a content filter says: OpenRouter's reasons, and Azure's results.
func (e *vendorError) filter(object map[string]json.RawMessage) {
	var reasons []string
	if DecodeJSON(object["reasons"], &reasons) == nil && !isNothing(object["flagged_input"]) {
		e.filtered = append(e.filtered, reasons...)
	}
	var results map[string]struct {
		Filtered bool `json:"filtered"`
	}
	if DecodeJSON(object["content_filter_result"], &results) != nil {
		return
	}
	for subject, result := range results {
		if result.Filtered {
			e.filtered = append(e.filtered, subject)
		}
	}
	slices.Sort(e.filtered)
}

// vendorInText is how LiteLLM names the vendor: litellm.BadRequestError: AnthropicException - …
var vendorInText = regexp.MustCompile(`\b(\w+?)(?:Exception|Error) - `)

// vendorName is what names a vendor.
var vendorName = regexp.MustCompile(`^[A-Za-z][\w .-]{0,39}$`)

// name takes the name of the vendor behind a gateway.
func (e *vendorError) name(vendor string) {
	if vendorName.MatchString(vendor) && !strings.EqualFold(vendor, "litellm_proxy") {
		e.vendor = vendor
	}
}

// unreachedWords are Cloudflare's, with status 400, for a vendor that did not answer.
var unreachedWords = []string{"failed to get response from provider"}

// settle adopts the status of the vendor behind a gateway, unless the gateway's own is more exact.
func (e *vendorError) settle() {
	isVague := e.status == 0 || e.status == http.StatusBadRequest || e.status >= http.StatusInternalServerError
	switch {
	case isVague && e.innerStatus != 0:
		e.status = e.innerStatus
	case e.status == http.StatusBadRequest && e.contains(unreachedWords):
		e.status = http.StatusBadGateway
	}
}

func isNothing(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", "false", `""`, "{}", "[]":
		return true
	}
	return false
}

// word returns the string that the JSON holds, or "".
func word(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}
