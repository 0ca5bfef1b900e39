package settings

import "time"

// Backends bounds the data of projects' backends. All but MaxOpen are
// bounds of each environment of a project.
type Backends struct {
	// Bytes bounds the records, FileBytes their files.
	Bytes, FileBytes int64
	// Query bounds the time of each query of a request.
	Query time.Duration
	// Streams bounds the realtime connections, Requests the requests in a second.
	Streams, Requests int
	// Idle is how long an environment stays open that nobody uses, MaxOpen how many may be open.
	Idle    time.Duration
	MaxOpen int
}

// readBackends reads the settings of backends. The least of each is what a small application
// still works with.
func readBackends(r *reader) Backends {
	return Backends{
		Bytes:     r.number("BACKEND_MAX_BYTES", 1<<30, 1<<20, 1<<40),
		FileBytes: r.number("BACKEND_MAX_FILE_BYTES", 5<<30, 1<<20, 1<<50),
		Query:     r.durationUpTo("BACKEND_QUERY_TIMEOUT", 5*time.Second, time.Minute),
		Streams:   int(r.number("BACKEND_MAX_STREAMS", 200, 1, 100_000)),
		Requests:  int(r.number("BACKEND_REQUESTS_PER_SECOND", 100, 1, 1_000_000)),
		Idle:      r.durationUpTo("BACKEND_IDLE", 10*time.Minute, 24*time.Hour),
		MaxOpen:   int(r.number("BACKEND_MAX_OPEN", 2000, 1, 100_000)),
	}
}
