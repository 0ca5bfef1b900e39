package agent

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Windows in tokens. What a provider must be told is enough for the loop with a
// few files in it, and no more than that, because the memory is the user's own.
const (
	defaultWindow = 16_384
	largestWindow = 32_768
	// unknownWindow is taken for hosted models that do not tell theirs.
	unknownWindow = 65_536
)

// Shares of the window: what an answer may take at most, and of the rest how full it
// may get before it is compacted, how full it should be afterwards, how full it may
// stay without a summary, which costs a model call, what one result of a tool may
// take, and what the person's own words and the project's rules may.
const (
	answerShare   = 4
	fullPercent   = 85
	enoughPercent = 75
	emptyPercent  = 50
	resultPercent = 25
	pinnedPercent = 12
	rulesPercent  = 12
)

// budget is how many tokens the parts of a request may have.
type budget struct {
	// window is the model's, answer what it may answer with, prompt the rest. largest
	// is the longest answer that the model can write.
	window, answer, prompt, largest int
	// guessed says that nobody has told the window.
	guessed bool
	// perByte is how many tokens a byte of a prompt has, by the vendor's own counts.
	perByte float64
}

// Tokens a byte: four bytes a token is what the common vocabularies average on
// source code. The vendor's counts correct it within these bounds; with the frames
// around messages a vocabulary can have more than one token a byte.
const (
	usualPerByte = 0.25
	leastPerByte = 0.1
	mostPerByte  = 1.2
	// refusedFactor is by how much a prompt has at least more tokens than reckoned
	// when a vendor refuses it as too long and names no number.
	refusedFactor = 1.5
)

// SetWindow is the window that a provider is told to make, of a model whose own is
// known, or 0. It depends on nothing else, because Ollama loads a model anew when its
// window changes.
func SetWindow(model int) int {
	if model == 0 {
		return defaultWindow
	}
	return min(model, largestWindow)
}

func budgetOf(task Task) budget {
	window := task.Context
	switch {
	case task.SetsWindow:
		window = SetWindow(window)
	case window == 0:
		window = unknownWindow
	}
	b := budget{largest: maxAnswerTokens, perByte: usualPerByte, guessed: task.Context == 0 && !task.SetsWindow}
	if task.AnswerTokens > 0 {
		b.largest = min(b.largest, task.AnswerTokens)
	}
	if task.TokensPerByte > 0 {
		b.perByte = min(max(task.TokensPerByte, leastPerByte), mostPerByte)
	}
	b.divide(window)
	return b
}

// divide shares a window out to prompt and answer.
func (b *budget) divide(window int) {
	b.window, b.answer = window, min(b.largest, window/answerShare)
	b.prompt = window - b.answer
}

// learn corrects perByte by what the vendor counted for a request: at once when that
// is more, by half when it is less, because some vendors leave out what they found in
// a cache. A count that is far too low, or one with pictures in it, teaches nothing.
func (b *budget) learn(request ai.Request, counted int64) {
	bytes := sizeOf(request)
	if bytes == 0 || imagesOf(request) > 0 {
		return
	}
	perByte := float64(counted) / float64(bytes)
	switch {
	case perByte < leastPerByte:
	case perByte < b.perByte:
		b.perByte = (b.perByte + perByte) / 2
	default:
		b.perByte = min(perByte, mostPerByte)
	}
}

// refused learns from a vendor that found a request too long, so that the next one is
// shorter in any case.
func (b *budget) refused(request ai.Request, failure *ai.Failure) {
	switch {
	case failure.Window > 0:
		b.guessed = false
		b.divide(min(failure.Window, b.window))
	case b.guessed && failure.Counted == 0:
		b.divide(b.window / 2)
	}
	if bytes := sizeOf(request); failure.Counted > 0 && bytes > 0 && imagesOf(request) == 0 {
		b.perByte = min(max(b.perByte, float64(failure.Counted)/float64(bytes)), mostPerByte)
	}
	if b.isFull(b.tokens(request)) {
		return
	}
	if b.perByte < mostPerByte && !b.guessed {
		b.perByte = min(b.perByte*refusedFactor, mostPerByte)
	}
	if !b.isFull(b.tokens(request)) {
		b.prompt = min(b.prompt*3/4, int(b.tokens(request)))
	}
}

// isFull reports whether so many tokens are more than a prompt should have.
func (b *budget) isFull(tokens int64) bool { return tokens > b.part(fullPercent) }

// part is a share of what a prompt may take, in tokens.
func (b *budget) part(percent int) int64 { return int64(b.prompt) * int64(percent) / 100 }

// bytes is how long a text of so many tokens may be.
func (b *budget) bytes(tokens int64) int { return int(float64(max(tokens, 0)) / b.perByte) }

// tokens estimates the size of a request.
func (b *budget) tokens(request ai.Request) int64 {
	return int64(float64(sizeOf(request))*b.perByte) + imageTokens*int64(imagesOf(request)) + 1
}

// imageTokens is what a picture takes at most with the common vendors.
const imageTokens = 1600

func imagesOf(request ai.Request) int {
	n := 0
	for _, message := range request.Messages {
		n += len(message.Images)
	}
	return n
}

// sizeOf is the length of a request's texts, in bytes.
func sizeOf(request ai.Request) int {
	bytes := len(request.System)
	for _, message := range request.Messages {
		bytes += sizeOfMessage(message)
	}
	for _, tool := range request.Tools {
		bytes += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	return bytes
}

// frameBytes is what stands around a message and a call, in bytes of text.
const frameBytes = 16

func sizeOfMessage(message ai.Message) int {
	bytes := frameBytes + len(message.Text)
	for _, call := range message.Calls {
		bytes += frameBytes + len(call.Args) + len(call.Tool)
	}
	return bytes
}

// used estimates what a call used that broke off before the vendor said it: nothing
// when nothing came of it.
func (b *budget) used(request ai.Request, answered int) core.Usage {
	if answered == 0 {
		return core.Usage{}
	}
	return core.Usage{InputTokens: b.tokens(request), OutputTokens: int64(float64(answered)*usualPerByte) + 1}
}

// atMost is what a call of the model may use.
func (b *budget) atMost(request ai.Request) core.Usage {
	return core.Usage{InputTokens: b.tokens(request), OutputTokens: int64(b.answer)}
}
