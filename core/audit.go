package core

// AuditAction names an action that the owners of a workspace may need to look up
// later.
type AuditAction string

// The audited actions.
const (
	AuditSignUp            AuditAction = "auth.signup"
	AuditSignIn            AuditAction = "auth.login"
	AuditSignInFailed      AuditAction = "auth.failed"
	AuditSignOut           AuditAction = "auth.logout"
	AuditSignOutEverywhere AuditAction = "auth.logout_all"
	AuditSessionEnded      AuditAction = "auth.session_ended"
	AuditTokenReused       AuditAction = "auth.token_reused"
	// AuditTokenRepeated is a refresh token that worked again, within RefreshGrace: a second tab, or a copy.
	AuditTokenRepeated       AuditAction = "auth.token_repeated"
	AuditFactorOn            AuditAction = "auth.mfa_on"
	AuditFactorOff           AuditAction = "auth.mfa_off"
	AuditFactorFailed        AuditAction = "auth.mfa_failed"
	AuditRecoveryCodes       AuditAction = "auth.recovery_codes_created"
	AuditRecoveryCodeUsed    AuditAction = "auth.recovery_code_used"
	AuditPasskeyAdded        AuditAction = "auth.passkey_added"
	AuditPasskeyRemoved      AuditAction = "auth.passkey_removed"
	AuditPasswordChanged     AuditAction = "auth.password_changed"
	AuditPasswordReset       AuditAction = "auth.password_reset"
	AuditEmailVerified       AuditAction = "auth.email_verified"
	AuditEmailChangeAsked    AuditAction = "auth.email_change_asked"
	AuditEmailChanged        AuditAction = "auth.email_changed"
	AuditAccountDeleted      AuditAction = "auth.account_deleted"
	AuditDataExported        AuditAction = "auth.data_exported"
	AuditIdentityUnlinked    AuditAction = "auth.identity_unlinked"
	AuditIdentityLinked      AuditAction = "auth.identity_linked"
	AuditTokenCreated        AuditAction = "token.created"
	AuditTokenDeleted        AuditAction = "token.deleted"
	AuditProgramConnected    AuditAction = "program.connected"
	AuditProgramDisconnected AuditAction = "program.disconnected"
	AuditProgramReused       AuditAction = "program.token_reused"
	AuditWorkspaceCreated    AuditAction = "workspace.created"
	AuditWorkspaceUpdated    AuditAction = "workspace.updated"
	AuditInviteCreated       AuditAction = "invite.created"
	AuditInviteLinked        AuditAction = "invite.linked"
	AuditInviteDeleted       AuditAction = "invite.deleted"
	AuditInviteDeclined      AuditAction = "invite.declined"
	AuditMemberJoined        AuditAction = "member.joined"
	AuditMemberRoleChanged   AuditAction = "member.role_changed"
	AuditMemberRemoved       AuditAction = "member.removed"
	AuditGroupRefused        AuditAction = "member.group_refused"
	AuditGroupMapped         AuditAction = "member.group_mapped"
	AuditWorkspaceDeleted    AuditAction = "workspace.deleted"
	AuditWorkspaceTransfer   AuditAction = "workspace.transferred"
	AuditProviderCreated     AuditAction = "provider.created"
	AuditProviderUpdated     AuditAction = "provider.updated"
	AuditProviderDeleted     AuditAction = "provider.deleted"
	AuditSubscriptionAdded   AuditAction = "subscription.connected"
	AuditSubscriptionRemoved AuditAction = "subscription.removed"
	AuditProjectPublished    AuditAction = "project.published"
	AuditProjectUnpublished  AuditAction = "project.unpublished"
	AuditProjectRolledBack   AuditAction = "project.rolled_back"
	AuditSiteUpdated         AuditAction = "site.updated"
	AuditPreviewShared       AuditAction = "preview.shared"
	AuditPreviewUnshared     AuditAction = "preview.unshared"
	AuditProjectVisibility   AuditAction = "project.visibility_changed"
	AuditProjectDeleted      AuditAction = "project.deleted"
	AuditProjectRestored     AuditAction = "project.restored"
	AuditProjectExported     AuditAction = "project.exported"
	AuditProjectDuplicated   AuditAction = "project.duplicated"
	AuditEnvironmentUpdated  AuditAction = "environment.updated"
	AuditEnvironmentDeleted  AuditAction = "environment.deleted"
	AuditProjectPurged       AuditAction = "project.purged"
	AuditProjectTransferred  AuditAction = "project.transferred"
	AuditLiveDataChanged     AuditAction = "backend.live_data_changed"
	AuditSignInUpdated       AuditAction = "backend.sign_in_updated"
	AuditSignInDeleted       AuditAction = "backend.sign_in_deleted"
	AuditFindingAccepted     AuditAction = "backend.finding_accepted"
	AuditDomainAdded         AuditAction = "domain.added"
	AuditDomainVerified      AuditAction = "domain.verified"
	AuditDomainPrimary       AuditAction = "domain.primary"
	AuditDomainFailed        AuditAction = "domain.failed"
	AuditDomainLapsed        AuditAction = "domain.lapsed"
	AuditDomainRemoved       AuditAction = "domain.removed"
	AuditRemoteConnected     AuditAction = "project.remote_connected"
	AuditRemoteDisconnected  AuditAction = "project.remote_disconnected"
	AuditWebhookCreated      AuditAction = "webhook.created"
	AuditWebhookUpdated      AuditAction = "webhook.updated"
	AuditWebhookDeleted      AuditAction = "webhook.deleted"
	AuditWebhookRotated      AuditAction = "webhook.secret_rotated"
	AuditWebhookDisabled     AuditAction = "webhook.disabled"
	AuditConnectorCreated    AuditAction = "connector.created"
	AuditConnectorUpdated    AuditAction = "connector.updated"
	AuditConnectorDeleted    AuditAction = "connector.deleted"
	AuditTemplateShared      AuditAction = "template.shared"
	AuditTemplateUpdated     AuditAction = "template.updated"
	AuditTemplateDeleted     AuditAction = "template.deleted"
	AuditInstanceSettings    AuditAction = "instance.settings_changed"
	AuditInstanceQuotas      AuditAction = "instance.quotas_changed"
	AuditInstanceInvited     AuditAction = "instance.invite_created"
	AuditInstanceUninvited   AuditAction = "instance.invite_deleted"
	AuditInstanceJoined      AuditAction = "instance.person_joined"
	AuditPersonDisabled      AuditAction = "instance.person_disabled"
	AuditPersonEnabled       AuditAction = "instance.person_enabled"
	AuditPersonDeleted       AuditAction = "instance.person_deleted"
	AuditPersonSignedOut     AuditAction = "instance.person_signed_out"
	AuditFactorReset         AuditAction = "instance.mfa_reset"
	AuditCompanyCreated      AuditAction = "instance.identity_provider_created"
	AuditCompanyUpdated      AuditAction = "instance.identity_provider_updated"
	AuditCompanyDeleted      AuditAction = "instance.identity_provider_deleted"
	AuditPlatformAICreated   AuditAction = "instance.ai_provider_created"
	AuditPlatformAIUpdated   AuditAction = "instance.ai_provider_updated"
	AuditPlatformAIDeleted   AuditAction = "instance.ai_provider_deleted"
	AuditAdminAdded          AuditAction = "instance.admin_added"
	AuditAdminRemoved        AuditAction = "instance.admin_removed"
	AuditSiteTakenDown       AuditAction = "instance.site_taken_down"
	AuditSiteLifted          AuditAction = "instance.site_lifted"
	AuditBackupAsked         AuditAction = "instance.backup_asked"
	AuditBackupMade          AuditAction = "instance.backup_made"
	AuditBackupFailed        AuditAction = "instance.backup_failed"
)

// AuditEntry is one line of a workspace's or a person's security log. It outlives the
// people that it names, and the workspace.
type AuditEntry struct {
	ID     ID          `json:"id"`
	Action AuditAction `json:"action"`
	// Actor is the person who did it; nil if nobody was signed in.
	Actor *AuditActor `json:"actor"`
	// Target is the object of the action, in words: an address, a name, "name: from →
	// to".
	Target string `json:"target"`
	// IP is the address that the call came from; "" when the service acted by
	// itself.
	IP        string `json:"ip"`
	CreatedAt Time   `json:"createdAt"`

	// One of them is "": the entry is either about a workspace or about an account. Both are
	// "" for an entry about the installation.
	WorkspaceID ID `json:"-"`
	PersonID    ID `json:"-"`
}

// AuditActor names a person with the name of that time.
type AuditActor struct {
	UserID ID     `json:"userId"`
	Email  string `json:"email"`
}

// MaxAuditTargetChars bounds AuditEntry.Target.
const MaxAuditTargetChars = 300
