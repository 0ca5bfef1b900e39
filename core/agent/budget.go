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
// may get before it is compacted, how full it should be afterwards, and how full it
// may stay without a summary, which costs a model call.
const (
	answerShare   = 4
	fullPercent   = 85
	enoughPercent = 75
	emptyPercent  = 50
)

// budget is how many tokens the parts of a request may have.
type budget struct {
	// window is the model's, answer what it may answer with, prompt the rest.
	window, answer, prompt int
	// perByte is how many tokens a byte of a prompt has, by the vendor's own count
	// of the last request.
	perByte float64
}

// Tokens a byte: four bytes a token is what the common vocabularies average on
// source code. The vendor's count corrects it within these bounds.
const (
	usualPerByte = 0.25
	leastPerByte = 0.1
	mostPerByte  = 0.6
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
	answer := min(maxAnswerTokens, window/answerShare)
	return budget{window: window, answer: answer, prompt: window - answer, perByte: usualPerByte}
}

// learn corrects perByte by what the vendor counted for a request. A count that is
// far off says that the vendor counts only a part, and teaches nothing.
func (b *budget) learn(request ai.Request, counted int64) {
	bytes := sizeOf(request)
	if bytes == 0 || counted == 0 {
		return
	}
	if perByte := float64(counted) / float64(bytes); perByte >= leastPerByte && perByte <= mostPerByte {
		b.perByte = perByte
	}
}

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

func sizeOfMessage(message ai.Message) int {
	bytes := len(message.Text)
	for _, call := range message.Calls {
		bytes += len(call.Args) + len(call.Tool)
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
