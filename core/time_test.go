package core_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestTimeIsWrittenWithThreeDecimals(t *testing.T) {
	berlin := time.FixedZone("", 2*60*60)
	for want, moment := range map[string]time.Time{
		`"2026-01-02T03:04:05.000Z"`: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		`"2026-01-02T03:04:05.120Z"`: time.Date(2026, 1, 2, 3, 4, 5, 120_000_000, time.UTC),
		`"2026-01-02T03:04:05.007Z"`: time.Date(2026, 1, 2, 3, 4, 5, 7_999_999, time.UTC),
		`"2026-01-02T01:04:05.999Z"`: time.Date(2026, 1, 2, 3, 4, 5, 999_999_999, berlin),
		`"1970-01-01T00:00:00.000Z"`: time.Unix(0, 0),
		`"1969-12-31T23:59:59.999Z"`: time.Unix(0, -1),
	} {
		got, err := json.Marshal(core.At(moment))
		if err != nil || string(got) != want {
			t.Errorf("%v: got %s, %v, want %s", moment, got, err, want)
		}
		if text := core.At(moment).String(); `"`+text+`"` != want {
			t.Errorf("%v: got the text %s, want %s without quotes", moment, text, want)
		}
	}
}

func TestTimeIsReadFromRFC3339(t *testing.T) {
	for body, want := range map[string]time.Time{
		`"2026-01-02T03:04:05Z"`:           time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		`"2026-01-02T03:04:05.123456789Z"`: time.Date(2026, 1, 2, 3, 4, 5, 123_000_000, time.UTC),
		`"2026-01-02T03:04:05+02:00"`:      time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC),
		`"2026-01-02T03:04:05.5-08:00"`:    time.Date(2026, 1, 2, 11, 4, 5, 500_000_000, time.UTC),
		`"2026-01-02T03:04:05\u002b02:00"`: time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC),
		`"0000-01-01T00:00:00Z"`:           time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		`"9999-12-31T23:59:59.999Z"`:       time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
	} {
		var got core.Time
		if err := json.Unmarshal([]byte(body), &got); err != nil || !got.Std().Equal(want) {
			t.Errorf("%s: got %v, %v, want %v", body, got, err, want)
		}
	}
}

func TestTimeRefusesOtherShapes(t *testing.T) {
	for _, body := range []string{
		`""`, `"now"`, `"2026-01-02"`, `"2026-01-02 03:04:05Z"`, `"2026-01-02T03:04:05"`, `"2026-13-02T03:04:05Z"`, `"2026-02-30T03:04:05Z"`,
		`"2026-01-02T24:00:00Z"`, `"2026-01-02T03:04:05+25:00"`, `"12026-01-02T03:04:05Z"`,
		`"9999-12-31T23:59:59-01:00"`, `"0000-01-01T00:00:00+01:00"`, `1700000000`, `null`, `true`, `{}`, `[]`,
	} {
		moment := core.Time(42)
		if got := core.CodeOf(json.Unmarshal([]byte(body), &moment)); got != core.CodeInvalidRequest {
			t.Errorf("%s: got code %q, want invalid_request", body, got)
		}
		if moment != 42 {
			t.Errorf("%s: got %d beside the error, want it unchanged", body, moment)
		}
	}
}

func TestTimeOfARecordMayBeMissing(t *testing.T) {
	var record struct{ At *core.Time }
	if err := json.Unmarshal([]byte(`{"At":null}`), &record); err != nil || record.At != nil {
		t.Errorf("got %v, %v, want nil", record.At, err)
	}
}

func TestTimeAdd(t *testing.T) {
	start := core.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if got, want := start.Add(-90*time.Second).String(), "2026-01-02T03:02:35.000Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzTimeJSON(f *testing.F) {
	f.Add(`"2026-01-02T03:04:05.123Z"`)
	f.Add(`"9999-12-31T23:59:59-01:00"`)
	f.Fuzz(func(t *testing.T, body string) {
		var first, second core.Time
		if json.Unmarshal([]byte(body), &first) != nil {
			return
		}
		encoded, err := json.Marshal(first)
		if err != nil || len(encoded) != len(`"2026-01-02T03:04:05.000Z"`) {
			t.Fatalf("%s: got %s, %v", body, encoded, err)
		}
		if err := json.Unmarshal(encoded, &second); err != nil || second != first {
			t.Fatalf("%s: got %v, %v back, want %v", body, second, err, first)
		}
	})
}
