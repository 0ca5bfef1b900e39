package styles

import "testing"

func TestTheRangeOfTailwindIsRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"dependencies": {"tailwindcss": "^4"}, "devDependencies": {"tailwindcss": "^3"}}`: "^4",
		"\ufeff" + `{"devDependencies": {"tailwindcss": "^3.4.0"}}`:                         "^3.4.0",
		`{}`: "", `[`: "",
	} {
		if got := tailwindRange([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
