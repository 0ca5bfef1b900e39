// Package ctxsync has mutexes whose callers give up waiting when their context ends, which
// those of package sync cannot: a Mutex, and a KeyedMutex with one for each key.
package ctxsync
