// Package operation plays the stories of those who run the service: backup, crashes, full
// disks, several processes, metrics, secrets; and measures how it starts, idles and signs in.
package operation
