// Package credentials signs session tokens as JWTs, hashes passwords with
// argon2id and seals secrets with AES-256-GCM.
package credentials
