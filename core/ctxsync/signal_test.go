package ctxsync

import "testing"

func TestSignalsThatNobodyReceivedCountAsOne(t *testing.T) {
	signal := NewSignal()
	for range 3 {
		signal.Send()
	}
	<-signal
	select {
	case <-signal:
		t.Error("got a second signal, want one")
	default:
	}
	signal.Send()
	<-signal
}
