package ctxsync

// Signal wakes the goroutine that receives from it. Signals that were sent before it
// received count as one.
type Signal chan struct{}

// NewSignal returns a signal that was not sent.
func NewSignal() Signal { return make(Signal, 1) }

// Send wakes the goroutine, or has it look once more if it is at work. It never waits.
func (s Signal) Send() {
	select {
	case s <- struct{}{}:
	default:
	}
}
