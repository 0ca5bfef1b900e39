// Package mailer writes the service's mails and sends them from a durable queue.
//
// A mail is a row, stored in the transaction of what it tells of (a transactional outbox) and
// sealed. Worker claims it with a lease and sends it with back-off. A mail that a crash cut
// off is sent by the next process that claims it, under the same Message-ID.
package mailer
