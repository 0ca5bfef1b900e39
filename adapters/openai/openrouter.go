package openai

import (
	"regexp"
	"strings"
)

// isOpenRouter reports whether the server is OpenRouter.
func (p *Provider) isOpenRouter() bool {
	return p.caller.Host() == "openrouter.ai" || strings.HasSuffix(p.caller.Host(), ".openrouter.ai")
}

// cacheControl ends a prefix of the prompt that the vendor behind OpenRouter caches for the next call
// (https://openrouter.ai/docs/guides/best-practices/prompt-caching).
type cacheControl struct {
	Type string `json:"type"`
}

// marked are the models whose vendors cache what is marked, and nothing else: Anthropic's, and those
// of Qwen that only Alibaba has. Gemini caches by itself; there a mark would pay for the whole prefix
// again at each step. Hosts of open models cache by themselves or not at all.
var marked = regexp.MustCompile(`^~?anthropic/|^qwen/.*\b(?:max|plus|flash|turbo)\b`)

// cachedTurns is how many of the newest turns of the user or of tools end a prefix, as in
// adapters/anthropic. Tools and system prompt have a mark each, and vendors allow four.
const cachedTurns = 2

// cachePrefixes marks the prefixes that the next call of a conversation begins with. Only conversations
// with tools go on. All texts become parts, whether marked or not, so that a prefix stays as it was when
// its mark moves on.
func (r *chatRequest) cachePrefixes() {
	mark := &cacheControl{Type: "ephemeral"}
	// Alibaba takes marks in messages only, before which the tools are.
	if !strings.HasPrefix(r.Model, "qwen/") {
		r.Tools[len(r.Tools)-1].CacheControl = mark
	}
	turn, left, isMarked := false, cachedTurns, false
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := &r.Messages[i]
		if text, is := m.Content.(string); is && text != "" && m.Role != "assistant" {
			m.Content = []part{{Type: "text", Text: text}}
		}
		switch m.Role {
		case "system":
			mark.put(m)
		case "assistant":
			turn = false
		default:
			if !turn {
				turn, isMarked = true, false
				left--
			}
			if left >= 0 && !isMarked {
				isMarked = mark.put(m)
			}
		}
	}
}

// put marks the last text of a message, and reports whether it has one: nothing else can have a mark.
func (c *cacheControl) put(m *message) bool {
	parts, _ := m.Content.([]part)
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Type == "text" && strings.TrimSpace(parts[i].Text) != "" {
			parts[i].CacheControl = c
			return true
		}
	}
	return false
}
