package openai

import (
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// effortHosts document reasoning_effort with low, medium and high. Some compatible servers refuse
// members that they do not know.
var effortHosts = []string{"api.openai.com", "generativelanguage.googleapis.com", "api.groq.com", "api.x.ai", "openrouter.ai"}

// reasoningEffort is how much the model thinks, "" where that is not documented
// (https://platform.openai.com/docs/api-reference/chat/create): models of OpenAI since GPT-5.1 can
// do without thinking, GPT-5 with minimal, the o series with low at least. The pro models have one
// effort only.
func (p *Provider) reasoningEffort(req ai.Request) string {
	host := p.caller.Host()
	name := strings.ToLower(path.Base(req.Model))
	switch {
	case req.Thinking == "", !slices.Contains(effortHosts, host) && !strings.HasSuffix(host, ".openai.azure.com"), strings.Contains(name, "-pro"):
		return ""
	case req.Thinking != core.ThinkingOff:
		return string(req.Thinking)
	case strings.HasPrefix(name, "gpt-5."), host == "openrouter.ai":
		return "none"
	case strings.HasPrefix(name, "gpt-5"):
		return "minimal"
	case strings.HasPrefix(name, "o1"), strings.HasPrefix(name, "o3"), strings.HasPrefix(name, "o4"):
		return string(core.ThinkingLow)
	}
	return ""
}
