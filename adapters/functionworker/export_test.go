package functionworker

// Kill kills the worker, as the kernel might.
func (p *Pool) Kill() {
	if worker, ok := p.workers.Current(); ok {
		worker.Process.Kill()
	}
}

// Process returns the id of the worker's process, or 0.
func (p *Pool) Process() int {
	worker, ok := p.workers.Current()
	if !ok {
		return 0
	}
	return worker.ID()
}
