package core

import (
	"strconv"
	"time"
)

// timeLayout is RFC 3339 in UTC with exactly three decimals.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant in milliseconds since the Unix epoch. Its JSON form is
// RFC 3339, UTC, with milliseconds. Records that may lack an instant hold *Time.
type Time int64

// At converts t, cutting it to the millisecond.
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

// UnmarshalJSON reads any RFC 3339 time. Another shape has code
// CodeInvalidRequest.
func (t *Time) UnmarshalJSON(data []byte) error {
	text, err := strconv.Unquote(string(data))
	if err != nil {
		return Errorf(CodeInvalidRequest, "a time must be a string in RFC 3339")
	}
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return Errorf(CodeInvalidRequest, "%q is not a time in RFC 3339", text)
	}
	*t = At(parsed)
	return nil
}
