package rooms

// signal wakes one goroutine. Signals that it has not received yet count as one.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) send() {
	select {
	case s <- struct{}{}:
	default:
	}
}
