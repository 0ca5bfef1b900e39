package agent

import (
	"cmp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Windows in tokens of models of which none is known: where a request asks for it, and of
// hosted ones.
const (
	defaultWindow = 16_384
	unknownWindow = 65_536
)

// Lengths of answers in tokens, thoughts included: of models of which nothing is known, of those that
// can write as much, and after an answer that was cut.
const (
	usualAnswer   = 16_384
	longAnswer    = 32_768
	longestAnswer = 65_536
)

// Shares of the window. An answer takes at most its share of the whole. Of the rest
// there are shares for how full it may get before it is compacted, how full it should
// be afterwards, and how full it may stay without a summary, which costs a model
// call. The others bound one result of a tool, the person's own words, the project's
// rules, the list of its files, and the tools.
const (
	answerShare   = 4
	fullPercent   = 85
	enoughPercent = 75
	emptyPercent  = 50
	resultPercent = 25
	pinnedPercent = 12
	rulesPercent  = 12
	filesPercent  = 6
	toolsPercent  = 30
)

// budget is how many tokens the parts of a request may have.
type budget struct {
	// window is the model's, answer the part for its answer, prompt the rest. longest is the longest
	// answer to ask for, possible the longest that the model can write, 0 if unknown.
	window, answer, prompt, longest, possible int
	// guessed says that the window is an assumption, asked that requests ask for it.
	guessed, asked bool
	// perByte is the number of tokens per byte of a prompt, from the vendor's own
	// counts.
	perByte float64
}

// Tokens per byte. Common vocabularies average four bytes per token on source code.
// The vendor's counts correct that within these bounds; with the frames around
// messages it can be more than one token per byte.
const (
	usualPerByte = 0.25
	leastPerByte = 0.1
	mostPerByte  = 1.2
	// refusedFactor is the least factor by which the estimate is raised when a vendor
	// refuses a prompt as too long without naming a number.
	refusedFactor = 1.5
)

// windowOf returns the window of a task's model.
func windowOf(task Task) int {
	switch {
	case task.Context > 0:
		return task.Context
	case task.SetsWindow:
		return defaultWindow
	}
	return unknownWindow
}

// request is the window that requests ask for, 0 where the server has one that they cannot or need
// not set.
func (b *budget) request() int {
	if !b.asked {
		return 0
	}
	return b.window
}

// leastSightWindow is the smallest window in which a model sees pages. In a smaller one, the tools
// for that and what they show leave too little room for the work. Only the window decides, which
// is the same in all steps, so that tools and system prompt stay the same.
const leastSightWindow = 16_384

// hasSight reports whether the model sees the project's pages. A run looks at the first page at its
// end in any case.
func hasSight(task Task) bool { return task.Eyes != nil && windowOf(task) >= leastSightWindow }

func budgetOf(task Task) *budget {
	window := windowOf(task)
	b := &budget{longest: usualAnswer, possible: task.AnswerTokens, perByte: usualPerByte, guessed: task.Context == 0 && !task.SetsWindow, asked: task.SetsWindow}
	if b.possible > 0 {
		b.longest = min(b.possible, longAnswer)
	}
	if task.TokensPerByte > 0 {
		b.perByte = min(max(task.TokensPerByte, leastPerByte), mostPerByte)
	}
	b.divide(window)
	return b
}

// divide splits a window between prompt and answer.
func (b *budget) divide(window int) {
	b.window, b.answer = window, min(b.longest, window/answerShare)
	b.prompt = window - b.answer
}

// lengthen allows longer answers after one that reached its limit, as far as model and window do.
func (b *budget) lengthen() {
	most := cmp.Or(b.possible, longAnswer)
	b.longest = min(2*b.longest, most, longestAnswer)
	b.answer = min(b.longest, b.window/answerShare)
	b.prompt = min(b.prompt, b.window-b.answer)
}

// learn corrects perByte by the vendor's count for a request. It adopts a higher
// count fully and a lower one by half, because some vendors leave out cached tokens.
// It ignores a count that is far too low, and requests with pictures.
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

// refused corrects the estimate after a vendor found a request too long, so that the
// next one is always shorter.
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

// Bounds of a result in bytes: a share of the model's window within these.
const (
	leastResult = 600
	maxReading  = 64 << 10
)

// result is how many bytes the result of a tool may have.
func (b *budget) result() int {
	return min(max(b.bytes(b.part(resultPercent)), leastResult), maxReading)
}

// isFull reports whether a prompt of this many tokens needs compacting.
func (b *budget) isFull(tokens int64) bool { return tokens > b.part(fullPercent) }

// part is a share of the prompt's budget, in tokens.
func (b *budget) part(percent int) int64 { return int64(b.prompt) * int64(percent) / 100 }

// bytes converts a number of tokens into bytes of text.
func (b *budget) bytes(tokens int64) int { return int(float64(max(tokens, 0)) / b.perByte) }

// tokens estimates the size of a request.
func (b *budget) tokens(request ai.Request) int64 {
	return int64(float64(sizeOf(request))*b.perByte) + imageTokens*int64(imagesOf(request)) + 1
}

// imageTokens is the most that a picture takes with the common vendors.
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

// frameBytes is the overhead of a message or a call, in bytes of text.
const frameBytes = 16

func sizeOfMessage(message ai.Message) int {
	bytes := frameBytes + len(message.Briefing) + len(message.Text)
	for _, call := range message.Calls {
		bytes += frameBytes + len(call.Args) + len(call.Tool)
	}
	for _, thought := range message.Thoughts {
		bytes += len(thought.Text)
	}
	return bytes
}

// used estimates the use of a call that broke off before the vendor reported it:
// nothing if nothing was received.
func (b *budget) used(request ai.Request, answered int) core.Usage {
	if answered == 0 {
		return core.Usage{}
	}
	return core.Usage{InputTokens: b.tokens(request), OutputTokens: int64(float64(answered)*usualPerByte) + 1}
}

// atMost is the most that a model call can use.
func (b *budget) atMost(request ai.Request) core.Usage {
	return core.Usage{InputTokens: b.tokens(request), OutputTokens: int64(b.answer)}
}
