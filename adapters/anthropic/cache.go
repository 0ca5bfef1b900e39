package anthropic

// cacheControl ends a prefix of the prompt that the vendor caches for the next call: all
// tools, then the system prompt, then the messages, up to and with the marked block
// (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). A prefix that is
// shorter than the model's least, 512 to 4,096 tokens, is not cached, which is no error.
type cacheControl struct {
	Type string `json:"type"`
}

// cachedTurns is how many of the newest messages of the user end a prefix. The newest lets
// the next call read the whole conversation. The one before is where this call finds what
// the last one stored, because the vendor looks for that at most 20 blocks before a mark,
// and a step with many tool calls is longer. Tools and system prompt have a mark each, and
// the vendor allows four.
const cachedTurns = 2

// cachePrefixes marks the prefixes that the next call of a conversation begins with. Only
// conversations with tools go on, so others would pay for storing what nobody reads.
func (r *messagesRequest) cachePrefixes() {
	mark := &cacheControl{Type: "ephemeral"}
	r.Tools[len(r.Tools)-1].CacheControl = mark
	if len(r.System) > 0 {
		r.System[len(r.System)-1].CacheControl = mark
	}
	left := cachedTurns
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		content := r.Messages[i].Content
		if r.Messages[i].Role != roleUser {
			continue
		}
		content[len(content)-1].CacheControl = mark
		left--
	}
}
