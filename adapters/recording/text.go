package recording

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// text is a string that is preserved byte for byte: invalid UTF-8, which JSON would
// change, is written as {"base64": …}.
type text string

type encodedText struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return encode(string(t))
	}
	return encode(encodedText{[]byte(t)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		var encoded encodedText
		err := json.Unmarshal(data, &encoded)
		*t = text(encoded.Base64)
		return err
	}
	var plain string
	err := json.Unmarshal(data, &plain)
	*t = text(plain)
	return err
}

// encode writes a value as one readable line of JSON: sources are full of the characters
// that json.Marshal escapes for HTML.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
