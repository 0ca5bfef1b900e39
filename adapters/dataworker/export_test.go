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

// Gone returns a channel that is closed when the worker has ended; it is nil if there is none.
func (e *Engine) Gone() <-chan struct{} {
	worker, ok := e.workers.Current()
	if !ok {
		return nil
	}
	return worker.Gone()
}

// ID is the worker's process, 0 if there is none.
func (e *Engine) ID() int {
	worker, ok := e.workers.Current()
	if !ok {
		return 0
	}
	return worker.Process.ID()
}
