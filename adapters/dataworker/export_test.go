package dataworker

// Kill kills the worker, as the kernel might. The channel is closed when it has ended; it is nil if
// there is none.
func (e *Engine) Kill() <-chan struct{} {
	worker, ok := e.workers.Current()
	if !ok {
		return nil
	}
	worker.Process.Kill()
	return worker.Gone()
}
