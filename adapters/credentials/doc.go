// Package credentials signs session tokens as JWTs, hashes passwords with
// argon2id, seals secrets with AES-256-GCM, and checks time-based codes (TOTP).
package credentials
