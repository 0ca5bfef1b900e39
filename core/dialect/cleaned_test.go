package dialect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestCleaned(t *testing.T) {
	aitest.Run(t, scripted(dialect.Cleaned))
}

// outcome is what an answer becomes.
type outcome struct {
	text, thoughts string
	// calls are each a name and arguments.
	calls []string
}

// clean plays an answer that comes in pieces of so many characters, 0 for one piece.
func clean(t testing.TB, said string, piece int, more ...ai.Chunk) outcome {
	t.Helper()
	var chunks []ai.Chunk
	runes := []rune(said)
	for piece > 0 && len(runes) > piece {
		chunks = append(chunks, ai.Chunk{Text: string(runes[:piece])})
		runes = runes[piece:]
	}
	model := memory.NewModel()
	model.Script(memory.ModelAnswer{Chunks: append(append(chunks, ai.Chunk{Text: string(runes)}), more...)})
	var got outcome
	_, err := dialect.Cleaned(model).Generate(t.Context(), ai.Request{Model: "m", Tools: shaped()}, func(chunk ai.Chunk) error {
		got.text += chunk.Text
		got.thoughts += chunk.Reasoning
		if chunk.Call != nil {
			args, broken := dialect.Args(chunk.Call.Args)
			got.calls = append(got.calls, chunk.Call.Tool+" "+compact(args)+broken)
		}
		return nil
	})
	var failure *ai.Failure
	if errors.As(err, &failure) && failure.Empty {
		return got
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// compact is JSON with sorted members and no white space.
func compact(args json.RawMessage) string {
	var value any
	if json.Unmarshal(args, &value) != nil {
		return string(args)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSpace(out.String())
}

// shaped are the tools that the shapes call.
func shaped() []ai.Tool {
	return []ai.Tool{
		{Name: "write_file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)},
		{Name: "read_file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}`)},
		{Name: "check_build", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
	}
}

// page is a file with everything that a form of calls may trip over.
const page = "<main class=\"a\">\n  <p>It's {1} \\ [2]</p>\n</main>\n"

// asJSON is a text as a member of JSON.
func asJSON(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSpace(out.String())
}

// callForms are the forms of a call in the templates of models: of a tool with arguments as JSON, and as
// names and values.
var callForms = map[string]func(tool, args string, named [][2]string) string{
	"Hermes, Qwen": func(tool, args string, _ [][2]string) string {
		return "<tool_call>\n{\"name\": \"" + tool + "\", \"arguments\": " + args + "}\n</tool_call>"
	},
	"Hermes without its end": func(tool, args string, _ [][2]string) string {
		return "<tool_call>\n{\"name\": \"" + tool + "\", \"arguments\": " + args + "}"
	},
	"Hermes, a brace too few": func(tool, args string, _ [][2]string) string {
		return "<tool_call>{\"name\": \"" + tool + "\", \"arguments\": " + args + "\n</tool_call>"
	},
	"Hermes, a brace too many": func(tool, args string, _ [][2]string) string {
		return "<tool_call>{\"name\": \"" + tool + "\", \"arguments\": " + args + "}}\n</tool_call>"
	},
	"arguments as text": func(tool, args string, _ [][2]string) string {
		return "<tool_call>{\"name\": \"" + tool + "\", \"arguments\": " + asJSON(args) + "}</tool_call>"
	},
	"parameters": func(tool, args string, _ [][2]string) string {
		return `{"name": "` + tool + `", "parameters": ` + args + `}`
	},
	"Llama 3": func(tool, args string, _ [][2]string) string {
		return `<|python_tag|>{"type": "function", "name": "` + tool + `", "parameters": ` + args + `}<|eom_id|>`
	},
	"Llama 3.1": func(tool, args string, _ [][2]string) string { return "<function=" + tool + ">" + args + "</function>" },
	"OpenAI's own": func(tool, args string, _ [][2]string) string {
		return `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "` + tool + `", "arguments": ` + asJSON(args) + `}}]}`
	},
	"function member": func(tool, args string, _ [][2]string) string {
		return `{"function": "` + tool + `", "args": ` + args + `}`
	},
	"tool member": func(tool, args string, _ [][2]string) string {
		return `{"tool": "` + tool + `", "input": ` + args + `}`
	},
	"LangChain": func(tool, args string, _ [][2]string) string {
		return "```json\n{\"action\": \"" + tool + "\", \"action_input\": " + args + "}\n```"
	},
	"ReAct": func(tool, args string, _ [][2]string) string {
		return "Action: " + tool + "\nAction Input: " + args + "\nObservation: done"
	},
	"fence": func(tool, args string, _ [][2]string) string {
		return "```json\n{\"name\": \"" + tool + "\", \"arguments\": " + args + "}\n```"
	},
	"bare fence": func(tool, args string, _ [][2]string) string {
		return "```\n{\"name\": \"" + tool + "\", \"arguments\": " + args + "}\n```"
	},
	"tool_call fence": func(tool, args string, _ [][2]string) string {
		return "```tool_call\n{\"name\": \"" + tool + "\", \"arguments\": " + args + "}\n```"
	},
	"list": func(tool, args string, _ [][2]string) string {
		return `[{"name": "` + tool + `", "arguments": ` + args + `}]`
	},
	"Mistral": func(tool, args string, _ [][2]string) string {
		return `[TOOL_CALLS] [{"name": "` + tool + `", "arguments": ` + args + `}]`
	},
	"Mistral Small": func(tool, args string, _ [][2]string) string { return `[TOOL_CALLS]` + tool + args },
	"Magistral":     func(tool, args string, _ [][2]string) string { return `[TOOL_CALLS]` + tool + `[ARGS]` + args + `</s>` },
	"Phi-4": func(tool, args string, _ [][2]string) string {
		return `<|tool_call|>[{"name": "` + tool + `", "arguments": ` + args + `}]<|/tool_call|>`
	},
	"Granite": func(tool, args string, _ [][2]string) string {
		return `<|tool_call|>[{"arguments": ` + args + `, "name": "` + tool + `"}]`
	},
	"Nemotron": func(tool, args string, _ [][2]string) string {
		return `<TOOLCALL>[{"name": "` + tool + `", "arguments": ` + args + `}]</TOOLCALL>`
	},
	"Hunyuan": func(tool, args string, _ [][2]string) string {
		return "<tool_calls>\n[{\"name\": \"" + tool + "\", \"arguments\": " + args + "}]\n</tool_calls>"
	},
	"InternLM": func(tool, args string, _ [][2]string) string {
		return `<|action_start|><|plugin|>{"name": "` + tool + `", "parameters": ` + args + `}<|action_end|>`
	},
	"Command R": func(tool, args string, _ [][2]string) string {
		return "Action: ```json\n[{\"tool_name\": \"" + tool + "\", \"parameters\": " + args + "}]\n```"
	},
	"Kimi K2": func(tool, args string, _ [][2]string) string {
		return "<|tool_calls_section_begin|><|tool_call_begin|>functions." + tool + ":0<|tool_call_argument_begin|>" + args + "<|tool_call_end|><|tool_calls_section_end|>"
	},
	"DeepSeek R1": func(tool, args string, _ [][2]string) string {
		return "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>" + tool + "\n```json\n" + args + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	},
	"DeepSeek V3.1": func(tool, args string, _ [][2]string) string {
		return "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>" + tool + "<｜tool▁sep｜>" + args + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	},
	"harmony": func(tool, args string, _ [][2]string) string {
		return "<|channel|>commentary to=functions." + tool + " <|constrain|>json<|message|>" + args + "<|call|>"
	},
	"harmony from its start": func(tool, args string, _ [][2]string) string {
		return "<|start|>assistant<|channel|>commentary to=functions." + tool + " <|constrain|>json<|message|>" + args + "<|call|>"
	},
	"harmony without marks": func(tool, args string, _ [][2]string) string {
		return "commentary to=functions." + tool + " json" + args
	},
	"a name": func(tool, args string, _ [][2]string) string { return tool + args },
	"Qwen3-Coder": func(tool, _ string, named [][2]string) string {
		return "<tool_call>\n<function=" + tool + ">\n" + tags(named, "<parameter=%s>\n%s\n</parameter>\n") + "</function>\n</tool_call>"
	},
	"Qwen3-Coder without its wrapper": func(tool, _ string, named [][2]string) string {
		return "<function=" + tool + ">\n" + tags(named, "<parameter=%s>\n%s\n</parameter>\n") + "</function>\n</tool_call>"
	},
	"GLM": func(tool, _ string, named [][2]string) string {
		return "<tool_call>" + tool + "\n" + tags(named, "<arg_key>%s</arg_key>\n<arg_value>%s</arg_value>\n") + "</tool_call>"
	},
	"MiniMax": func(tool, _ string, named [][2]string) string {
		return "<minimax:tool_call>\n<invoke name=\"" + tool + "\">\n" + tags(named, "<parameter name=\"%s\">%s</parameter>\n") + "</invoke>\n</minimax:tool_call>"
	},
	"Claude": func(tool, _ string, named [][2]string) string {
		return "<function_calls>\n<invoke name=\"" + tool + "\">\n" + tags(named, "<parameter name=\"%s\">%s</parameter>\n") + "</invoke>\n</function_calls>"
	},
	"Cline": func(tool, _ string, named [][2]string) string {
		return "<" + tool + ">\n" + tags(named, "<%[1]s>\n%[2]s\n</%[1]s>\n") + "</" + tool + ">"
	},
	"Gemma": func(tool, _ string, named [][2]string) string {
		return "```tool_code\n" + tool + "(" + keywords(named) + ")\n```"
	},
	"Llama 4": func(tool, _ string, named [][2]string) string { return "[" + tool + "(" + keywords(named) + ")]" },
}

func tags(named [][2]string, form string) string {
	var out strings.Builder
	for _, one := range named {
		fmt.Fprintf(&out, form, one[0], one[1])
	}
	return out.String()
}

func keywords(named [][2]string) string {
	var out []string
	for _, one := range named {
		value := one[1]
		if one[0] != "from" {
			value = asJSON(value)
		}
		out = append(out, one[0]+"="+value)
	}
	return strings.Join(out, ", ")
}

func TestCallsThatAreWrittenAsTextAreCalls(t *testing.T) {
	asked := map[string]struct {
		tool  string
		named [][2]string
		args  string
	}{
		"a file":       {"write_file", [][2]string{{"path", "src/App.tsx"}, {"content", page}}, `{"path":"src/App.tsx","content":` + asJSON(page) + `}`},
		"a number":     {"read_file", [][2]string{{"path", "a b.txt"}, {"from", "20"}}, `{"path":"a b.txt","from":20}`},
		"no arguments": {"check_build", nil, `{}`},
	}
	rows := 0
	for form, write := range callForms {
		for what, call := range asked {
			rows++
			said := write(call.tool, call.args, call.named)
			want := outcome{calls: []string{call.tool + " " + compact(json.RawMessage(call.args))}}
			for _, piece := range []int{0, 1, 7} {
				if got := clean(t, said, piece); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, in pieces of %d: got %+v of\n%s\nwant %+v", form, what, piece, got, said, want)
				}
				want := want
				want.text, want.thoughts = "I write it.\n", "hm"
				if got := clean(t, "<think>hm</think>I write it.\n\n"+said, piece); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, behind words, in pieces of %d: got %+v of\n%s\nwant %+v", form, what, piece, got, said, want)
				}
			}
		}
	}
	if rows < 120 {
		t.Errorf("got %d rows, want at least 120", rows)
	}
}

func TestSeveralCallsThatAreWrittenAsText(t *testing.T) {
	want := outcome{calls: []string{`read_file {"path":"a"}`, `check_build {}`}}
	for _, said := range []string{
		"<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"check_build\",\"arguments\":{}}</tool_call>",
		"{\"name\":\"read_file\",\"parameters\":{\"path\":\"a\"}}; {\"name\":\"check_build\",\"parameters\":{}}",
		`[{"name":"read_file","arguments":{"path":"a"}},{"name":"check_build"}]`,
		"<function=read_file><parameter=path>a</parameter></function><function=check_build></function>",
		"[read_file(path='a'), check_build()]",
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{\"path\":\"a\"}<|tool_call_end|><|tool_call_begin|>functions.check_build:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
		"<tool_call>{\"name\":\"functions.readFile\",\"arguments\":{\"path\":\"a\"}}</tool_call><tool_call>{\"name\":\"Check-Build\"}</tool_call><tool_response>fine</tool_response>",
	} {
		if got := clean(t, said, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v of %s, want %+v", got, said, want)
		}
	}
}

// TestTextThatIsNoCallStaysText: examples, other JSON and pages are what the model says.
func TestTextThatIsNoCallStaysText(t *testing.T) {
	for _, said := range []string{
		"Hello.", "  indented\n\ttoo", "\n\nfar down\n", "{}", "[]", "[1, 2]", `{"name": "Ada"}`, `{"name": "somebody", "arguments": {}}`,
		"<tool_call>{\"name\":\"rm_all\",\"arguments\":{}}</tool_call>", "<main>\n<p>hi</p>\n</main>", "<write_file>", "write_file is a tool.", "read_file(this) reads.",
		"```json\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\"}}\n```\nThat is how a call looks.",
		"<tool_call>{\"name\":\"check_build\",\"arguments\":{}}</tool_call> is what I would write.",
		"Write `<think>` first.", "```html\n<think>\n</think>\n<tool_call>{\"name\":\"check_build\"}</tool_call>\n```", "In a line <think>not</think>.",
		"```ts\nconst a = 1;\n```\n\n```\nplain\n```\nend", "[link](https://example.com)", "Action: wait and see.", "- one\n- two\n\n1. three", "<", "```", "{", "[wr", "wri",
	} {
		for _, piece := range []int{0, 1, 5} {
			if got := clean(t, said, piece); !reflect.DeepEqual(got, outcome{text: said}) {
				t.Errorf("in pieces of %d: got %+v of %q", piece, got, said)
			}
		}
	}
}

func TestTaggedThoughtsAreReasoning(t *testing.T) {
	for said, want := range map[string]outcome{
		"<think>\nfirst\n</think>\n\nHello": {text: "Hello", thoughts: "\nfirst\n"},
		"\n<think>a</think>b<think>":        {text: "b<think>", thoughts: "a"},
		"<thinking>a</thinking>b":           {text: "b", thoughts: "a"},
		"<thought>a</thought>b":             {text: "b", thoughts: "a"},
		"<reasoning>a</reasoning>\nb":       {text: "b", thoughts: "a"},
		"<seed:think>a</seed:think>b":       {text: "b", thoughts: "a"},
		"◁think▷a◁/think▷b":                 {text: "b", thoughts: "a"},
		"[THINK]a[/THINK]b":                 {text: "b", thoughts: "a"},
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b": {text: "b", thoughts: "a"},
		"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b":                               {text: "b", thoughts: "a"},
		"<think>a":                    {thoughts: "a"},
		"<think>a</think>":            {thoughts: "a"},
		"</think>\n\nb":               {text: "b"},
		"<think></think>b":            {text: "b"},
		"b\n<think>a</think>c":        {text: "b\nc", thoughts: "a"},
		"<think>a </thin> b</think>c": {text: "c", thoughts: "a </thin> b"},
	} {
		for _, piece := range []int{0, 1, 4} {
			if got := clean(t, said, piece); !reflect.DeepEqual(got, want) {
				t.Errorf("in pieces of %d: got %+v of %q, want %+v", piece, got, said, want)
			}
		}
	}
}

// TestTheTextBesideRealCallsIsText: a model that calls tools natively means its text as text.
func TestTheTextBesideRealCallsIsText(t *testing.T) {
	const said = "<tool_call>{\"name\":\"check_build\",\"arguments\":{}}</tool_call>"
	got := clean(t, said, 0, ai.Chunk{Call: &ai.Call{ID: "1", Tool: "read_file", Args: json.RawMessage(`{"path":"a"}`)}})
	if want := (outcome{text: said, calls: []string{`read_file {"path":"a"}`}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = clean(t, "I read.", 0, ai.Chunk{Call: &ai.Call{ID: "1", Tool: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}, ai.Chunk{Text: "\n" + said})
	if want := (outcome{text: "I read.\n" + said, calls: []string{`read_file {"path":"a"}`}}); !reflect.DeepEqual(got, want) {
		t.Errorf("behind the call: got %+v, want %+v", got, want)
	}
}

// TestOrdinaryTextIsPassedOnAtOnce: nobody waits for an answer that is no call.
func TestOrdinaryTextIsPassedOnAtOnce(t *testing.T) {
	model := memory.NewModel()
	pieces := []string{"I ", "look ", "at it", ".\nThen ", "I write.\n", "<p>no tool</p>", " and so on"}
	var chunks []ai.Chunk
	for _, piece := range pieces {
		chunks = append(chunks, ai.Chunk{Text: piece})
	}
	model.Script(memory.ModelAnswer{Chunks: chunks})
	emitted := 0
	_, err := dialect.Cleaned(model).Generate(t.Context(), ai.Request{Model: "m", Tools: shaped()}, func(ai.Chunk) error {
		emitted++
		return nil
	})
	if err != nil || emitted < len(pieces)-1 {
		t.Errorf("got %d pieces, %v, want about %d", emitted, err, len(pieces))
	}
}

// TestAnAnswerOfThoughtsAloneIsEmpty: nobody reads it.
func TestAnAnswerOfThoughtsAloneIsEmpty(t *testing.T) {
	for _, said := range []string{"<think>a</think>", "<think>a", "</think>\n", " \n"} {
		model := memory.NewModel().Say(said)
		_, err := dialect.Cleaned(model).Generate(t.Context(), ai.Request{Model: "m"}, func(ai.Chunk) error { return nil })
		var failure *ai.Failure
		if !errors.As(err, &failure) || !failure.Empty {
			t.Errorf("%q: got %v, want an empty answer", said, err)
		}
	}
}

// TestAnAnswerWithoutAnEndIsPassedOn: what may be a call waits, but not for ever, and blanks do not pile up.
func TestAnAnswerWithoutAnEndIsPassedOn(t *testing.T) {
	for _, said := range []string{"<tool_call>{\"name\":\"write_file\"," + strings.Repeat("x", 5<<20), strings.Repeat("\n", 1<<20) + "end"} {
		if got := clean(t, said, 1<<12); got.text != said || len(got.calls) > 0 {
			t.Errorf("got %d bytes and %d calls of %.20q, want all of it as text", len(got.text), len(got.calls), said)
		}
	}
}

// FuzzCleaned: however an answer comes in pieces, it becomes the same, and nothing of it is lost.
func FuzzCleaned(f *testing.F) {
	for _, write := range callForms {
		f.Add("Now.\n"+write("write_file", `{"path":"a","content":"b"}`, [][2]string{{"path", "a"}, {"content", "b"}}), 3)
	}
	for _, said := range []string{"<think>a</think>b", "```\n<think>\n```", "<|channel|>analysis<|message|>", "\r\n\t{\"name\":", "[TOOL_CALLS]"} {
		f.Add(said, 2)
	}
	f.Fuzz(func(t *testing.T, said string, piece int) {
		whole := clean(t, strings.ToValidUTF8(said, ""), 0)
		for i, call := range whole.calls {
			if strings.Contains(call, "\x00") {
				t.Errorf("call %d: got %q", i, call)
			}
		}
		if got := clean(t, strings.ToValidUTF8(said, ""), max(1, min(piece, 50))); !reflect.DeepEqual(got, whole) {
			t.Errorf("got %+v in pieces and %+v at once of %q", got, whole, said)
		}
	})
}
