package settings

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Instance says who runs the installation, and who may sign up.
type Instance struct {
	// Signup fixes the policy; "" leaves it to the admins, who begin with Preset.
	Signup, Preset core.SignupPolicy
	// SignupDomains are the domains of core.SignupDomains.
	SignupDomains []string
	// AdminEmails are addresses of admins, once verified.
	AdminEmails core.AdminEmails
	// PasswordSignIn fixes whether people may sign in with passwords, if it is not nil.
	PasswordSignIn *bool
}

func readInstance(r *reader, listen string) Instance {
	read := Instance{Preset: core.SignupInvite}
	if isLoopback(listen) {
		read.Preset = core.SignupOpen
	}
	policies := []string{""}
	for _, policy := range core.SignupPolicies() {
		policies = append(policies, string(policy))
	}
	read.Signup = core.SignupPolicy(r.text("SIGNUP", "", func(got string) bool { return slices.Contains(policies, got) }, strings.Join(policies[1:], ", ")))
	domains, err := core.ParseSignupDomains(words(r.env("SIGNUP_DOMAINS")))
	if err != nil || len(domains) == 0 && read.Signup == core.SignupDomains {
		r.fail("SIGNUP_DOMAINS", r.env("SIGNUP_DOMAINS"), "domains such as example.com, separated by commas")
	}
	read.SignupDomains = domains
	for _, word := range words(r.env("ADMIN_EMAILS")) {
		email, err := core.NormalEmail(word)
		if err != nil {
			r.fail("ADMIN_EMAILS", word, "addresses such as name@example.com, separated by commas")
		}
		read.AdminEmails = append(read.AdminEmails, email)
	}
	boolean := r.text("PASSWORD_SIGN_IN", "", func(got string) bool { return slices.Contains([]string{"", "true", "false"}, got) }, "true or false")
	if boolean != "" {
		read.PasswordSignIn = new(boolean == "true")
	}
	return read
}

// words splits a list at commas and spaces.
func words(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
}

// isLoopback reports whether only this machine reaches a listener.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
