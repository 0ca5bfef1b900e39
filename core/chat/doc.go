// Package chat has the chats, their event logs, and the runs of the agent: starting,
// following, stopping, and recovery after a crash.
//
// # Parts
//
// Service has three parts, and callers take the one they need. Chats are the records: titles,
// modes, stored events. Runs starts and stops runs (message.go, runs.go). Followers streams
// events to clients.
//
// Behind Runs, the queue claims waiting runs (queue.go), and an executor lets the agent work on
// them (execution.go). The completion commits and ends a run, and the recovery takes over runs
// of dead processes. What they share is in process.go: the event log, the leases, and the active
// runs of this process.
//
// # A message
//
// Runs.Send checks the caller and the message. One transaction stores the run, of which a
// chat has at most one at work, and user.message. A goroutine of the run's own lets
// agent.Agent work. The agent reserves credit and streams a model call into the run's journal.
// It carries out the tool calls on the project, through the file pipeline (projects.go), and
// gives their results, with the state of the build, back to the model. It ends when the model
// calls no more tools.
//
// The journal (journal.go) stores events in batches; the database gives them their sequence
// numbers (storage.Events). Each batch is durable before anybody sees
// it; then the bus is told. The client's connection is a follower like any other: it reads the
// log and then what the bus brings (followers.go). At the end the changes become one version,
// and the last event is stored in the transaction that frees the chat. If the client
// disconnects, the run is cancelled, unless it is detached.
//
// # Queue and leases
//
// Runs are rows with leases (lease.go), so there is no queue beside the database. Any process
// claims a waiting run (queue.go) and renews its lease (heartbeat.go); before each change of a
// file it looks whether it still has the lease (execution.go, intend). The run of a process
// that died is claimed by another once its lease has expired (recovery.go), and continues from
// its log, as package agent says. A credit reservation belongs to its run and counts while the
// run is running, so anything that ends the run gives the credit back.
package chat
