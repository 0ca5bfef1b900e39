package dialect_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
)

func fixed() string { return "7f3a2b" }

func offered() []ai.Tool {
	return []ai.Tool{
		{Name: "list_files", Description: "Lists.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "search_files", Description: "Searches.", Parameters: json.RawMessage(
			`{"type":"object","properties":{"maxResults":{"type":"integer"},"query":{"type":"string","description":"RE2."},"flags":{"type":["array","null"]},"deep":{"type":"boolean"}},"required":["query"]}`)},
		{Name: "write_file", Description: "Writes.", Parameters: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)},
		{Name: "check_build", Description: "Builds."},
	}
}

// hear plays the pieces as a model's answer to a request with tools.
func hear(t *testing.T, pieces ...string) ([]ai.Chunk, error) {
	t.Helper()
	var heard []ai.Chunk
	provider := dialect.Tagged(memory.NewModel().Say(pieces...), fixed)
	_, err := provider.Generate(t.Context(), ai.Request{Tools: offered()}, func(chunk ai.Chunk) error {
		heard = append(heard, chunk)
		return nil
	})
	return heard, err
}

// transcript joins texts and writes calls as they came.
func transcript(heard []ai.Chunk) string {
	var out strings.Builder
	for _, chunk := range heard {
		switch {
		case chunk.Call != nil && chunk.Call.Broken != "":
			out.WriteString("[broken " + chunk.Call.Tool + "]")
		case chunk.Call != nil:
			out.WriteString("[" + chunk.Call.Tool + " " + string(chunk.Call.Args) + "]")
		default:
			out.WriteString(chunk.Text)
		}
	}
	return out.String()
}

// n replaces -N in a text by the nonce.
func n(text string) string { return strings.ReplaceAll(text, "-N", "-7f3a2b") }

func TestCallsAreReadFromTaggedText(t *testing.T) {
	for name, c := range map[string]struct{ said, want string }{
		"text alone": {"I see <b>nothing</b> & 1 < 2.", "I see <b>nothing</b> & 1 < 2."},
		"a call between texts": {
			"I write.\n<call-N tool=\"write_file\">\n<arg-N name=\"path\">src/a.tsx</arg-N>\n<arg-N name=\"content\">\nline \"1\"\n\tline 2\\n\n</arg-N>\n</call-N>\nDone.",
			"I write.\n[write_file {\"path\":\"src/a.tsx\",\"content\":\"line \\\"1\\\"\\n\\tline 2\\\\n\"}]\nDone.",
		},
		"two calls in a row":           {`<call-N tool="list_files"></call-N><call-N tool="check_build"></call-N>`, "[list_files {}][check_build {}]"},
		"a call that closes itself":    {`<call-N tool="check_build"/> ok`, "[check_build {}] ok"},
		"single quotes around names":   {`<call-N tool='list_files'><arg-N name='path'>a</arg-N></call-N>`, `[list_files {"path":"a"}]`},
		"values that are not text":     {`<call-N tool="search_files"><arg-N name="query">[1]</arg-N><arg-N name="maxResults"> 5 </arg-N><arg-N name="flags">["i"]</arg-N><arg-N name="deep">true</arg-N></call-N>`, `[search_files {"query":"[1]","maxResults":5,"flags":["i"],"deep":true}]`},
		"an argument nobody knows":     {`<call-N tool="list_files"><arg-N name="depth">2</arg-N></call-N>`, `[list_files {"depth":"2"}]`},
		"a tool nobody knows":          {`<call-N tool="launch"><arg-N name="x">2</arg-N></call-N>`, `[launch {"x":"2"}]`},
		"an empty value":               {`<call-N tool="write_file"><arg-N name="path"></arg-N></call-N>`, `[write_file {"path":""}]`},
		"only one line break goes":     {"<call-N tool=\"write_file\"><arg-N name=\"content\">\n\na\n\n</arg-N></call-N>", `[write_file {"content":"\na\n"}]`},
		"Windows line breaks":          {"<call-N tool=\"write_file\"><arg-N name=\"content\">\r\na\r\nb\r\n</arg-N></call-N>", `[write_file {"content":"a\r\nb"}]`},
		"spaces stay":                  {`<call-N tool="write_file"><arg-N name="content">  a  </arg-N></call-N>`, `[write_file {"content":"  a  "}]`},
		"tags of another number":       {`<call-000000 tool="check_build"></call-000000>`, "[broken check_build]"},
		"such tags in a value":         {`<call-N tool="write_file"><arg-N name="content"></call-000000></arg-000000></arg-N></call-N>`, `[write_file {"content":"</call-000000></arg-000000>"}]`},
		"tags without a number":        {"I build.\n<call tool=\"check_build\"></call>", "I build.\n[broken check_build]"},
		"such a call, and a whole one": {"<call tool='check_build'>\n<call-N tool=\"list_files\"></call-N>", "[broken check_build][list_files {}]"},
		"such a call in a line":        {`as in <call tool="check_build"></call>`, `as in <call tool="check_build"></call>`},
		"such a call of no tool here":  {`<call tool="dial"></call>`, `<call tool="dial"></call>`},
		"a tag of another language":    {"<callout tool=\"check_build\">a</callout>", "<callout tool=\"check_build\">a</callout>"},
		"a telephone call":             {"<call>\nRing.", "<call>\nRing."},
		"the beginning of a tag":       {"a <call-7f3a2", "a <call-7f3a2"},
		"a closing tag alone":          {"a</call-N>", n("a</call-N>")},
		"a fence around the call":      {"```\n<call-N tool=\"check_build\"></call-N>\n```", "```\n[check_build {}]\n```"},
		"its own result is made up":    {"<call-N tool=\"check_build\"></call-N>\n<result-N tool=\"check_build\">fine</result-N><call-N tool=\"list_files\"></call-N>", "[check_build {}]\n"},
		"the end is missing":           {`Now <call-N tool="write_file"><arg-N name="path">a</arg-N><arg-N name="content">half of`, "Now [broken write_file]"},
		"the end of the tag is, too":   {`<call-N tool="write_f`, "[broken ]"},
		"an argument has no end":       {`<call-N tool="write_file"><arg-N name="path">a</call-N>`, "[broken write_file]"},
		"an argument is there twice":   {`<call-N tool="write_file"><arg-N name="path">a</arg-N><arg-N name="path">b</arg-N></call-N>`, "[broken write_file]"},
		"text among the arguments":     {`<call-N tool="write_file">{"path":"a"}</call-N>`, "[broken write_file]"},
		"an argument without a name":   {`<call-N tool="write_file"><arg-N>a</arg-N></call-N>`, "[broken write_file]"},
		"a call without a tool":        {`<call-N><arg-N name="path">a</arg-N></call-N>`, "[broken ]"},
		"a call in a call":             {`<call-N tool="write_file"><call-N tool="list_files"></call-N></call-N>`, n("[broken write_file]</call-N>")},
		"a value that is no JSON":      {`<call-N tool="search_files"><arg-N name="maxResults">five</arg-N></call-N>`, "[broken search_files]"},
		"a call after a broken one":    {`<call-N tool="write_file">x</call-N><call-N tool="check_build"></call-N>`, "[broken write_file][check_build {}]"},
		"another attribute in a head":  {`<call-N tool="check_build" id="1"></call-N>`, "[broken ]"},
	} {
		heard, err := hear(t, n(c.said))
		if got := transcript(heard); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestABrokenCallSaysWhatIsWrongAndHasNoArguments(t *testing.T) {
	for said, want := range map[string]string{
		`<call-N tool="write_file"><arg-N name="path">a`:          "</call-N>",
		`<call-N tool="write_file"><arg-N name="path">a</call-N>`: `"path" has no closing tag </arg-N>`,
		`<call-N tool="write_file">{"path":"a"}</call-N>`:         "may contain only arguments",
		`<call-N>x</call-N>`: "a call must begin with",
		`<call-N tool="search_files"><arg-N name="deep">x</arg-N></call-N>`: "must be true or false",
	} {
		heard, err := hear(t, n(said))
		if err != nil || len(heard) != 1 || heard[0].Call == nil {
			t.Fatalf("%s: got %+v, %v, want one call", said, heard, err)
		}
		call := heard[0].Call
		if !strings.Contains(call.Broken, strings.ReplaceAll(want, "-N", "-…")) || strings.Contains(call.Broken+string(call.Args), fixed()) || !strings.Contains(call.Broken, "again") || !isUnreadable(call.Args) {
			t.Errorf("%s: got %q and %s, want words with %q, nothing that a tool takes, and no number", said, call.Broken, call.Args, want)
		}
	}
}

func TestTextIsPassedOnAtOnce(t *testing.T) {
	heard, err := hear(t, "a ", "<b", ">c <ca", "ll-7f", "3a2x", " d <", "call-7f3a2b tool=\"check_build\"", ">", "</call-7f3a2b>", "e")
	var got []string
	for _, chunk := range heard {
		got = append(got, transcript([]ai.Chunk{chunk}))
	}
	want := "a |<b|>c |<call-7f3a2x| d |[check_build {}]|e"
	if joined := strings.Join(got, "|"); err != nil || joined != want {
		t.Errorf("got %q, %v, want no more held back than what may be a tag", joined, err)
	}
}

func TestACallLargerThanItsBoundEndsTheAnswer(t *testing.T) {
	heard, err := hear(t, n(`<call-N tool="write_file"><arg-N name="content">`), strings.Repeat("x", 5<<20), "more")
	if got := transcript(heard); err != nil || got != "[broken write_file]" {
		t.Errorf("got %.100q, %v, want one broken call", got, err)
	}
}

func TestALargeCallInSmallPiecesIsReadInTime(t *testing.T) {
	pieces := []string{n(`<call-N tool="write_file"><arg-N name="content">`)}
	for range 300_000 {
		pieces = append(pieces, "abc")
	}
	heard, err := hear(t, append(pieces, n("</arg-N></call-N>"))...)
	if err != nil || len(heard) != 1 || heard[0].Call == nil || len(heard[0].Call.Args) < 900_000 {
		t.Errorf("got %d chunks, %v, want the call whole", len(heard), err)
	}
}

func TestAnErrorEndsTheAnswerAndWhatIsOpenIsNotEmitted(t *testing.T) {
	broke := errors.New("broke")
	for name, model := range map[string]*memory.Model{
		"the stream": memory.NewModel().Fail(broke, ai.Chunk{Text: n(`<call-N tool="check_build">`)}),
		"the sink":   memory.NewModel().Say("text", n(`<call-N tool="check_build"></call-N>`)),
	} {
		calls := 0
		_, err := dialect.Tagged(model, fixed).Generate(t.Context(), ai.Request{Tools: offered()}, func(chunk ai.Chunk) error {
			if chunk.Call != nil {
				calls++
			}
			if name == "the sink" {
				return broke
			}
			return nil
		})
		if !errors.Is(err, broke) || calls > 0 {
			t.Errorf("%s: got %v and %d calls, want the error and none", name, err, calls)
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, seed := range []string{
		"text", `a<call-N tool="write_file"><arg-N name="path">a</arg-N></call-N>b`, `<call-N tool="check_build"/>`, `<call-N tool="x">`, "<call tool='check_build'>\n<call-N tool='check_build'/>",
		`<call-N><arg-N></call-N><result-N>`, "<<call-N\x00 tool='a'>\n</call-N>", `<call-N tool="search_files"><arg-N name="maxResults">1</arg-N></call-N>`,
	} {
		f.Add(n(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, said string, size uint8) {
		whole, err := play([]string{said})
		if err != nil {
			t.Fatal(err)
		}
		var pieces []string
		for rest, step := said, int(size)%7+1; rest != ""; {
			step = min(step, len(rest))
			pieces = append(pieces, rest[:step])
			rest = rest[step:]
		}
		cut, err := play(pieces)
		if err != nil || cut != whole {
			t.Fatalf("got %q, %v in pieces, want %q", cut, err, whole)
		}
	})
}

// play is hear for any text, including an empty one.
func play(pieces []string) (string, error) {
	var heard []ai.Chunk
	_, err := dialect.Tagged(memory.NewModel().Say(pieces...), fixed).Generate(
		context.Background(), ai.Request{Tools: offered()}, func(chunk ai.Chunk) error {
			if chunk.Call != nil && !json.Valid(chunk.Call.Args) {
				return errors.New("arguments that are no JSON")
			}
			heard = append(heard, chunk)
			return nil
		})
	var failure *ai.Failure
	if errors.As(err, &failure) && failure.Empty {
		return "empty", nil
	}
	return transcript(heard), err
}
