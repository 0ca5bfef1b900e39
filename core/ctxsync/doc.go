// Package ctxsync has what package sync and time.Sleep lack: waiting that ends with a
// context. A Mutex and a KeyedMutex, which has a mutex for each key, have one holder at a
// time, and Sleep pauses.
package ctxsync
