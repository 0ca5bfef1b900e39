// Package logins keeps with which credentials a person is signed in to which installations, in
// the file "atelier/logins.json" of their configuration folder ($XDG_CONFIG_HOME, or ~/.config).
//
// Only the person can read the file (mode 0600); one that others can read is refused. Changes
// replace it whole, under a lock, so that several processes may renew a session at a time.
package logins
