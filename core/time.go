package core

import (
	"encoding/json"
	"time"
)

// timeLayout is RFC 3339 in UTC with exactly three decimals.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant in milliseconds since the Unix epoch. Its JSON form is
// RFC 3339, UTC, with milliseconds. Records that may lack an instant hold *Time.
type Time int64

// At converts t, truncated to the millisecond.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Std returns the instant as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add returns the instant d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// String returns the JSON form without quotes.
func (t Time) String() string { return t.Std().Format(timeLayout) }

// MarshalJSON writes RFC 3339, UTC, with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.Std().AppendFormat(make([]byte, 0, 26), `"`+timeLayout+`"`), nil
}

// UnmarshalJSON reads an RFC 3339 time within the years 0 to 9999. Any other input
// has code CodeInvalidRequest.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil || string(data) == "null" {
		return Errorf(CodeInvalidRequest, "a time must be a string in RFC 3339, such as 2026-01-31T12:00:00Z")
	}
	var parsed time.Time
	if err := parsed.UnmarshalText([]byte(text)); err != nil {
		return Errorf(CodeInvalidRequest, "%q is not a time in RFC 3339", text)
	}
	if year := parsed.UTC().Year(); year < 0 || year > 9999 {
		return Errorf(CodeInvalidRequest, "%q is not within the years 0 to 9999", text)
	}
	*t = At(parsed)
	return nil
}
