package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
)

// protocol is how one vendor's server is reached, speaks and refuses.
type protocol struct {
	address, model string
	open           func(client *http.Client, settings ai.Settings) (ai.Provider, error)
	speaks         speech
	// tooLong is a file of testdata/refusals. quota is the answer of an account without credit, empty
	// for servers of one's own; toolless is the answer of a model without tools.
	tooLong         string
	quota, toolless refusal
}

type refusal struct {
	status int
	body   string
}

func chat(client *http.Client, settings ai.Settings) (ai.Provider, error) {
	return openai.New(client, settings)
}
func messages(client *http.Client, settings ai.Settings) (ai.Provider, error) {
	return anthropic.New(client, settings)
}
func local(client *http.Client, settings ai.Settings) (ai.Provider, error) {
	return ollama.New(client, settings)
}

func said(format string, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(format, quoted)
}

// Forms of errors.
const (
	nested = `{"error":{"message":%s,"type":"invalid_request_error"}}`
	flat   = `{"error":%s}`
)

// vendors are the servers that people use, each with the words that it documents, or that its users quote.
func vendors() map[string]protocol {
	noTools := refusal{400, said(nested, "This model does not support tools")}
	quota := refusal{429, said(`{"error":{"message":%s,"type":"insufficient_quota","code":"insufficient_quota"}}`, "You exceeded your current quota, please check your plan and billing details.")}
	return map[string]protocol{
		"openai":     {"https://api.openai.com/v1", "gpt-5.6", chat, responsesSpeech{}, "openai-context", quota, refusal{400, said(nested, "Tools are not supported with this model")}},
		"azure":      {"https://one.openai.azure.com/openai/v1", "deployed", chat, responsesSpeech{}, "openai-context", quota, refusal{400, said(nested, "tools is not supported in this model")}},
		"anthropic":  {"https://api.anthropic.com", "claude-sonnet-5-5", messages, messagesSpeech{}, "anthropic-prompt", refusal{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`}, refusal{400, `{"type":"error","error":{"type":"invalid_request_error","message":"'claude-x' does not support tool types: custom"}}`}},
		"gemini":     {"https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-pro", chat, chatSpeech{signs: true}, "gemini-context", refusal{}, refusal{400, `[{"error":{"code":400,"message":"Function calling is not enabled for this model","status":"INVALID_ARGUMENT"}}]`}},
		"openrouter": {"https://openrouter.ai/api/v1", "z-ai/glm-5", chat, chatSpeech{member: "reasoning_details"}, "openrouter-context", refusal{402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`}, refusal{404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`}},
		"deepseek":   {"https://api.deepseek.com/v1", "deepseek-reasoner", chat, chatSpeech{member: "reasoning_content"}, "deepseek-context", refusal{402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`}, refusal{400, said(nested, "deepseek-reasoner does not support Function Calling")}},
		"kimi":       {"https://api.moonshot.ai/v1", "kimi-k2-thinking", chat, chatSpeech{member: "reasoning_content"}, "kimi-context", refusal{429, `{"error":{"message":"Your account is suspended due to insufficient balance, please recharge your account or check your plan and billing details","type":"exceeded_current_quota_error"}}`}, noTools},
		"z.ai":       {"https://api.z.ai/api/paas/v4", "glm-4.7", chat, chatSpeech{member: "reasoning_content"}, "glm-context", refusal{429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`}, noTools},
		"qwen":       {"https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen3-max", chat, chatSpeech{member: "reasoning_content"}, "qwen-context", refusal{400, `{"error":{"code":"Arrearage","type":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}`}, noTools},
		"mistral":    {"https://api.mistral.ai/v1", "magistral-medium-latest", chat, chatSpeech{}, "mistral-context", refusal{402, `{"message":"Payment required"}`}, refusal{400, `{"object":"error","message":"Function calling is not enabled for this model","type":"invalid_request_error","code":"3051"}`}},
		"groq":       {"https://api.groq.com/openai/v1", "openai/gpt-oss-120b", chat, chatSpeech{member: "reasoning"}, "groq-context", refusal{}, refusal{400, said(nested, "`tool calling` is not supported with this model")}},
		"xai":        {"https://api.x.ai/v1", "grok-5", chat, chatSpeech{member: "reasoning_content"}, "xai-context", refusal{429, `{"code":"Some resource has been exhausted","error":"Your team 00 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."}`}, refusal{400, `{"code":"Client specified an invalid argument","error":"This model does not support tools"}`}},
		"together":   {"https://api.together.xyz/v1", "zai-org/GLM-5", chat, chatSpeech{member: "reasoning"}, "together-context", refusal{402, `{"error":{"message":"Credit limit exceeded, please navigate to https://api.together.xyz/settings/billing","type":"credit_limit","param":null,"code":null}}`}, noTools},
		"litellm":    {"https://gateway.example/v1", "claude", chat, chatSpeech{member: "reasoning_content"}, "litellm-context", refusal{400, said(nested, "litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too low to access the Anthropic API.\"}}")}, refusal{400, said(nested, "litellm.UnsupportedParamsError: example does not support parameters: ['tools']")}},
		"vllm":       {"http://vllm.example:8000/v1", "qwen3-coder", chat, chatSpeech{member: "reasoning"}, "vllm-context", refusal{}, refusal{400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`}},
		"lm studio":  {"http://studio.example:1234/v1", "gpt-oss-20b", chat, chatSpeech{member: "reasoning"}, "llamacpp-context", refusal{}, refusal{400, said(flat, "This model does not support tools")}},
		"llama.cpp":  {"http://llama.example:8080/v1", "any", chat, chatSpeech{member: "reasoning_content"}, "llamacpp-context", refusal{}, refusal{500, said(nested, "tools param requires --jinja flag")}},
		"ollama":     {"http://ollama.example:11434", "qwen3", local, ollamaSpeech{}, "", refusal{}, refusal{400, said(flat, "registry.ollama.ai/library/example:latest does not support tools")}},
	}
}

// stub is the vendor's server: it gives the answers one by one, and refuses what the vendor refuses.
type stub struct {
	protocol
	answers []string
	// first is what the first request gets instead.
	first    refusal
	requests []map[string]any
	faults   []string
	// marks are in thoughts that the vendor wants back.
	marks []string
}

var mark = regexp.MustCompile(`mark-\w+`)

// RoundTrip implements http.RoundTripper.
func (s *stub) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	var asked map[string]any
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	s.requests = append(s.requests, asked)
	if fault := s.speaks.check(asked); fault != "" {
		s.faults = append(s.faults, fault)
	}
	for _, mark := range s.marks {
		if !bytes.Contains(body, []byte(mark)) {
			s.faults = append(s.faults, "a thought is missing: "+mark)
		}
	}
	status, kind := http.StatusOK, s.speaks.kind()
	var text string
	switch {
	case s.first.status != 0 && len(s.requests) == 1:
		status, kind, text = s.first.status, "application/json", s.first.body
	case len(s.answers) == 0:
		return nil, fmt.Errorf("the model has nothing more to say")
	default:
		text, s.answers = s.answers[0], s.answers[1:]
		s.marks = append(s.marks, mark.FindAllString(text, -1)...)
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader([]byte(text))),
	}, nil
}

// offersTools reports whether a request offered tools as the vendor's protocol does.
func (s *stub) offersTools(n int) bool {
	tools, _ := s.requests[n]["tools"].([]any)
	return len(tools) > 0
}

// toolNotes remember what dialect.Native learns.
type toolNotes struct{ worked, refused bool }

func (n *toolNotes) Worked()               { n.worked = true }
func (n *toolNotes) Refused() (known bool) { n.refused = !n.worked; return n.refused }

// converse plays a run with a vendor's server.
func converse(t *testing.T, vendor protocol, first refusal, answers ...string) (*scene, *stub, *toolNotes) {
	t.Helper()
	server, notes := &stub{protocol: vendor, first: first, answers: answers}, &toolNotes{}
	provider, err := vendor.open(&http.Client{Transport: server}, ai.Settings{BaseURL: vendor.address, Key: "key-of-tests"})
	if err != nil {
		t.Fatal(err)
	}
	s := newScene()
	s.alter = func(task *agent.Task) {
		task.Provider, task.Model, task.KeepsThoughts, task.Context = dialect.Cleaned(dialect.Native(provider, dialect.Nonce, notes)), vendor.model, true, 65_536
		task.Emulated = func() bool { return notes.refused }
		task.Untouched = false
	}
	s.run(t.Context())
	if len(server.faults) > 0 {
		t.Errorf("the server found %q", server.faults)
	}
	return s, server, notes
}

const readsApp, writesNote = `{"path":"src/App.tsx"}`, `{"path":"note.txt","content":"Hello."}`

// TestEveryVendorsProtocol: what each server sends is understood, and what it wants back it gets.
func TestEveryVendorsProtocol(t *testing.T) {
	for name, vendor := range vendors() {
		speaks := vendor.speaks
		done := func(t *testing.T, s *scene, server *stub) {
			t.Helper()
			if s.err != nil || s.outcome.Reason != core.ReasonDone || len(server.answers) > 0 {
				t.Errorf("got %v, %v with %d answers left, want the run done", s.outcome, s.err, len(server.answers))
			}
			for n := range server.requests {
				if !server.offersTools(n) {
					t.Errorf("got no tools in request %d, want them native", n+1)
				}
			}
		}
		for situation, play := range map[string]func(t *testing.T){
			"first call": func(t *testing.T) {
				s, server, notes := converse(t, vendor, refusal{}, speaks.call("c1", "read_file", readsApp, ""), speaks.text("It says Hello."))
				done(t, s, server)
				if told, failed := s.given(t, 0); failed || !strings.Contains(told, "<h1>Hello</h1>") || !notes.worked {
					t.Errorf("got %q, %v, want the file read", told, failed)
				}
			},
			"second step": func(t *testing.T) {
				s, server, _ := converse(t, vendor, refusal{}, speaks.call("c1", "read_file", readsApp, ""), speaks.call("c1", "write_file", writesNote, ""), speaks.text("Written."))
				done(t, s, server)
				if s.project.files["note.txt"] != "Hello." {
					t.Errorf("got %q, want the file written", s.project.files)
				}
			},
			"thought": func(t *testing.T) {
				s, server, _ := converse(t, vendor, refusal{}, speaks.call("c1", "read_file", readsApp, "I should read it."), speaks.call("c2", "write_file", writesNote, "And write."), speaks.text("Written."))
				done(t, s, server)
				if speaks.thinks() && !strings.Contains(s.types(), "reasoning_delta") || strings.Contains(s.said(), "I should") {
					t.Errorf("got %s, saying %q, want thoughts as such", s.types(), s.said())
				}
			},
			"cut": func(t *testing.T) {
				s, server, _ := converse(t, vendor, refusal{}, speaks.cut("I begin to write "), speaks.text("and end."))
				done(t, s, server)
				if len(server.requests) != 2 || s.said() != "and end." {
					t.Errorf("got %q in %d requests, want the text continued", s.said(), len(server.requests))
				}
			},
			"refusal of tools": func(t *testing.T) {
				s, server, notes := converse(t, vendor, vendor.toolless, speaks.text("Hello."))
				if s.err != nil || s.outcome.Reason != core.ReasonDone || !notes.refused || len(server.requests) != 2 || server.offersTools(1) || len(s.notices(core.NoticeEmulated)) != 1 {
					t.Errorf("got %v, %v after %d requests, the notices %q, want tools as text, and that said", s.outcome, s.err, len(server.requests), s.notices(core.NoticeEmulated))
				}
			},
			"too long": func(t *testing.T) {
				body := `{"error":"the input length exceeds the context length"}`
				if vendor.tooLong != "" {
					data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "refusals", vendor.tooLong+".json"))
					if err != nil {
						t.Fatal(err)
					}
					body = string(data)
				}
				s, server, _ := converse(t, vendor, refusal{400, body}, speaks.text("Hello."))
				if s.err != nil || s.outcome.Reason != core.ReasonDone || len(server.requests) != 2 {
					t.Errorf("got %v, %v after %d requests, want it asked again, shorter", s.outcome, s.err, len(server.requests))
				}
			},
			"quota": func(t *testing.T) {
				s, server, _ := converse(t, vendor, vendor.quota)
				var failure *ai.Failure
				if !errors.As(s.err, &failure) || failure.Cause != core.FailureCredit || len(server.requests) != 1 {
					t.Errorf("got %v after %d requests, want no credit, asked once", s.err, len(server.requests))
				}
			},
			"stream broken": func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, server, _ := converse(t, vendor, refusal{}, speaks.broken("I begin "), speaks.text("Hello."))
					done(t, s, server)
				})
			},
		} {
			if situation == "quota" && vendor.quota.status == 0 {
				// This server has no accounts, or answers as for its rate.
				continue
			}
			t.Run(name+"/"+situation, play)
		}
	}
	if n := len(vendors()); n < 14 {
		t.Errorf("got %d vendors, want at least 14", n)
	}
}

// speech is how a vendor writes its answers, and what it demands of requests.
type speech interface {
	kind() string
	thinks() bool
	// call is an answer with a thought, if there is one, and a call. cut is a text that its limit ended,
	// broken one whose stream broke off.
	call(id, tool, args, thought string) string
	text(text string) string
	cut(text string) string
	broken(text string) string
	// A thought that the vendor wants back has a mark. check says what else is wrong with a request, ""
	// for nothing.
	check(request map[string]any) string
}

// list returns the objects of a member.
func list(in map[string]any, member string) (all []map[string]any) {
	items, _ := in[member].([]any)
	for _, item := range items {
		if object, is := item.(map[string]any); is {
			all = append(all, object)
		}
	}
	return all
}
