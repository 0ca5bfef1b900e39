package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// Members in which servers send what a model thought as text, and take it back: reasoning_content
// (DeepSeek, vLLM, LM Studio, llama.cpp), reasoning (OpenRouter, Groq, newer vLLM), thinking.
const (
	contentMember   = "reasoning_content"
	reasoningMember = "reasoning"
	thinkingMember  = "thinking"
)

// demandingHosts refuse an answer with calls that lacks reasoning_content; so do their subdomains.
var demandingHosts = []string{"deepseek.com", "moonshot.ai", "moonshot.cn", "z.ai", "bigmodel.cn"}

// demands reports whether the server refuses an answer with calls that lacks reasoning_content.
func (p *Provider) demands(model string) bool {
	return p.quirks.demanding.has(p.named(model)) || slices.ContainsFunc(demandingHosts, func(host string) bool {
		return p.caller.Host() == host || strings.HasSuffix(p.caller.Host(), "."+host)
	})
}

// returnThoughts gives the thoughts of an answer back in the member in which they came. Those of
// other models and servers are not sent.
func (p *Provider) returnThoughts(req ai.Request, m ai.Message, out *message) {
	if m.Role != ai.RoleAssistant {
		return
	}
	for _, thought := range m.Thoughts {
		member, is := modelhttp.MemberOf(thought.Signature)
		if !is || member.Server != p.caller.Mark() || p.quirks.mute.has(p.named(req.Model)) {
			continue
		}
		if member.Name == detailsMember {
			out.returnDetails(req, member.Value)
			continue
		}
		if len(m.Calls) > 0 {
			out.returnText(member.Name, thought.Text)
		}
	}
	if len(m.Calls) > 0 && out.ReasoningContent == nil && p.demands(req.Model) {
		out.ReasoningContent = new(string)
	}
}

func (out *message) returnText(member, text string) {
	for name, into := range map[string]**string{contentMember: &out.ReasoningContent, reasoningMember: &out.Reasoning, thinkingMember: &out.Thinking} {
		if name != member {
			continue
		}
		if *into != nil {
			text = **into + text
		}
		*into = &text
	}
}

func (out *message) returnDetails(req ai.Request, value string) {
	var details []detail
	if json.Unmarshal([]byte(value), &details) != nil {
		return
	}
	for _, detail := range details {
		if detail.isValid(req) {
			out.ReasoningDetails = append(out.ReasoningDetails, detail)
		}
	}
}

// Words with which servers refuse a member that they do not know, and miss one that they demand.
var (
	unknownWords  = []string{"unknown", "unrecognized", "unexpected", "unsupported", "not supported", "not permitted", "not allowed", "extra inputs", "extra fields", "additional propert"}
	demandedWords = []string{"must be passed", "is missing", "missing", "required"}
)

// learnThoughts takes a refusal that concerns the thoughts of earlier answers, and reports whether the
// call may succeed now.
func (p *Provider) learnThoughts(req ai.Request, failure *ai.Failure) bool {
	text := strings.ToLower(failure.Err.Message)
	names := func(words []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	switch {
	case failure.Temporary, failure.Refused, failure.TooLong, !hasThoughts(req):
		return false
	case names(unknownWords) && names([]string{contentMember, `"reasoning"`, `'reasoning'`, "reasoning_details", ".reasoning", "`reasoning`"}) && !p.quirks.mute.has(p.named(req.Model)):
		p.quirks.mute.add(p.named(req.Model))
		return true
	case names(demandedWords) && names([]string{contentMember}) && !p.demands(req.Model):
		p.quirks.demanding.add(p.named(req.Model))
		return true
	}
	return false
}

// hasThoughts reports whether the conversation has an answer with calls or thoughts.
func hasThoughts(req ai.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m ai.Message) bool { return len(m.Calls) > 0 || len(m.Thoughts) > 0 })
}

// thoughts collects what the model thought before one answer.
type thoughts struct {
	// server is Caller.Mark.
	server string
	// member is the first in which a thought came.
	member  string
	text    strings.Builder
	details openDetails
}

// add passes on a piece, and keeps it.
func (t *thoughts) add(answer *modelhttp.Answer, in delta) (err error) {
	for _, said := range []struct{ member, text string }{
		{contentMember, in.ReasoningContent}, {reasoningMember, in.Reasoning}, {thinkingMember, in.Thinking}, {"", in.Content.thoughts},
	} {
		// Servers that know two names for reasoning send it under both.
		if said.text == "" {
			continue
		}
		if t.text.Len() == 0 {
			t.member = said.member
		}
		t.text.WriteString(said.text)
		err = answer.Reasoning(said.text)
		break
	}
	t.details.add(in.ReasoningDetails)
	return err
}

// maxSignatureBytes bounds what is kept of one answer's thoughts beside their text.
const maxSignatureBytes = 2 << 20

// sign passes on the whole thought, with the member to give it back in.
func (t *thoughts) sign(answer *modelhttp.Answer) error {
	member := modelhttp.Member{Name: t.member, Server: t.server}
	if len(t.details) > 0 {
		value, err := t.details.close()
		if err != nil {
			return err
		}
		member.Name, member.Value = detailsMember, string(value)
	}
	text := t.text.String()
	t.text.Reset()
	if member.Name == "" || text == "" && member.Value == "" || len(member.Value) > maxSignatureBytes {
		return nil
	}
	return answer.Signed(ai.Thought{Text: text, Signature: member.Signature()})
}
