package recording

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestArgumentsAreComparedByWhatTheyMean(t *testing.T) {
	for _, row := range []struct {
		one, other string
		same       bool
	}{
		{`{"a":1,"b":[true,null]}`, "{ \"b\" : [ true , null ], \"a\" : 1 }", true},
		{`{"a":"<b>"}`, `{"a":"\u003cb\u003e"}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"a":1.0}`, false},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, false},
		{`{"a":1`, `{"a":1 `, false},
		{`{} {}`, `{}`, false},
		{``, `{}`, false},
		{"\xff", "\xfe", false},
	} {
		if got := canonical(row.one) == canonical(row.other); got != row.same {
			t.Errorf("%q and %q: got the same: %v, want %v", row.one, row.other, got, row.same)
		}
	}
}

// talk is a request of messages that alternate between the sides.
func talk(texts ...string) request {
	var r request
	for i, said := range texts {
		role := text("user")
		if i%2 == 1 {
			role = "assistant"
		}
		r.Messages = append(r.Messages, message{Role: role, Text: text(said)})
	}
	return r
}

func TestWhatRequestsAskDoesNotFlowTogether(t *testing.T) {
	keys := map[string]int{}
	requests := []request{
		talk("a"), talk("a", "b"), talk("ab"), talk("ab", ""), talk("", "ab"), talk("a", "b", ""), talk("1:a"),
		{Tools: []tool{{Name: "a"}, {Name: "b"}}}, {Tools: []tool{{Name: "ab"}}}, {Tools: []tool{{Name: "b"}, {Name: "a"}}},
		{Messages: []message{{Calls: []toolCall{{Tool: "a"}, {Tool: "b"}}}}},
		{Messages: []message{{Calls: []toolCall{{Tool: "a", Args: "b"}}}}},
		{Messages: []message{{Images: []image{{SHA256: "a"}}}}},
		{Messages: []message{{Tool: "a"}}}, {Messages: []message{{Failed: true}}}, {Messages: []message{{}}}, {},
	}
	for i, r := range requests {
		if other, taken := keys[r.key()]; taken {
			t.Errorf("requests %d and %d have one key", other, i)
		}
		keys[r.key()] = i
		if r.key() != requests[i].key() {
			t.Errorf("request %d: got two keys, want one", i)
		}
	}
}

func TestAnExcerptIsShortAndWhole(t *testing.T) {
	long := strings.Repeat("ä", 500)
	for at := range 30 {
		got := excerpt(long, 500+at)
		if !utf8.ValidString(got) || len(got) > 2*(shownBefore+shownAfter) || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
			t.Errorf("at %d: got %q, want a short part of the middle", 500+at, got)
		}
	}
	if got := excerpt("a\nb", 1); got != `"a\nb"` {
		t.Errorf("got %s, want all on one line", got)
	}
	if got := excerpt("", 0); got != `""` {
		t.Errorf("got %s, want quotes", got)
	}
}

func TestNumbersOfTagsChangeWhereverTheTextIsCut(t *testing.T) {
	const whole = "see <call-abc123 tool=\"x\"> and </call-abc123>, not abc12"
	want := strings.ReplaceAll(whole, "abc123", "fedcba")
	for cut := range len(whole) {
		for second := cut; second < len(whole); second += 7 {
			chunks := []chunk{{Text: text(whole[:cut])}, {Reasoning: "abc123"}, {Text: text(whole[cut:second])}, {Text: text(whole[second:])}}
			got := ""
			for _, said := range renumbered(chunks, "abc123", "fedcba") {
				got += string(said.Text)
			}
			if got != want {
				t.Fatalf("cut at %d and %d: got %q, want %q", cut, second, got, want)
			}
		}
	}
	for _, to := range []string{"", "abc123", "longer-than-that"} {
		if got := renumbered([]chunk{{Text: whole}}, "abc123", to); string(got[0].Text) != whole {
			t.Errorf("to %q: got %q, want it as it was", to, got[0].Text)
		}
	}
}

func TestTheNumberOfTagsIsFoundInThePromptFirst(t *testing.T) {
	r := talk("<result-111111 tool=\"x\">")
	if got := r.nonce(); got != "111111" {
		t.Errorf("got %q, want that of the message", got)
	}
	r.System = "Write <call-222222 tool=…>"
	if got := r.nonce(); got != "222222" {
		t.Errorf("got %q, want that of the prompt", got)
	}
	for _, none := range []string{"", "<call-12345 x>", "<call-1234567 x>", "<calls-123456>", "<call-ABCDEF>"} {
		if got := talk(none).nonce(); got != "" {
			t.Errorf("%q: got %q, want none", none, got)
		}
	}
}

func TestTextsComeBackByteForByte(t *testing.T) {
	for _, want := range []text{"", "plain", "<a> & \u2028 \x00", "\xff\xfe", "half \xe4", `{"base64":"eA=="}`} {
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got text
		if err := json.Unmarshal(written, &got); err != nil || got != want {
			t.Errorf("got %q and %v by %s, want %q", got, err, written, want)
		}
	}
	var got text
	if err := json.Unmarshal([]byte(`7`), &got); err == nil {
		t.Error("got no error of a number, want one")
	}
}
