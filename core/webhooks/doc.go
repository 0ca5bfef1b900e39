// Package webhooks tells other programs what happens in a workspace.
//
// An event becomes one row a webhook that wants it, in the transaction of what it tells of (a
// transactional outbox). Worker claims a row with a lease and posts it, signed as the convention
// Standard Webhooks says, through the guarded client. Failures are repeated for a day, with
// exponential back-off and jitter. Receivers get every event at least once, always under the same
// webhook-id.
//
// Versions and findings are the exceptions: neither is made in a transaction of the database. Their
// events are stored right behind them, so a crash between the two loses the event, not the version.
// Of the versions of one push only the newest has an event.
//
// Events of a task's working copy are not sent, except the end of a run, which names the copy.
//
//	events.go   what is sent, one shape an event
//	queue.go    stores events for the webhooks that want them
//	service.go  webhooks, as admins of the workspace see and change them
//	log.go      deliveries, as they see and repeat them
//	secret.go   keys and signatures
//	worker.go   claims deliveries and settles them
//	post.go     one attempt
package webhooks
