// Atelier's API, as /openapi.json describes it. This file is written from the description.
//
//   const atelier = new Atelier({ url: 'https://atelier.example.com', token: 'atl_…' });
//   const { items } = await atelier.listWorkspaces();

/** A message of JSON-RPC 2.0, with either a result or an error. */
export type ToolsAnswer = {
  jsonrpc: "2.0";
  /** That of the message that is answered. */
  id?: string | number | null;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
};

/** The id of a record. */
export type Id = string;

/** A time in UTC with milliseconds. */
export type Timestamp = string;

/** What went wrong, for programs. The set is closed. */
export type ErrorCode = "invalid_request" | "validation_failed" | "invalid_path" | "path_traversal" | "invalid_regex" | "invalid_cursor" | "invalid_token" | "forbidden_address" | "unauthenticated" | "invalid_credentials" | "token_expired" | "mfa_required" | "credit_exhausted" | "forbidden" | "cross_origin" | "insufficient_scope" | "not_found" | "provider_not_configured" | "method_not_allowed" | "conflict" | "email_taken" | "signup_closed" | "account_disabled" | "mfa_setup_required" | "email_unverified" | "company_sign_in" | "password_sign_in_off" | "sign_in_again" | "slug_taken" | "domain_taken" | "chat_busy" | "no_provider" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "invalid_range" | "build_failed" | "data_loss" | "open_data" | "checks_failed" | "selector_not_found" | "unsupported_file" | "rate_limited" | "internal" | "model_unavailable" | "sandbox_unavailable" | "unavailable";

/** The body of every error. */
export type ErrorBody = {
  error: ErrorCode;
  /** What went wrong, for people. */
  message: string;
};

/** A place in the sources that makes the build fail, or that a warning is about. Line and column count from 1; both are 0 when the whole file is meant. */
export type Diagnostic = {
  path: string;
  line: number;
  column: number;
  message: string;
};

export type CodeStatus = {
  available: boolean;
  /** What to install or to set, if not. */
  reason?: string;
};

export type CodeQuestion = {
  path: string;
  /** From 1. Questions about the whole file need none. */
  line?: number;
  /** From 1, in UTF-16 units. */
  column?: number;
  /** What the file has in the editor, at most 512 KiB of it. By default it is as on the disk. */
  text?: string;
};

export type CodeDetailsRequest = {
  path: string;
  line: number;
  column: number;
  text?: string;
  /** That of the completion. */
  label: string;
  /** That of the completion. */
  source?: string;
};

export type CodeRange = {
  line: number;
  /** In UTF-16 units. */
  column: number;
  endLine: number;
  endColumn: number;
};

/** Replaces a part of the file. Edits of one answer do not overlap and are in the order of their places. */
export type CodeEdit = {
  line: number;
  /** In UTF-16 units. */
  column: number;
  endLine: number;
  endColumn: number;
  text: string;
};

export type CodeCompletions = {
  /** Where the text begins that a completion replaces, in the line of the question. */
  column: number;
  items: CodeCompletion[];
  /** Whether there are more, for which one asks again with the next letter. */
  truncated?: boolean;
};

export type CodeCompletion = {
  label: string;
  kind: "class" | "constant" | "enum" | "function" | "interface" | "keyword" | "method" | "namespace" | "property" | "text" | "type" | "variable";
  /** The module that it imports from. */
  source?: string;
  /** What to write, if it is not the label. */
  insert?: string;
  replace?: CodeRange;
  deprecated?: boolean;
};

export type CodeDetails = {
  /** Its type. */
  signature?: string;
  /** In Markdown. */
  documentation?: string;
  edits: CodeEdit[];
};

export type CodeHover = {
  /** Its type. */
  signature?: string;
  /** In Markdown. */
  documentation?: string;
  range?: CodeRange;
};

export type CodeLocation = {
  /** The file of the project. */
  path?: string;
  /** The package, for a file that is not the project’s. */
  package?: string;
  line: number;
  /** In UTF-16 units. */
  column: number;
  endLine: number;
  endColumn: number;
};

export type CodeDiagnostic = {
  line: number;
  /** In UTF-16 units. */
  column: number;
  endLine: number;
  endColumn: number;
  severity: "error" | "warning";
  /** TypeScript’s number of the message. */
  code?: number;
  message: string;
};

/** What is wrong with a project's types. A check that reached its limits of time or memory says so in the first diagnostic. Columns count UTF-16 units. */
export type TypeErrors = {
  diagnostics: Diagnostic[];
  /** Whether there is more than that. */
  truncated?: boolean;
};

export type User = {
  id: Id;
  /** In the normal form by which addresses are compared. */
  email: string;
  displayName: string | null;
  avatarUrl: string | null;
  /** The person has proven that they receive the address's mails. */
  emailVerified: boolean;
  createdAt: Timestamp;
};

export type Session = {
  user: User;
  accessToken: string;
  refreshToken: string;
};

export type AccountExport = {
  exportedAt: Timestamp;
  account: {
    id: Id;
    email: string;
    displayName: string | null;
    avatarUrl: string | null;
    emailVerified: boolean;
    createdAt: Timestamp;
    /** That of mails, empty if none was chosen. */
    language: string;
    hasPassword: boolean;
  };
  sessions: OpenSession[];
  identities: {
    provider: string;
    /** The account there. */
    subject: string;
    createdAt: Timestamp;
  }[];
  secondFactor: {
    totp: boolean;
    passkeys: number;
    recoveryCodesLeft: number;
  };
  apiTokens: APIToken[];
  programs: {
    name: string;
    host: string;
    scopes: Scope[];
    createdAt: Timestamp;
  }[];
  subscriptions: Subscription[];
  workspaces: {
    id: Id;
    name: string;
    personal: boolean;
    role: Role;
    joinedAt: Timestamp;
  }[];
  /** The newest entry first. */
  log: AuditEntry[];
  /** What the person wrote to the agent, without the copies of tasks. */
  messages: {
    projectId: Id;
    /** Its name. */
    project: string;
    chatId: Id;
    createdAt: Timestamp;
    text: string;
  }[];
  /** What the person wrote about the pages of projects. */
  comments: {
    projectId: Id;
    /** Its name. */
    project: string;
    /** The path of the page, empty for a reply. */
    page: string;
    createdAt: Timestamp;
    text: string;
  }[];
};

/**
 * Who may sign up: everybody; people with an address at one of `signupDomains`, who may only use their account
 * until they verify it (403 `email_unverified`); people with an invitation. While
 * sign-up is `closed`, admins cannot invite people to the installation either.
 */
export type SignupPolicy = "open" | "domains" | "invite" | "closed";

export type InstanceSettings = {
  signup: SignupPolicy;
  signupDomains: string[];
  /** Of new workspaces, and of each person on the platform's AI provider in all workspaces together, in USD; null is unlimited. */
  defaultCreditLimit: number | null;
  /** A notice to everybody who is signed in, empty for none. */
  announcement: string;
  /** Whether people may only use their account until they have a second factor: anything else is 403 `mfa_setup_required` within 5 seconds. API tokens that exist go on. */
  requireMfa: boolean;
  /** Whether people may only use their account until they verify its address: anything else, also with API tokens and programs, is 403 `email_unverified` within 5 seconds. Under `signup: domains` that holds in any case. */
  requireVerifiedEmail: boolean;
  /** Whether people may sign up, sign in and get a new password by mail. If not, these are 403 `password_sign_in_off`, and people use identity providers and passkeys. Sessions go on. */
  passwordSignIn: boolean;
  quotas: Quotas;
  /** The settings that the environment fixes, each with its variable. A quota is `quotas.` and its name. */
  fixed: Record<string, string>;
};

/** The quotas of a workspace, or those of all; null is no bound. */
export type Quotas = {
  /** Projects, including deleted ones that can be restored. */
  projectsPerWorkspace: number | null;
  membersPerWorkspace: number | null;
  /** What a project takes on the disk, with its history. It is never above `MAX_PROJECT_BYTES`. A lower one holds within ten minutes, a higher one at once. */
  bytesPerProject: number | null;
  /** The runs of the agent that are at work in all projects together. Another message is 409 `conflict`; queued runs, such as those of tasks, wait. */
  runsAtOnce: number | null;
};

/** What admins decide; an absent quota stays, and null takes it back to its default. None exceeds what the environment of the service sets: 400. What a workspace has already stays. */
export type GivenQuotas = {
  projectsPerWorkspace?: number | null;
  membersPerWorkspace?: number | null;
  bytesPerProject?: number | null;
  runsAtOnce?: number | null;
};

/** A workspace as admins of the installation see it, which names none of its projects. */
export type InstanceWorkspace = {
  id: Id;
  name: string;
  personal: boolean;
  /** The address of the owner who has been one for longest, empty if there is none. */
  owner: string;
  /** Deleted ones that can be restored included. */
  projects: number;
  members: number;
  /** The size of the present files of all projects, without their histories. */
  bytes: number;
  /** USD. */
  creditUsed: number;
  /** The limit in force, in USD; null is unlimited. */
  creditLimit: number | null;
  /** What an admin gave, in USD; null for the default. */
  givenCredit: number | null;
  quotas: Quotas;
  /** What an admin gave, each null for the default. */
  givenQuotas: Quotas;
  createdAt: Timestamp;
};

export type FilledQuota = {
  used: number;
  /** null is no bound. */
  limit: number | null;
};

/** An account as admins of the installation see it. */
export type InstancePerson = User & {
  /** An admin of the installation. */
  admin: boolean;
  /** Named by the environment as an admin. */
  named: boolean;
  disabledAt: string | null;
  /** When a session was last used. */
  lastSeenAt: string | null;
  workspaces: number;
  /** Whether their sign-ins take a second factor. */
  mfa: boolean;
};

/** A published site that an admin took down. */
export type Takedown = {
  projectId: Id;
  /** Its address when it was taken down. */
  slug: string;
  reason: string;
  takenBy: Id;
  createdAt: string;
};

export type HealthFinding = {
  /** The part. */
  name: string;
  ok: boolean;
  /** What was found, or what to do. */
  text: string;
  /** That of the text: what `Accept-Language` asks for if there is a translation. */
  language: "en" | "de" | "es";
};

export type Backup = {
  /** Of its file, which `atelier restore` takes. */
  name: string;
  createdAt: string;
  bytes: number;
  /** It was read back as a restore would, and compared. */
  verified: boolean;
};

/** A try to make a backup. */
export type BackupRun = {
  startedAt: string;
  /** Null while it goes on. */
  endedAt: string | null;
  /** Of the backup, empty until it is verified. */
  name: string;
  /** Why there is none, empty otherwise. */
  failure: string;
  /** That of the failure: what `Accept-Language` asks for if there is a translation. */
  failureLanguage: "en" | "de" | "es";
};

export type Backups = {
  /** Where they go; empty while BACKUP_TARGET is not set. */
  target: string;
  encrypted: boolean;
  /** Whether the service makes them by itself. */
  scheduled: boolean;
  nextAt: string | null;
  /** How many verified ones are kept. */
  keep: number;
  last: BackupRun | null;
  items: Backup[];
};

export type GroupMapping = {
  /** A slash at the beginning counts for nothing. */
  group: string;
  workspaceId: Id;
  role: "member" | "admin" | "owner";
};

export type CompanyProvider = {
  id: Id;
  slug: string;
  name: string;
  issuer: string;
  clientId: string;
  scopes: string[];
  domains: string[];
  groupsClaim: string;
  mappings: GroupMapping[];
  only: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** The provider must know it as a redirect URI of the client. */
  redirectUri: string;
  /** The provider must know it as an address to return to after signing out. */
  signOutUri: string;
};

export type InstanceInvite = {
  id: Id;
  email: string;
  invitedBy: Id;
  createdAt: Timestamp;
  expiresAt: Timestamp;
};

/** What this installation has. */
export type Features = {
  /** The providers that one can sign in with. */
  oauth: {
    github: boolean;
    google: boolean;
  };
  /** People can connect their own AI subscription. */
  assistant: boolean;
  /** Mails are sent to their readers. */
  mail: boolean;
  /** The agent can run commands. */
  sandbox: boolean;
  /** Workspaces can use the demo as their AI provider. */
  demoProvider: boolean;
  /** Workspaces without an AI provider of their own have the operator's. */
  platformProvider: boolean;
};

/** What an API token may do. A `:write` scope includes its `:read`. */
export type Scope = "projects:read" | "projects:write" | "files:read" | "files:write" | "chat" | "publish" | "workspaces:read" | "workspaces:write";

/** The `toJSON` of a `PublicKeyCredential`. */
export type Credential = Record<string, unknown>;

export type PasskeyOptions = {
  /** The options of WebAuthn in JSON, for `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
  publicKey: Record<string, unknown>;
};

export type Passkey = {
  id: Id;
  name: string;
  /** Whether it may be on several devices of the person. */
  synced: boolean;
  createdAt: Timestamp;
  /** Null for a passkey that was never used. */
  lastUsedAt: string | null;
};

export type OpenSession = {
  id: Id;
  /** The program in a few words, such as `Firefox on Windows`; empty if it did not say. */
  device: string;
  /** The address that the session was opened or last renewed from. */
  address: string;
  createdAt: Timestamp;
  /** Exact to a minute. */
  lastSeenAt: string;
  /** When it ends unless it is renewed. */
  expiresAt: string;
  /** Whether it is the caller's own. */
  current: boolean;
  /** Whether the sign-in gave a second factor. */
  secondFactor: boolean;
};

export type ConnectedProgram = {
  id: Id;
  /** What the program calls itself. */
  name: string;
  /** The host that vouches for the program; empty for one that registered itself. */
  host: string;
  scopes: Scope[];
  /** Exact to a minute; null when it was never used. */
  lastUsedAt: string | null;
  createdAt: Timestamp;
};

export type ConsentQuestion = {
  /** What the program calls itself. */
  name: string;
  /** The host that vouches for the program; empty for one that registered itself. */
  host: string;
  /** The host to which the answer goes; empty for a program on the same computer. */
  returnsTo: string;
  scopes: Scope[];
  email: string;
  workspaces: string[];
};

export type ToolsResource = {
  resource: string;
  resource_name: string;
  authorization_servers: string[];
  scopes_supported: Scope[];
  bearer_methods_supported: string[];
  resource_documentation: string;
};

export type ToolsIssuer = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  revocation_endpoint: string;
} & Record<string, unknown>;

export type APIToken = {
  id: Id;
  name: string;
  scopes: Scope[];
  /** The beginning of the token, enough to tell two apart. */
  prefix: string;
  /** Exact to a minute; null when it was never used. */
  lastUsedAt: string | null;
  /** Null for a token that never expires. */
  expiresAt: string | null;
  createdAt: Timestamp;
};

/** A person's own access to a model, which only they spend. */
export type Subscription = {
  id: Id;
  kind: "github";
  name: string;
  /** The end of the key, enough to tell two apart. */
  keyHint: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** When the key expires; null if it never does. */
  expiresAt: string | null;
};

/** What a member may do; each role may do all that the ones before it may. */
export type Role = "member" | "admin" | "owner";

export type Workspace = {
  id: Id;
  name: string;
  slug: string;
  /** It came with its owner's account and stays theirs. */
  personal: boolean;
  /** The caller's. */
  role: Role;
  /** USD; null is unlimited. */
  creditLimit: number | null;
  /** USD. */
  creditUsed: number;
  /** The hosts that the agent's commands may reach, sorted; empty means none. */
  commandHosts: string[];
  /** Whether members need a second factor. Those without one see the workspace in lists, and nothing of it or of its projects: that is 403 `mfa_setup_required`, and open streams and sockets end within 10 seconds. API tokens and programs that exist go on; these members get no new ones. */
  requireMfa: boolean;
  /** The role that it takes to publish, or to roll back to, what changes functions or the rules of collections, and so may change live data. Members publish everything else in any case; what is reserved is 403 `forbidden`. */
  livePublish: "member" | "admin";
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type Member = {
  userId: Id;
  email: string;
  displayName: string | null;
  avatarUrl: string | null;
  role: Role;
  joinedAt: Timestamp;
  /** Whether the member has a second factor. Only admins are told. */
  secondFactor?: boolean;
};

export type Invite = {
  id: Id;
  email: string;
  role: Role;
  /** The member who sent it. */
  invitedBy: string;
  createdAt: Timestamp;
  expiresAt: Timestamp;
};

/** An invitation as its recipient sees it. */
export type OwnInvite = {
  id: Id;
  workspace: {
    id: Id;
    name: string;
  };
  role: Role;
  invitedBy: {
    /** What the inviter is called, or their address. */
    displayName: string;
  };
  expiresAt: Timestamp;
  createdAt: Timestamp;
};

/** One line of a workspace's security log. */
export type AuditEntry = {
  id: Id;
  /** What was done, such as `auth.login`, `member.role_changed` or `project.published`. */
  action: string;
  /** Who did it, as they were called at the time; null when nobody was signed in. */
  actor: {
    userId: Id;
    email: string;
  } | null;
  /** What it was done to, in words. */
  target: string;
  /** The address that the call came from; empty when the service acted by itself. */
  ip: string;
  createdAt: Timestamp;
};

/** What a webhook can be told of. */
export type WebhookEvent = "run.finished" | "version.created" | "deployment.published" | "check.failed" | "finding.created" | "comment.created" | "member.changed";

/** An address of another program, to which events of a workspace are sent. */
export type Webhook = {
  id: Id;
  url: string;
  /** The only project whose events are sent; null for all of the workspace. */
  projectId: Id | null;
  events: WebhookEvent[];
  description: string;
  disabled: boolean;
  /** `person`, an admin; `gone`, the address answered 410; `failing`, nothing could be delivered for three days. Null for a webhook in use. */
  disabledReason: "person" | "gone" | "failing" | null;
  /** The first failed attempt since the last delivery; null without one. */
  failingSince: Timestamp | null;
  /** How long the secret before the last rotation signs as well; null if none does. */
  formerSecretUntil: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type EnabledConnectorTool = {
  name: string;
  consent: Consent;
  /** Of what the admin saw, which is pinned. Without it, a tool that is allowed already stays pinned as it was. */
  hash?: string;
};

/** What a call by the agent needs: nothing, or a person's yes each time. It makes no call with `never`. */
export type Consent = "always" | "ask" | "never";

/** What a server says of a tool. It is data of strangers. */
export type ConnectorToolText = {
  description: string;
  /** A JSON schema. */
  inputSchema: Record<string, unknown>;
  hash: string;
};

export type ConnectorTool = {
  name: string;
  consent: Consent;
  /** Only a tool that is `on` may be called. One that `changed` is no longer what was allowed, one that is `gone` the server no longer has. */
  state: "off" | "on" | "changed" | "gone";
  /** What an admin allowed; null if nobody did. */
  pinned: ConnectorToolText | null;
  /** What the server says now; null if it no longer has the tool. */
  offered: ConnectorToolText | null;
};

/** An MCP server whose tools the agent may call. */
export type Connector = {
  id: Id;
  name: string;
  url: string;
  headerNames: string[];
  tools: ConnectorTool[];
  /** Tools that nobody can allow: names that look alike or have other characters, schemas or descriptions that are too large. */
  refusedTools: number;
  /** Why the server could not tell its tools the last time. */
  problem: string | null;
  refreshedAt: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** A webhook with its secret, which is told only here. */
export type NewWebhook = {
  id: Id;
  url: string;
  /** The only project whose events are sent; null for all of the workspace. */
  projectId: Id | null;
  events: WebhookEvent[];
  description: string;
  disabled: boolean;
  /** `person`, an admin; `gone`, the address answered 410; `failing`, nothing could be delivered for three days. Null for a webhook in use. */
  disabledReason: "person" | "gone" | "failing" | null;
  /** The first failed attempt since the last delivery; null without one. */
  failingSince: Timestamp | null;
  /** How long the secret before the last rotation signs as well; null if none does. */
  formerSecretUntil: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** The key of the signatures. */
  secret: string;
};

/** An event on its way to a webhook, and what became of it. */
export type WebhookDelivery = {
  id: Id;
  /** The header `webhook-id`. */
  messageId: string;
  type: WebhookEvent | "webhook.test";
  state: "pending" | "delivered" | "failed";
  attempts: number;
  /** Null once the delivery is over. */
  nextAttemptAt: Timestamp | null;
  /** When the last attempt began; null before the first. */
  attemptedAt: Timestamp | null;
  /** How long the last attempt took. */
  ms: number;
  /** Of the last answer; null without one. */
  status: number | null;
  /** The first KiB of the last answer's body. */
  response: string;
  /** Why the last attempt failed; empty if it did not. `refused` is any status but 2xx, `disabled` that the webhook was disabled meanwhile. */
  error: "" | "refused" | "redirected" | "timeout" | "broken_off" | "forbidden_address" | "unknown_host" | "unreachable" | "certificate" | "tls" | "disabled";
  payload: WebhookMessage;
  createdAt: Timestamp;
};

/** The body that a webhook is sent. It has no content of files, no secrets and no addresses of people. */
export type WebhookMessage = RunFinishedMessage | VersionCreatedMessage | DeploymentPublishedMessage | CheckFailedMessage | FindingCreatedMessage | CommentCreatedMessage | MemberChangedMessage | WebhookTestMessage;

/** The agent has ended a run. */
export type RunFinishedMessage = {
  type: "run.finished";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    chatId: Id;
    runId: Id;
    userId: Id;
    outcome: "done" | "stopped" | "limit" | "asked" | "failed";
    /** The code of a run that failed. */
    error?: string;
    /** The version with its changes, if it made any. */
    versionId?: string;
    filesChanged: number;
    copyId?: Id;
  };
};

/** A project has a new version. Those that the service makes as it creates or deletes a project are not told, and of the versions of one push only the newest. */
export type VersionCreatedMessage = {
  type: "version.created";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    versionId: string;
    /** The first line of its message. */
    title: string;
    author: "user" | "agent";
    chatId?: Id;
    filesChanged: number;
  };
};

/** A deployment is live. */
export type DeploymentPublishedMessage = {
  type: "deployment.published";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    deploymentId: Id;
    versionId: string;
    url: string;
    userId: Id;
    /** An earlier deployment is live again. */
    rollback: boolean;
  };
};

/** A check was played and failed. */
export type CheckFailedMessage = {
  type: "check.failed";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    name: string;
    title: string;
    /** The step that failed, from 1, or 0 if none was reached. */
    step: number;
  };
};

/** The attack before publishing found what refuses the publish. */
export type FindingCreatedMessage = {
  type: "finding.created";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    findingId: string;
    collection: string;
    action: string;
    as: "guest" | "stranger";
    severity: "high" | "medium" | "info";
    records: number;
  };
};

/** Somebody commented on a page, or replied. */
export type CommentCreatedMessage = {
  type: "comment.created";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId: Id;
    commentId: Id;
    /** The first comment of the thread: the same as commentId where it begins one. */
    threadId: string;
    userId: Id;
  };
};

/** Somebody joined the workspace, has another role, or was removed. */
export type MemberChangedMessage = {
  type: "member.changed";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    userId: Id;
    change: "joined" | "role_changed" | "removed";
    /** Absent for who was removed. */
    role?: "owner" | "admin" | "member";
  };
};

/** A person tries the webhook. */
export type WebhookTestMessage = {
  type: "webhook.test";
  timestamp: Timestamp;
  data: {
    workspaceId: Id;
    projectId?: Id;
    webhookId: Id;
    userId: Id;
  };
};

/**
 * How the model is reached: `ollama`, `openai` (any server with that interface), `responses` (any server with
 * OpenAI's Responses API), `anthropic`, `demo` (a script without a model). A program that embeds Atelier can have kinds of its own.
 */
export type ProviderKind = string;

/** What a model can do. */
export type Capabilities = {
  /** 0 when the provider does not tell. */
  contextTokens: number;
  tools: boolean;
  vision: boolean;
  thinking: boolean;
};

/**
 * What the default model can do. `tools`, `schema` and `dialect` are found out by asking the model, `contextTokens` and `vision`
 * are what the provider tells of it, `thinking` is either.
 */
export type ProviderCapabilities = {
  /** The window of its calls; 0 when the provider does not tell. */
  contextTokens: number;
  /** The model calls tools natively. */
  tools: boolean;
  vision: boolean;
  thinking: boolean;
  /** The model answers in a JSON schema when it is given one. */
  schema: boolean;
  /** How the model is asked to call tools; `tagged` is text with tags around the calls, for models without native tools. */
  dialect: "native" | "tagged";
};

/** A workspace's own access to a model. The key is never returned, to anyone. */
export type Provider = {
  id: Id;
  kind: ProviderKind;
  name: string;
  baseUrl: string | null;
  defaultModel: string | null;
  /** The window that its models get at most, in tokens; null leaves it to the service. */
  contextTokens: number | null;
  isDefault: boolean;
  hasKey: boolean;
  /** The end of the key, enough to tell two apart. */
  keyHint: string | null;
  /** What the last good probe found out about the default model; null before it. Adding a provider, and changing its address, key or default model, begins a probe in the background. */
  capabilities: ProviderCapabilities | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** The installation's own access to a model, for all workspaces. The key is never returned, to anyone. */
export type PlatformProvider = Provider & {
  /** Messages may use it. */
  enabled: boolean;
};

/** The AI provider of the settings. It is read-only here. */
export type FixedProvider = {
  kind: ProviderKind;
  baseUrl: string | null;
  defaultModel: string | null;
  hasKey: boolean;
  /** It answers messages that name no provider, because no other is the default. */
  isDefault: boolean;
};

/** A provider of the platform, as the members of workspaces see it. */
export type LentProvider = {
  id: Id;
  kind: ProviderKind;
  name: string;
  defaultModel: string | null;
  /** It answers messages that name no provider, in workspaces without a default of their own. */
  isDefault: boolean;
};

export type ProviderTest = {
  ok: boolean;
  /** How long the provider took to answer. */
  latencyMs: number;
  /** Why it is not ok. */
  error?: ErrorCode;
  /** The same, for people. */
  message?: string;
  /** What makes a provider that is ok worse than it could be, for people. */
  warning?: string;
  /** What the default model can do; null when that could not be found out. */
  capabilities: ProviderCapabilities | null;
};

/** A model that a provider offers. */
export type Model = {
  id: string;
  /** The longest answer; 0 if unknown. */
  answerTokens: number;
  /** What its calls are charged at; null if no price is known. */
  price: ModelPrice | null;
} & Capabilities;

/** USD per million tokens. Without cachedInput or cacheWrite, that is as input. */
export type ModelPrice = {
  input: number;
  output: number;
  /** Of input tokens that the provider reads from its prompt cache. */
  cachedInput?: number;
  /** Of input tokens that the provider stores in its prompt cache. */
  cacheWrite?: number;
};

/** A workspace's use of one model on one day. */
export type UsageRow = {
  /** In UTC. */
  day: string;
  model: string;
  inputTokens: number;
  /** Those of inputTokens that the provider read from its prompt cache. */
  cachedTokens: number;
  outputTokens: number;
  /** USD. */
  cost: number;
};

/** What the agent may do. */
export type AgentTool = "list_files" | "read_file" | "search_files" | "write_file" | "edit_file" | "rename_file" | "delete_file" | "check_build" | "run_command" | "console_logs" | "look" | "act" | "save_check" | "backend_query" | "backend_request" | "backend_logs" | "todo" | "ask_person" | "fetch_page" | "generate_image" | "find_connector_tools" | "call_connector";

/** What the agent is told in all projects of a workspace. */
export type Knowledge = {
  /** At most 16 KiB of UTF-8. */
  text: string;
};

/** How much the model thinks before it answers; null leaves it to the model. Models that cannot choose are asked nothing, and "off" is as little as a model can. */
export type Thinking = "off" | "low" | "medium" | "high" | null;

/** A way of working that a workspace gave the agent. A chat takes it by its name. */
export type Mode = {
  name: string;
  prompt: string;
  tools: AgentTool[];
  /** Who answers; null leaves it to the workspace. */
  model: string | null;
  thinking: Thinking;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** A command of the chat. A message calls it by `/<name>` at its beginning. */
export type Command = {
  name: string;
  description: string;
  /** What the agent is told; null for a built-in command. */
  text: string | null;
  builtIn: boolean;
};

export type Folder = {
  id: Id;
  workspaceId: Id;
  /** Null in the root. */
  parentId: string | null;
  name: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** Who sees a project: `private` its creator and the workspace's admins and owners, `workspace` every member, `public` any signed-in caller, who may read it. */
export type Visibility = "private" | "workspace" | "public";

export type Project = {
  id: Id;
  workspaceId: Id;
  /** Null in the root. */
  folderId: string | null;
  /** Unique within the workspace. */
  slug: string;
  name: string;
  description: string | null;
  /** A template of the service that it began with; null without one. */
  template: string | null;
  visibility: Visibility;
  thumbnailUrl: string | null;
  /** Null while it is not published. */
  publishedAt: string | null;
  /** The primary of the project's active domains. */
  customDomain: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Set while the project is soft-deleted. */
  deletedAt: string | null;
  /** When a soft-deleted project goes for good; null for one that stays. */
  purgeAt: string | null;
  /** The address of the live site; null without one. */
  url: string | null;
  /** The project of which this is a working copy; absent for any other project. */
  copyOf?: string;
};

/** A starting point for a project. */
export type Template = {
  id: string;
  name: string;
  description: string;
};

/** A project that a workspace shares as a starting point. */
export type SharedTemplate = {
  id: Id;
  workspaceId: Id;
  /** The project that the files come from; null once it is removed permanently. */
  projectId: string | null;
  name: string;
  description: string;
  /** Whether the seed of the project comes along. */
  withSeed: boolean;
  /** The size of its files, packed. */
  bytes: number;
  thumbnailUrl: string;
  createdBy: Id;
  /** The name of who shared it, empty for an account that is gone. */
  author: string;
  takenAt: Timestamp;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** A provider with which end users of an application sign in. The secret is never returned. */
export type SignInProvider = {
  name: string;
  clientId: string;
  /** Empty for the provider's own name. */
  displayName: string;
  /** Empty, as the other addresses, for the provider's own. */
  authURL: string;
  tokenURL: string;
  userInfoURL: string;
  pkce: boolean | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** An environment value. The value itself is never returned. */
export type Variable = {
  key: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** One commit of a project's repository. */
export type Version = {
  /** The commit's SHA-1. */
  id: string;
  /** What its author called it. Versions that the agent made are called by the files that changed, never by words of the chat, since readers of a public project see them. */
  message: string;
  author: {
    kind: "user" | "agent";
    name: string;
  };
  createdAt: Timestamp;
  /** The chat in which the agent made it, for members. Clones have only a mark of it. */
  chatId: string | null;
  filesChanged: number;
};

/** A version to go back to when the present state is broken. */
export type WorkingVersion = {
  /** Null if none of those that were tried works. */
  version: Version | null;
  /** How far it is known to work. `opened`: its page was opened and showed no error. `built`: its pages build; the server has no browser. `none`: the project's own tools make its pages, which only work on the present files. */
  proof: "opened" | "built" | "none";
};

/** A version with what people say about it. */
export type ListedVersion = Version & {
  /** What people call it; it may be empty. */
  name: string;
  starred: boolean;
  /** The first line of the message for which the agent made it, of at most 120 characters. Null for other versions, for those that a copy of the project brought along, and for callers who do not see the project's chats. */
  wish: string | null;
  /** The project's site shows it. False for callers who do not see its deployments: readers, and tokens without `publish`. */
  live: boolean;
};

/** A version with what sets it apart from the one before, or from `from`. */
export type VersionDetail = ListedVersion & {
  /** A unified diff as git writes it, without renames, for `git apply`. Files that are no UTF-8 text are only named in it. */
  patch: string;
  /** The changed files, sorted by path. A renamed file is a deleted one and a created one. */
  files: {
    path: string;
    action: "created" | "modified" | "deleted";
    /** Lines; null for a file that is not text, or that the patch leaves out. */
    additions: number | null;
    deletions: number | null;
  }[];
  /** The patch or the list of files is not whole. */
  truncated: boolean;
};

/** The version after a restore. */
export type RestoredVersion = Version & {
  /** Whether test data were brought back; only there if the request asked for it. */
  testData?: boolean;
};

export type FileEntry = {
  /** From the project's root. */
  path: string;
  /** Bytes. */
  size: number;
  updatedAt: Timestamp;
  /** The entity tag of the content, with its quotes. */
  etag: string;
};

export type Patch = {
  /** May be empty with shown only. In a style sheet, that of a rule. Else CSS: tag, #id, .class, [attr], :nth-of-type() and :nth-child(), joined by descendant, >, + and ~; the first element in the source counts. Each element has the attribute data-loc, with the value path:line:column of its "<", both from 1, columns in UTF-16 code units. */
  selector: string;
  /** textContent, an attribute, or a CSS property, which goes to the inline style. Empty with action only. */
  property: string;
  value: string;
  /** "class" writes a CSS property as a class of Tailwind, which replaces those that it overrides and the same declaration in the inline style. Values that name tokens of the theme, such as var(--color-amber-700) or calc(var(--spacing) * 4), become their classes; others become keywords or arbitrary values. An empty value removes the classes. */
  as?: "" | "class";
  /** The state or the widths for which a class counts, such as hover or md:hover. Only with as. */
  variant?: string;
  /** For textContent, the text that the page shows now. If the element's text is computed, or selector is empty, the only literal of the source with this text is set. */
  shown?: string;
  /** Changes the place of the element instead of a value; property and value are empty then. All patches of a call have an action, or none. before and after move the element beside its sibling that target selects; wrap puts it into a new element. Elements from loops and expressions cannot be arranged, which is selector_not_found. */
  action?: "delete" | "duplicate" | "wrap" | "before" | "after";
  /** For before and after, a selector of the sibling. For wrap, one of the last element to wrap. */
  target?: string;
};

/** A directory with all its entries, directories first, then by name. The root has an empty name and path. */
export type FileTree = {
  name: string;
  path: string;
  type: "directory";
  children: (FileTree | FileLeaf)[];
};

/** A file in the tree. */
export type FileLeaf = {
  name: string;
  path: string;
  type: "file";
  /** Bytes. */
  size: number;
  updatedAt: Timestamp;
  etag: string;
};

/** A line that a search found. */
export type Match = {
  path: string;
  line: number;
  /** In bytes. */
  column: number;
  /** The line, cut at 500 characters. */
  text: string;
};

/** Writes a file; missing parents are created. */
export type WriteOperation = {
  op: "write";
  path: string;
  content: string;
  /** Of the content; `utf8` without it. */
  encoding?: "utf8" | "base64" | null;
  /** The etag that the file must have before the first operation, `*` for any. Otherwise this operation is not carried out, and its result is `precondition_failed`; the others are. */
  ifMatch?: string | null;
};

/** Moves a file, or a directory with everything below it. */
export type RenameOperation = {
  op: "rename";
  from: string;
  to: string;
};

/** Removes a file, or a directory with everything below it. */
export type DeleteOperation = {
  op: "delete";
  path: string;
};

export type OperationResult = {
  op: "write" | "rename" | "delete";
  /** Where the file is after it: for a rename, its new path. */
  path: string;
  /** For a rename, the old path. */
  from?: string;
  status: "ok" | "error";
  /** Why it was not carried out. */
  error?: ErrorCode;
  /** The same, for people. */
  message?: string;
};

export type Chat = {
  id: Id;
  projectId: Id;
  title: string;
  /** `build`, `plan` or `chat`, a mode that the workspace defined, or another word, which the agent is told and which leaves it the tools of `build`. */
  mode: string;
  isDefault: boolean;
  /** The agent is at work in this chat, or will be. */
  running: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type Plan = {
  steps: {
    title: string;
    description: string;
    /** As the agent wrote them. */
    files: string[];
    risk: "low" | "medium" | "high";
  }[];
  /** The message that the steps were read from. */
  rawText: string;
};

/** One entry of a chat's log. */
export type ChatEvent = UserMessageEvent | MessageDeltaEvent | ReasoningDeltaEvent | ToolCallEvent | ToolResultEvent | ToolErrorEvent | AssistantMessageEvent | UsageInfoEvent | CompactionStartEvent | CompactionCompleteEvent | FileChangedEvent | VersionCreatedEvent | CheckResultEvent | ApprovalRequestEvent | SessionStepEvent | SessionNoticeEvent | TaskCompleteEvent | SessionErrorEvent;

/** The event's place in the chat's log; it grows by one, without gaps. 0 is an event that is in no log. */
export type Seq = number;

/** Opens a run. */
export type UserMessageEvent = {
  type: "user.message";
  seq: Seq;
  createdAt: Timestamp;
  text: string;
  /** What the message had with it, without the data. */
  attachments: {
    type: "image";
    id: Id;
    mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
    /** In bytes. */
    size: number;
  }[];
  /** The user who sent it. */
  by: string;
  /** The command with which the text begins; absent without one. */
  command?: string;
  /** What the message is about; absent without any. */
  references?: Reference[];
  /** What the model is told in place of the text; absent where it is told the text. */
  prompt?: string;
  /** What the person answered to a request for their yes; absent in other messages. */
  approval?: {
    /** Of the approval.request. */
    id: string;
    allow: boolean;
  };
};

/** A file of the project, or an element that was picked on the page. */
export type Reference = {
  type: "file" | "element";
  path: string;
  /** The element's */
  tag?: string;
  /** Where the element is in the file. */
  line?: number;
  column?: number;
};

/** A piece of the answer's text. */
export type MessageDeltaEvent = {
  type: "assistant.message_delta";
  seq: Seq;
  createdAt: Timestamp;
  delta: string;
};

/** A piece of a thinking model's reasoning. */
export type ReasoningDeltaEvent = {
  type: "assistant.reasoning_delta";
  seq: Seq;
  createdAt: Timestamp;
  delta: string;
  /** Ends a thought, with an empty delta. The provider's proof that it is its model's own, or a mark of the server that it came from. */
  signed?: {
    model: string;
    signature: string;
    /** The signature is the thought itself, encrypted. */
    redacted?: boolean;
  };
};

/** The agent calls a tool. */
export type ToolCallEvent = {
  type: "tool.call";
  seq: Seq;
  createdAt: Timestamp;
  id: string;
  tool: string;
  args: Record<string, unknown>;
};

/** The result of a tool call. */
export type ToolResultEvent = {
  type: "tool.result";
  seq: Seq;
  createdAt: Timestamp;
  id: string;
  result: string;
  /** Pictures of the page that the agent saw or used, in their order; missing if none. Each is read like an image of a message. */
  frames?: EventImage[];
};

/** Why a tool call was denied or failed. */
export type ToolErrorEvent = {
  type: "tool.error";
  seq: Seq;
  createdAt: Timestamp;
  id: string;
  error: string;
  /** Pictures of the page that the agent saw or used, in their order; missing if none. Each is read like an image of a message. */
  frames?: EventImage[];
};

/** The whole text of one answer of the model. */
export type AssistantMessageEvent = {
  type: "assistant.message";
  seq: Seq;
  createdAt: Timestamp;
  text: string;
};

/** What one call of the model used. */
export type UsageInfoEvent = {
  type: "session.usage_info";
  seq: Seq;
  createdAt: Timestamp;
  inputTokens: number;
  /** Those of inputTokens that the provider read from its prompt cache; missing if none. */
  cachedTokens?: number;
  /** Those of inputTokens that the provider stored in its prompt cache; missing if none. */
  cacheWriteTokens?: number;
  outputTokens: number;
  /** Pictures that the call painted; missing if it wrote text. */
  images?: number;
  /** USD. */
  cost: number;
  /** Set for a call that failed before it said or used anything and is made again, and when the service could not read or save for a while (service_failed), after which the run goes on. */
  retry?: {
    cause: "" | "key_refused" | "no_credit" | "rate_limited" | "no_model" | "provider_failed" | "unreachable" | "service_failed";
    at: Timestamp;
  };
};

/** Why a model did not answer; empty where that is not known. */
export type ModelFailure = "" | "key_refused" | "no_credit" | "rate_limited" | "no_model" | "provider_failed" | "unreachable";

/** The conversation so far is about to be summarised. */
export type CompactionStartEvent = {
  type: "session.compaction_start";
  seq: Seq;
  createdAt: Timestamp;
};

/** The conversation so far has been summarised. */
export type CompactionCompleteEvent = {
  type: "session.compaction_complete";
  seq: Seq;
  createdAt: Timestamp;
  tokensBefore: number;
  tokensAfter: number;
};

/** The agent changed a file. */
export type FileChangedEvent = {
  type: "file.changed";
  seq: Seq;
  createdAt: Timestamp;
  path: string;
  action: "created" | "modified" | "deleted" | "renamed";
};

/** The run's changes became a version. */
export type VersionCreatedEvent = {
  type: "version.created";
  seq: Seq;
  createdAt: Timestamp;
  versionId: string;
  filesChanged: number;
};

/** A check of the project was played at the end of the run. */
export type CheckResultEvent = {
  type: "check.result";
  seq: Seq;
  createdAt: Timestamp;
  name: string;
  title: string;
  passed: boolean;
  /** Why it failed. */
  message?: string;
  picture?: EventImage;
};

/** What a run that changed files begins to do after an answer of the model. */
export type SessionStepEvent = {
  type: "session.step";
  seq: Seq;
  createdAt: Timestamp;
  /** build: it finds out whether the project builds. look: it looks at the page and at the types. checks: it plays the project's checks. mend: the model is asked to mend what was found. */
  step: "build" | "look" | "checks" | "mend";
  /** How many faults the model is asked to mend, for mend. */
  faults?: number;
};

/** What a run could not do as usual, or that it did nothing. */
export type SessionNoticeEvent = {
  type: "session.notice";
  seq: Seq;
  createdAt: Timestamp;
  /** nothing_changed: the answer claimed a change, and the run made none. not_checked: the build, the page or the types were not checked at the end. tools_emulated: the model cannot call tools here, and gets them as text, which is slower and less certain. type_errors: type errors are left in files that the run changed. steps_open: steps of the agent's own list are not done. */
  code: "nothing_changed" | "not_checked" | "tools_emulated" | "type_errors" | "steps_open";
  /** The notice for people. */
  text: string;
};

/** A call of a connector's tool waits for a person's yes, and the run ends. */
export type ApprovalRequestEvent = {
  type: "approval.request";
  seq: Seq;
  createdAt: Timestamp;
  /** Of the tool.call. */
  id: string;
  connector: string;
  tool: string;
  /** What the tool would get. */
  args: Record<string, unknown>;
  /** `consent`: an admin wants a yes for each call. `outside_text`: the chat has text of another program or page, which may have asked for the call. */
  reason: "consent" | "outside_text";
};

/** A picture that the agent left in its chat. It is read like an image of a message. */
export type EventImage = {
  type: "image";
  id: Id;
  mediaType: "image/png";
  /** In bytes. */
  size: number;
};

/** The last event of a good run. */
export type TaskCompleteEvent = {
  type: "session.task_complete";
  seq: Seq;
  createdAt: Timestamp;
  /** asked means that the agent waits for an answer, which is the chat's next message. */
  reason: "done" | "stopped" | "limit" | "asked";
  /** How many files the run changed; left out in logs of earlier versions. */
  changed?: number;
  /** What the agent asks; with the reason asked only. */
  question?: Question;
  /** The id of the approval.request that waits; with the reason asked only. */
  approval?: string;
  /** The mode in which the answer is worked on, after a question or request in another mode than the chat's only. */
  mode?: string;
};

/** A question of the agent. One of the choices is an answer, and so is any other text. */
export type Question = {
  text: string;
  choices: string[];
};

/** The last event of a failed run. */
export type SessionErrorEvent = {
  type: "session.error";
  seq: Seq;
  createdAt: Timestamp;
  error: "no_provider" | "credit_exhausted" | "model_unavailable" | "interrupted" | "internal";
  message: string;
  cause?: ModelFailure;
  /** From when on the provider said that trying again may help, if it said so. */
  retryAt?: Timestamp;
};

/** The state of a preview. With `error` the last good build, if there is one, is still served. */
export type PreviewState = "starting" | "ready" | "error";

/** What makes the pages. */
export type PreviewRuntime = "go" | "node" | "static";

export type Preview = {
  /** The preview's own host. Anyone who has the address can view it. */
  url: string;
  status: PreviewState;
  runtime: PreviewRuntime;
  /** Why the runtime is not the one of most projects. */
  runtimeReason?: string;
  /** What is done before a development server answers, such as the installation of packages. */
  progress?: string;
  diagnostics: Diagnostic[];
  /** What is wrong with pages that work all the same. Absent if there is nothing. */
  warnings?: Diagnostic[];
};

/** Something that happened in a preview. */
export type PreviewEvent = PreviewStatusEvent | BuildOKEvent | BuildErrorEvent | ConsoleEvent;

/** The current state of the preview. Every stream begins with it. */
export type PreviewStatusEvent = {
  type: "preview.status";
  url: string;
  status: PreviewState;
  runtime: PreviewRuntime;
  progress?: string;
  diagnostics: Diagnostic[];
  /** What is wrong with pages that work all the same. Absent if there is nothing. */
  warnings?: Diagnostic[];
};

/** The files build. */
export type BuildOKEvent = {
  type: "build.ok";
  /** Names the build by its content: equal names, equal pages. */
  build: string;
};

/** The build failed. */
export type BuildErrorEvent = {
  type: "build.error";
  /** The build that is still served; absent before the first good one. */
  build?: string;
  diagnostics: Diagnostic[];
};

/** What a page wrote to its console, or an error that it did not catch. */
export type ConsoleEvent = {
  type: "console";
  level: "error" | "warn" | "info" | "log" | "debug";
  message: string;
  /** The script, as the browser names it; may be empty. */
  source: string;
  line: number;
  column: number;
  createdAt: Timestamp;
};

/** The state of a project's backend. */
export type Backend = {
  /** Whether the project has the file `backend/schema.json`. */
  enabled: boolean;
  /** The schema in force of the test data. */
  collections: BackendCollection[];
  /** What is wrong with the schema file. The last good schema stays in force. */
  diagnostics: Diagnostic[];
  environments: {
    test: BackendEnvironment | null;
    live: BackendEnvironment | null;
  };
};

export type BackendCollection = {
  name: string;
  type: "base" | "auth" | "view";
  fields: BackendField[];
  rules: BackendRules;
};

export type BackendField = {
  name: string;
  /** The type in PocketBase's words. */
  type: string;
  required: boolean;
  /** The collection to which a relation refers. */
  collection?: string;
  /** The choices of a `select`. */
  values?: string[];
  /** Whether the field holds a list. */
  multiple: boolean;
};

/** Filters in PocketBase's syntax. Null allows nobody but the project's members, an empty text everybody. */
export type BackendRules = {
  list: string | null;
  view: string | null;
  create: string | null;
  update: string | null;
  delete: string | null;
};

/** What an environment holds. */
export type BackendEnvironment = {
  /** The records of all collections, users included. */
  records: number;
  /** The size of the database. */
  bytes: number;
  /** The size of the records' files. */
  fileBytes: number;
  /** The records of auth collections. */
  users: number;
  /** The records of each collection that is no view. */
  counts: Record<string, number>;
  /** A change of the schema that waits for a person's yes. Only test data has one. */
  pending: SchemaPlan | null;
};

/** A way in which a stranger reaches records that are not theirs. */
export type Finding = {
  /** The same for as long as the collection, the action, its rule and the fields are. */
  id: string;
  collection: string;
  /** A `guest` is not signed in; a `stranger` is a second signed-up user. */
  as: "guest" | "stranger";
  action: "list" | "view" | "expand" | "filter" | "subscribe" | "file" | "create" | "change" | "delete" | "verify";
  /** How many records were reached, among them those of the attack where there are no others. */
  records: number;
  fields: string[];
  /** A publish is refused for each that is `high` until a person accepts it. */
  severity: "high" | "medium" | "info";
  /** What was reached. */
  text: string;
  /** What to write into the schema file instead. */
  suggestion: string;
};

/** A check and what became of it when it was last played. */
export type Check = {
  /** The name of its file without `.json`, or with it if that cannot be a check's. */
  name: string;
  /** Empty if the file is wrong. */
  title: string;
  /** Its file. */
  path: string;
  lastResult: "passed" | "failed" | "never";
  /** When it was last played. */
  at: string | null;
  /** The step that failed, from 1. */
  step?: number;
  /** Why it failed. */
  message?: string;
  /** The page where it last failed. */
  picture?: string;
  problem?: Diagnostic;
};

/** What became of a check. */
export type CheckResult = {
  name: string;
  title: string;
  passed: boolean;
  /** The step that failed, from 1. It is absent if none was reached. */
  step?: number;
  /** Why it failed. */
  message?: string;
  /** The page where it failed. */
  picture?: string;
  ms: number;
};

/** Work on a copy of a project, which is merged into the project when it is done. */
export type Task = {
  id: Id;
  projectId: Id;
  title: string;
  /** `working`: the agent works in the copy; `ready`: it has finished; `failed`: its last run failed; `conflict`: the last merge met conflicts; `checks_failed`: checks that fail with the task's changes held it back. */
  status: "working" | "ready" | "failed" | "conflict" | "checks_failed" | "merging" | "merged";
  /** The working copy: a project that is opened like any other, but is in no list, and is published, moved and deleted only with its project. Null once it is removed. */
  copyId: string | null;
  /** A chat of the copy, and of the project after the merge. */
  chatId: string;
  /** What the agent does or said last, in one line. */
  progress: string;
  /** The files at which the last merge stopped. */
  conflicts: MergeConflict[];
  /** Why the last merge failed for another reason. */
  problem?: string;
  /** The version that the merge made, null if there was nothing to merge. */
  versionId: string | null;
  checks: TaskChecks;
  /** The files in which the copy differs from the project as it was. Lists do not have them. */
  files?: {
    path: string;
    change: "added" | "modified" | "deleted";
  }[];
  createdBy: Id;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

/** A file that both sides of a merge changed differently. */
export type MergeConflict = {
  path: string;
  /** What happened on both sides. */
  message: string;
};

/** What became of the project's checks in the last merge. */
export type TaskChecks = {
  /** Empty before the merge, and for a project without checks; `unavailable` without a browser. */
  state: "" | "pending" | "passed" | "failed" | "unavailable";
  /** The merge was asked for whatever the checks say. */
  ignored?: boolean;
  /** The checks that had passed before the merge. */
  passed?: string[];
  failed?: {
    name: string;
    title: string;
    message: string;
    /** Whether the check had passed before the merge. */
    passedBefore: boolean;
  }[];
};

/** A check that failed before a publish or a merge. */
export type CheckFailure = {
  name: string;
  title: string;
  /** The step that failed, from 1. It is absent if none was reached. */
  step?: number;
  message: string;
};

/** What changes from one schema to another. */
export type SchemaPlan = {
  /** Confirms this plan and no other. */
  id: string;
  steps: SchemaStep[];
};

export type SchemaStep = {
  kind: "add" | "change" | "drop";
  collection: string;
  /** If absent, the step is about the whole collection. */
  field?: string;
  /** How many records lose a value, or would no longer be valid. */
  records: number;
  /** Whether a person has to confirm it. */
  loses: boolean;
  /** The step, for people. */
  text: string;
};

/** A record in PocketBase's form, with all fields but passwords. `id`, `collectionId` and `collectionName` are always there. */
export type DataRecord = {
  id: string;
  collectionId: string;
  collectionName: string;
} & Record<string, unknown>;

/** A function of an environment. */
export type BackendFunction = {
  name: string;
  /** Its address on the hosts of pages, `/_fn/<name>`. */
  path: string;
  /** When it runs by the clock on the published site: five fields, in UTC, such as `0 8 * * *`. Null if it does not. */
  schedule: string | null;
  /** The next time, null without a schedule and for `test`. */
  nextAt: Timestamp | null;
};

/** What came of trying a function. */
export type FunctionTrial = {
  /** 500 when the function failed. */
  status: number;
  contentType: string;
  /** The answer as text, 256 KiB of it at most; empty for what is no text. */
  body: string;
  /** The size of the whole answer. */
  bytes: number;
  ms: number;
  /** The exception with its stack, empty when there was an answer. */
  error: string;
  console: {
    level: string;
    text: string;
  }[];
};

/** A mail that a user of the test data was sent. */
export type TestMail = {
  id: Id;
  to: string;
  subject: string;
  /** At most 64 KiB of it. */
  text: string;
  createdAt: Timestamp;
};

/** A request for the data of a backend, or a run of one of its functions. */
export type BackendCall = {
  id: Id;
  kind: "request" | "function";
  /** When it came. A stream of realtime changes is logged when it ends. */
  time: Timestamp;
  method: string;
  /** At most 300 bytes. `…` stands for what is left out, such as filters, and parts that look like a token or an e-mail address. */
  path: string;
  /** The status of the answer; 499 if the client went away before. */
  status: number;
  /** How many milliseconds it took. */
  ms: number;
  /** The record of the end user, as `collection/id`; empty for a guest. */
  user: string;
  /** Why it failed: for a function the exception with its stack, at most 4 KiB; empty for a success. */
  error: string;
  /** What the function wrote to its console, at most the last 50 lines and 8 KiB. */
  console: {
    /** Such as `info`, `warn` or `error`. */
    level: string;
    text: string;
  }[];
  /** How many calls of its kind before it were not kept, because too many came at once. */
  omitted: number;
};

/** A snapshot of the data of a backend. */
export type DataSnapshot = {
  id: Id;
  createdAt: Timestamp;
  /** The user who made it, published or restored; null for one that the service made by itself. */
  by: Id | null;
  /** The last three are made by the service. `scheduled` is the daily one of live data, and that of test data before their schema changed. */
  reason: "manual" | "publish" | "restore" | "scheduled";
  /** The size of the records and files. */
  bytes: number;
};

/** A project's claim of a name. */
export type Domain = {
  id: Id;
  projectId: Id;
  /** In lower case, and as DNS writes international names. */
  domain: string;
  /** `pending_dns`: the name does not point here. `pending_verification`: its TXT record is missing. `active`: the site is served there. `error`: it is not, until somebody does what `message` says. */
  status: "pending_dns" | "pending_verification" | "active" | "error";
  /** Whether the site is served here. Other active domains redirect here (308). The first domain that becomes active is primary, until another is chosen or it is no longer active. */
  primary: boolean;
  /** The name of the TXT record that proves who owns the domain. */
  txtName: string;
  /** Its value; each claim has its own. */
  txtValue: string;
  /** Where the name must point, by a CNAME record or to the same addresses. */
  target: string;
  /** What to do next, or what went wrong; empty while all is well. */
  message: string;
  createdAt: Timestamp;
  /** When the name was last looked at. */
  checkedAt: string | null;
  /** When the claim last became active. */
  verifiedAt: string | null;
  /** What DNS said when the name was last looked at. */
  checks: {
    pointing: DomainCheck;
    proof: DomainCheck;
    /** The addresses that the name points to. */
    leadsTo: string[];
    /** Those that it may point to. */
    addresses: string[];
  } | null;
};

/** What was found of a record; `unknown` when no name server answered. */
export type DomainCheck = "present" | "missing" | "unknown";

export type SiteSettings = {
  /** Empty texts leave what the pages say themselves. */
  title: string;
  description: string;
  /** The picture that is shown with links to the site: an address, or a path of the site. */
  image: string;
  /** An address, or a path of the site. */
  favicon: string;
  /** A language tag. */
  language: string;
  robots: "index" | "noindex";
  access: "public" | "password" | "workspace";
  /** The path of the page at unknown addresses. */
  notFound: string;
  updatedAt: Timestamp;
  hasPassword: boolean;
};

/** The connection of a project with a branch on another host. */
export type ProjectRemote = {
  url: string;
  /** Empty until the default branch is known. */
  branch: string;
  username: string;
  /** The token is never given back. */
  hasToken: boolean;
  /** `waiting` is tried again by itself. `conflict` needs somebody who settles it; `denied` another token; `no_branch` a branch that is there; `unsuitable` a change in the repository, which holds what no project can; `rejected` the right to push; `owner_gone` somebody else who connects the project; `failed` another address. */
  state: "new" | "synced" | "waiting" | "conflict" | "denied" | "no_branch" | "unsuitable" | "rejected" | "owner_gone" | "failed";
  /** What is wrong. */
  problem: string | null;
  conflicts: MergeConflict[];
  /** The task in which the agent settles the conflicts. */
  taskId: Id | null;
  syncedAt: Timestamp | null;
  nextAt: Timestamp;
  createdBy: Id;
  createdAt: Timestamp;
  /** Only in the answer that connects. */
  hook?: {
    url: string;
    secret: string;
  };
};

export type RemoteConflict = {
  path: string;
  message: string;
  /** It changes with the contents of the file. */
  id: string;
  /** The project's text, null for none. */
  ours: string | null;
  /** The repository's text, null for none. */
  theirs: string | null;
  /** Both, with markers around the conflicting places. */
  merged: string | null;
};

export type CommentText = string;

/** An element of a page, described so that it is found again after changes. */
export type PageElement = {
  /** Its name in lower case, such as `h1`. */
  tag: string;
  /** The file of the project that the element comes from. It needs `line` and `column`. */
  path?: string;
  line?: number;
  column?: number;
  /** A CSS selector that matches the element in the page as it was. */
  selector: string;
  /** The beginning of its text. */
  text?: string;
};

export type CommentReply = {
  id: Id;
  text: CommentText;
  /** The author. It may be somebody who has left. */
  by: string;
  createdAt: Timestamp;
  editedAt: Timestamp | null;
};

/** A comment with its replies. */
export type CommentThread = {
  id: Id;
  text: CommentText;
  /** The author. It may be somebody who has left. */
  by: string;
  createdAt: Timestamp;
  editedAt: Timestamp | null;
  /** The path of the page. */
  page: string;
  /** How wide the page was, in CSS pixels. */
  width: number;
  /** The element with the pin, or null for the page as a whole. */
  element: PageElement | null;
  /** Null while the thread is open. */
  resolvedAt: Timestamp | null;
  resolvedBy: Id | null;
  /** The oldest first. */
  replies: CommentReply[];
};

/** An address that shows a project's pages. */
export type PreviewLink = {
  id: Id;
  kind: "share" | "version" | "deployment";
  name: string;
  url: string;
  /** The user who made it. */
  by: string;
  createdAt: Timestamp;
  expiresAt: Timestamp;
};

/** A published build, kept so that it can be served again. */
export type Deployment = {
  id: Id;
  url: string;
  slug: string;
  status: "live" | "superseded" | "rolled_back";
  createdAt: Timestamp;
  /** The user who published it. */
  by: string;
  /** The size of all its files. */
  bytes: number;
  /** The version that was built. */
  versionId: string;
  /** The first line of the message for which the agent made the version, else of the version's own. */
  title: string;
};

export type Health = {
  status: "ok";
};

/** Options configure a client. */
export interface Options {
  /** url is the address of the installation, such as https://atelier.example.com. */
  url: string;
  /** token is an access token or an API token, or returns the present one. Pages of the service need none. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** fetch replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** CallOptions are those of one call. Q has the parameters of the query. */
export interface CallOptions<Q = Record<never, never>> {
  query?: Q;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** StreamEvent is an event of a stream. id continues the stream after it, null if the event has none. */
export interface StreamEvent<T> {
  id: string | null;
  data: T;
}

/** AtelierError is an error that the service answered. */
export class AtelierError extends Error {
  constructor(
    readonly status: number,
    /** code is one of the codes of the description, or '' if something in between answered. */
    readonly code: ErrorCode | '',
    message: string,
    /** body has the other members of the answer. */
    readonly body: { [member: string]: unknown },
    /** retryAfter is the number of seconds to wait before another try, 0 without one. */
    readonly retryAfter: number,
  ) {
    super(message);
    this.name = 'AtelierError';
  }
}

class Caller {
  constructor(private readonly options: Options) {}

  /** send makes a call, and throws an AtelierError for an error. */
  async send(method: string, path: string, options: CallOptions<object> = {}, body?: unknown, kind?: string): Promise<Response> {
    const { token, fetch = globalThis.fetch } = this.options;
    const bearer = typeof token === 'function' ? await token() : token;
    const headers: { [name: string]: string } = { Accept: 'application/json' };
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    if (kind) headers['Content-Type'] = kind;
    const answer = await fetch(this.options.url.replace(/\/+$/, '') + path + queryOf(options.query), {
      method,
      headers: { ...headers, ...options.headers },
      body: kind === 'application/json' ? JSON.stringify(body) : (body as BodyInit | undefined),
      signal: options.signal,
    });
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }

  /** json makes a call whose answer is JSON, or empty. */
  async json<T>(method: string, path: string, options?: CallOptions<object>, body?: unknown, kind?: string): Promise<T> {
    const text = await (await this.send(method, path, options, body, kind)).text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** events makes a call whose answer is a stream, until the service or the caller ends it. */
  async *events<T>(method: string, path: string, options: CallOptions<object> = {}, body?: unknown, kind?: string): AsyncGenerator<StreamEvent<T>, void> {
    const headers = { Accept: 'text/event-stream', ...options.headers };
    const answer = await this.send(method, path, { ...options, headers }, body, kind);
    if (!answer.body) return;
    const reader = answer.body.getReader();
    try {
      const decoder = new TextDecoder();
      for (let rest = ''; ; ) {
        const { done, value } = await reader.read();
        rest += value ? decoder.decode(value, { stream: true }) : '';
        const frames = rest.split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const event = eventOf<T>(frame);
          if (event) yield event;
        }
        if (done) return;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }
}

function queryOf(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

async function errorOf(answer: Response): Promise<AtelierError> {
  const body = await answer.json().catch(() => ({}));
  const { error, message, ...others } = body !== null && typeof body === 'object' ? body : ({} as Partial<ErrorBody>);
  return new AtelierError(answer.status, error ?? '', message ?? answer.statusText, others, Number(answer.headers.get('Retry-After') ?? 0));
}

function eventOf<T>(frame: string): StreamEvent<T> | null {
  let id: string | null = null;
  let data = '';
  for (const line of frame.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    if (line.startsWith('data: ')) data += line.slice(6);
  }
  return data === '' ? null : { id, data: JSON.parse(data) as T };
}

function segments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

type Asked<O extends CallOptions<unknown>> = O & { query: NonNullable<O['query']> };

/** Atelier has a method for each operation of the API. Methods throw AtelierError. */
export class Atelier {
  readonly #caller: Caller;

  constructor(options: Options) {
    this.#caller = new Caller(options);
  }

  /**
   * Create an account with its personal workspace, and sign in.
   * POST /auth/signup
   *
   * The e-mail is trimmed and compared without regard to case. Whom the installation does not admit gets 403
   * `signup_closed`, whether the address has an account or not. The first account is always admitted, and so is
   * who has the secret of an invitation to the address. While `domains` or `closed` is the policy, and while an address
   * must be verified, people whose own address is not verified, and under `domains` people from elsewhere who are no
   * admins of the installation, invite nobody whom the policy keeps out.
   */
  signUp(body: {
    email: string;
    password: string;
    displayName?: string | null;
    /** The secret of an invitation, to a workspace or to the installation. */
    invite?: string;
  }, options?: CallOptions): Promise<Session & {
    workspace: Workspace;
  }> {
    return this.#caller.json('POST', `/auth/signup`, options, body, 'application/json');
  }

  /**
   * Sign in with e-mail and password.
   * POST /auth/login
   *
   * An unknown e-mail takes as long as a wrong password.
   */
  signIn(body: {
    email: string;
    password: string;
  }, options?: CallOptions): Promise<Session> {
    return this.#caller.json('POST', `/auth/login`, options, body, 'application/json');
  }

  /**
   * Finish a sign-in with a second factor.
   * POST /auth/mfa
   *
   * `mfaToken` is that of the 401 `mfa_required`. It works once, for 5 minutes, until five codes were wrong or the password changes. Each code works once, as well as each recovery code. Wrong codes are counted for the account, too.
   */
  finishSignIn(body: {
    mfaToken: string;
    /** Six digits from the app, or a recovery code. */
    code?: string;
    /** In place of `code`: the answer to `POST /auth/passkeys/login/begin` with the same `mfaToken`. */
    credential?: Credential;
  }, options?: CallOptions): Promise<Session> {
    return this.#caller.json('POST', `/auth/mfa`, options, body, 'application/json');
  }

  /**
   * One's second factor.
   * GET /auth/mfa
   */
  getMFA(options?: CallOptions): Promise<{
    hasPassword: boolean;
    /** Whether signing in takes a code of an app. */
    totp: boolean;
    /** How many passkeys sign in. */
    passkeys: number;
    recoveryCodesLeft: number;
  }> {
    return this.#caller.json('GET', `/auth/mfa`, options);
  }

  /**
   * Set up an authenticator app.
   * POST /auth/mfa/totp
   *
   * Nothing changes until `POST /auth/mfa/totp/confirm` within 15 minutes. While an app is set up, `code` must be one of it, or a recovery code. An account without a verified address is 409. People without a password send `""` within 10 minutes of signing in; later it is 403 `sign_in_again`.
   */
  beginTOTP(body: {
    password: string;
    code?: string;
  }, options?: CallOptions): Promise<{
    /** To type in: base32. */
    secret: string;
    /** For a QR code: an `otpauth` address (TOTP with SHA-1, 6 digits, 30 seconds). */
    uri: string;
  }> {
    return this.#caller.json('POST', `/auth/mfa/totp`, options, body, 'application/json');
  }

  /**
   * Remove the authenticator app.
   * DELETE /auth/mfa/totp
   *
   * Without passkeys that turns the second factor off. The body has either the password or a code, or neither within 10 minutes of signing in, of somebody without a password; later it is 403 `sign_in_again`. Without an app it is 409, and if the service requires a second factor and nothing else is left.
   */
  deleteTOTP(body: {
    password?: string;
    /** Six digits from the app, or a recovery code. */
    code?: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/mfa/totp`, options, body, 'application/json');
  }

  /**
   * Turn the second factor on.
   * POST /auth/mfa/totp/confirm
   *
   * Signing in then takes a code, whichever way. The sessions go on, API tokens need no code, and the person gets a mail. A setup that took too long or was not begun is 409.
   */
  confirmTOTP(body: {
    /** Six digits from the app. */
    code: string;
  }, options?: CallOptions): Promise<{
    recoveryCodes: string[];
  }> {
    return this.#caller.json('POST', `/auth/mfa/totp/confirm`, options, body, 'application/json');
  }

  /**
   * Get new recovery codes.
   * POST /auth/mfa/recovery-codes
   *
   * They replace all earlier ones. The body has either the password or a code, or neither within 10 minutes of signing in, of somebody without a password; later it is 403 `sign_in_again`. Without a second factor it is 409.
   */
  renewRecoveryCodes(body: {
    password?: string;
    /** Six digits from the app, or a recovery code. */
    code?: string;
  }, options?: CallOptions): Promise<{
    recoveryCodes: string[];
  }> {
    return this.#caller.json('POST', `/auth/mfa/recovery-codes`, options, body, 'application/json');
  }

  /**
   * One's passkeys.
   * GET /auth/passkeys
   */
  listPasskeys(options?: CallOptions): Promise<{
    items: Passkey[];
  }> {
    return this.#caller.json('GET', `/auth/passkeys`, options);
  }

  /**
   * Delete a passkey.
   * DELETE /auth/passkeys/{id}
   *
   * The body has either the password or a code, or neither within 10 minutes of signing in, of somebody without a password; later it is 403 `sign_in_again`. The last passkey of somebody without an app turns the second factor off, which is 409 if the service requires one.
   */
  deletePasskey(id: Id, body: {
    password?: string;
    /** Six digits from the app, or a recovery code. */
    code?: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/passkeys/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Ask a browser for a passkey.
   * POST /auth/passkeys/register/begin
   *
   * While a second factor is on, the body also has a code of it, or the answer of a passkey to `POST /auth/passkeys/login/begin` without a token. An account without a verified address is 409, as is one with 20 passkeys, and a service whose address is an IP address. People without a password send `""` within 10 minutes of signing in; later it is 403 `sign_in_again`.
   */
  beginPasskey(body: {
    password: string;
    /** Six digits from the app, or a recovery code. */
    code?: string;
    credential?: Credential;
  }, options?: CallOptions): Promise<PasskeyOptions> {
    return this.#caller.json('POST', `/auth/passkeys/register/begin`, options, body, 'application/json');
  }

  /**
   * Add a passkey.
   * POST /auth/passkeys/register/finish
   *
   * The session is that of the begin, at most 5 minutes ago. Signing in with the password then takes a second step, and the person gets a mail.
   */
  finishPasskey(body: {
    name: string;
    credential: Credential;
  }, options?: CallOptions): Promise<{
    passkey: Passkey;
    recoveryCodes: string[];
  }> {
    return this.#caller.json('POST', `/auth/passkeys/register/finish`, options, body, 'application/json');
  }

  /**
   * Ask a browser for the use of a passkey.
   * POST /auth/passkeys/login/begin
   *
   * Without `mfaToken` it is any passkey that the browser finds, for `POST /auth/passkeys/login/finish`. With that of a 401 `mfa_required` it is one of the person's, for `POST /auth/mfa`; a person without passkeys is 409.
   */
  beginPasskeySignIn(body: {
    mfaToken?: string;
  }, options?: CallOptions): Promise<PasskeyOptions> {
    return this.#caller.json('POST', `/auth/passkeys/login/begin`, options, body, 'application/json');
  }

  /**
   * Sign in with a passkey.
   * POST /auth/passkeys/login/finish
   *
   * A challenge works once, for 5 minutes. The device has checked who uses it, so no second step follows.
   */
  finishPasskeySignIn(body: {
    credential: Credential;
  }, options?: CallOptions): Promise<Session> {
    return this.#caller.json('POST', `/auth/passkeys/login/finish`, options, body, 'application/json');
  }

  /**
   * Get a fresh access token.
   * POST /auth/refresh
   *
   * The refresh token is read from the body if there is one, else from its cookie. It is replaced: the next one is in its cookie, and also in the body if this one came in the body. A used token keeps working for 30 seconds; a later use means that somebody has a copy, so its session ends. Each repeated use is in the person's log.
   */
  refresh(body: {
    refreshToken?: string;
  } | undefined, options?: CallOptions): Promise<{
    accessToken: string;
    /** The next one, where the token came in the body. */
    refreshToken?: string;
  }> {
    return this.#caller.json('POST', `/auth/refresh`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * End the session.
   * POST /auth/logout
   *
   * It ends the session of the access token and of the refresh cookie that come with it, and works without a session, too.
   */
  signOut(options?: CallOptions): Promise<{
    /** The address to open next. */
    signOutUrl: string;
  } | void> {
    return this.#caller.json('POST', `/auth/logout`, options);
  }

  /**
   * End every session.
   * POST /auth/logout-all
   *
   * All existing tokens are refused, in every process within 5 seconds.
   */
  signOutEverywhere(options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/auth/logout-all`, options);
  }

  /**
   * The providers with which the caller signs in.
   * GET /auth/identities
   */
  listIdentities(options?: CallOptions): Promise<{
    items: {
      /** oidc:<slug> for a company. */
      provider: string;
      createdAt: string;
    }[];
  }> {
    return this.#caller.json('GET', `/auth/identities`, options);
  }

  /**
   * Stop signing in with a provider.
   * DELETE /auth/identities/{provider}
   *
   * The only way into an account cannot be removed. A later sign-in at the provider links the account again, if the provider has verified the same address.
   */
  unlinkIdentity(provider: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/identities/${encodeURIComponent(provider)}`, options);
  }

  /**
   * Prove the address with the token from the mail.
   * POST /auth/verify-email
   *
   * The token verifies the account's address, or gives the account the address that `POST /auth/change-email` asked for; it lives one day and works once, only in a session of the account that it was made for. Verifying keeps everything that the account has. A session other than the one that created the account must also say `created`: who did not create it chooses a new password by mail instead, which undoes what others did with it. A new address ends every session.
   */
  verifyEmail(body: {
    token: string;
    /** The caller says that they created the account. */
    created?: boolean;
  }, options?: CallOptions): Promise<{
    user: User;
    /** The address is new and every session has ended. */
    signedOut: boolean;
  }> {
    return this.#caller.json('POST', `/auth/verify-email`, options, body, 'application/json');
  }

  /**
   * Ask for a mail that verifies the address.
   * POST /auth/verify-email/send
   */
  sendVerification(options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/auth/verify-email/send`, options);
  }

  /**
   * Ask for another address.
   * POST /auth/change-email
   *
   * The new address gets a link to confirm it, the old one a notice. The account keeps the old one until then. While the policy of sign-up is `domains`, the new address must be at one of them, or have an invitation: otherwise 403 `signup_closed`, now and when the link is used. People without a password send `""` within 10 minutes of signing in; later it is 403 `sign_in_again`.
   */
  changeEmail(body: {
    email: string;
    password: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/auth/change-email`, options, body, 'application/json');
  }

  /**
   * Ask for a mail with which to set a new password.
   * POST /auth/forgot-password
   */
  forgotPassword(body: {
    email: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/auth/forgot-password`, options, body, 'application/json');
  }

  /**
   * Set a new password with the token from the mail.
   * POST /auth/reset-password
   *
   * The token lives one hour and works once.
   */
  resetPassword(body: {
    token: string;
    password: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/auth/reset-password`, options, body, 'application/json');
  }

  /**
   * Sign in with GitHub.
   * GET /auth/github
   *
   * A page for browsers, not for programs.
   */
  signInWithGitHub(options?: CallOptions<{
    /** Where the browser goes in the end, a path of this service; `/dashboard` if absent. */
    next?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/github`, options);
  }

  /**
   * Where GitHub sends the browser back to.
   * GET /auth/github/callback
   *
   * The person is found by the account at the provider, else by an address that both sides have verified, else an account is made.
   */
  finishSignInWithGitHub(options?: CallOptions<{
    /** What the provider gives to a browser that it has signed in. */
    code?: string;
    /** What the browser took to the provider. */
    state?: string;
    /** Why the provider refused, instead of `code`. */
    error?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/github/callback`, options);
  }

  /**
   * Sign in with Google.
   * GET /auth/google
   *
   * A page for browsers, not for programs.
   */
  signInWithGoogle(options?: CallOptions<{
    /** Where the browser goes in the end, a path of this service; `/dashboard` if absent. */
    next?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/google`, options);
  }

  /**
   * Where Google sends the browser back to.
   * GET /auth/google/callback
   *
   * The person is found by the account at the provider, else by an address that both sides have verified, else an account is made.
   */
  finishSignInWithGoogle(options?: CallOptions<{
    /** What the provider gives to a browser that it has signed in. */
    code?: string;
    /** What the browser took to the provider. */
    state?: string;
    /** Why the provider refused, instead of `code`. */
    error?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/google/callback`, options);
  }

  /**
   * Sign in with one's company.
   * GET /auth/oidc/{slug}
   *
   * A page for browsers, not for programs.
   */
  signInWithCompany(slug: string, options?: CallOptions<{
    /** Where the browser goes in the end, a path of this service; `/dashboard` if absent. */
    next?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/oidc/${encodeURIComponent(slug)}`, options);
  }

  /**
   * Where the provider sends the browser back to.
   * GET /auth/oidc/{slug}/callback
   *
   * What a provider is believed is at `POST /admin/identity-providers`. A second factor is asked for as with a password.
   */
  finishSignInWithCompany(slug: string, options?: CallOptions<{
    /** What the provider gives to a browser that it has signed in. */
    code?: string;
    /** What the browser took to the provider. */
    state?: string;
    /** Why the provider refused, instead of `code`. */
    error?: string;
    /** The issuer (RFC 9207). */
    iss?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/oidc/${encodeURIComponent(slug)}/callback`, options);
  }

  /**
   * Who is signed in.
   * GET /auth/me
   */
  getMe(options?: CallOptions): Promise<{
    user: User;
    workspace: Workspace;
    features: Features;
    instance: {
      /** The caller is an admin of the installation. */
      admin: boolean;
      /** A notice to everybody, empty if there is none. */
      announcement: string;
    };
  }> {
    return this.#caller.json('GET', `/auth/me`, options);
  }

  /**
   * Change the name, the password or the language of mails.
   * PATCH /auth/me
   *
   * A new password requires the current one and revokes all existing refresh tokens.
   */
  updateMe(body: {
    /** Null removes it. */
    displayName?: string | null;
    currentPassword?: string;
    password?: string;
    /** The language of mails to this account, as a tag such as de. At sign-up it is taken from Accept-Language. */
    language?: string;
  }, options?: CallOptions): Promise<{
    user: User;
  }> {
    return this.#caller.json('PATCH', `/auth/me`, options, body, 'application/json');
  }

  /**
   * Delete the account.
   * DELETE /auth/me
   *
   * It goes with all sessions, API tokens and ways to sign in, and with the workspaces that nobody else belongs to: their sites are offline at once, their files are removed soon after. What the person made in workspaces of others stays there, and so do the entries of their logs, for 400 days. While others belong to a workspace of which the caller is the last owner, or to the caller's personal one, it is 409 and names them; so it is for the last admin of the installation. People without a password send `""` within 10 minutes of signing in; later it is 403 `sign_in_again`. A mail confirms it.
   */
  deleteMe(body: {
    password: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/me`, options, body, 'application/json');
  }

  /**
   * What the account holds of its person.
   * GET /auth/me/export
   *
   * One JSON document to keep, without secrets and without anything of other people: the account, its sessions, ways to sign in, API tokens, connected programs, AI subscriptions and workspaces, the person's log, and their messages and comments in all projects that they see. It is written as it is read; after a failure it is not complete JSON. Projects have exports of their own.
   */
  exportMe(options?: CallOptions): Promise<AccountExport> {
    return this.#caller.json('GET', `/auth/me/export`, options);
  }

  /**
   * The security log of the account.
   * GET /auth/me/audit
   *
   * Sign-ins, sessions, passwords, tokens and subscriptions of the caller. Entries are kept for 400 days. What happens in a workspace is in the workspace's log.
   */
  listOwnAudit(options?: CallOptions<{
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: AuditEntry[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/auth/me/audit`, options);
  }

  /**
   * Where one is signed in.
   * GET /auth/sessions
   */
  listSessions(options?: CallOptions): Promise<{
    items: OpenSession[];
  }> {
    return this.#caller.json('GET', `/auth/sessions`, options);
  }

  /**
   * End a session.
   * DELETE /auth/sessions/{id}
   *
   * Its tokens are refused within 5 seconds, its streams and sockets close within 10.
   */
  deleteSession(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/sessions/${encodeURIComponent(id)}`, options);
  }

  /**
   * API tokens.
   * GET /auth/api-tokens
   */
  listAPITokens(options?: CallOptions): Promise<{
    items: APIToken[];
  }> {
    return this.#caller.json('GET', `/auth/api-tokens`, options);
  }

  /**
   * Create an API token.
   * POST /auth/api-tokens
   *
   * An account has at most 100.
   */
  createAPIToken(body: {
    name: string;
    scopes: Scope[];
    /** Within the next ten years; null, or absent, for a token that never expires. */
    expiresAt?: string | null;
  }, options?: CallOptions): Promise<APIToken & {
    token: string;
  }> {
    return this.#caller.json('POST', `/auth/api-tokens`, options, body, 'application/json');
  }

  /**
   * Revoke an API token.
   * DELETE /auth/api-tokens/{id}
   */
  deleteAPIToken(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/api-tokens/${encodeURIComponent(id)}`, options);
  }

  /**
   * Programs that are connected to the tools.
   * GET /auth/programs
   */
  listPrograms(options?: CallOptions): Promise<{
    items: ConnectedProgram[];
  }> {
    return this.#caller.json('GET', `/auth/programs`, options);
  }

  /**
   * Disconnect a program.
   * DELETE /auth/programs/{id}
   *
   * Its tokens stop to work at once.
   */
  disconnectProgram(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/auth/programs/${encodeURIComponent(id)}`, options);
  }

  /**
   * Connect one's own AI subscription at GitHub.
   * GET /auth/github/assistant
   *
   * A page for browsers, not for programs.
   */
  connectAssistant(options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/auth/github/assistant`, options);
  }

  /**
   * Where GitHub sends the browser back to.
   * GET /auth/github/assistant/callback
   *
   * The token is kept encrypted as the caller's own key.
   */
  finishConnectAssistant(options?: CallOptions<{
    /** What the provider gives to a browser that it has signed in. */
    code?: string;
    /** What the browser took to the provider. */
    state?: string;
    /** Why the provider refused, instead of `code`. */
    error?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/auth/github/assistant/callback`, options);
  }

  /**
   * One's own AI subscriptions.
   * GET /users/me/ai-providers
   */
  listSubscriptions(options?: CallOptions): Promise<{
    items: Subscription[];
  }> {
    return this.#caller.json('GET', `/users/me/ai-providers`, options);
  }

  /**
   * Remove an AI subscription.
   * DELETE /users/me/ai-providers/{pid}
   */
  deleteSubscription(pid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/users/me/ai-providers/${encodeURIComponent(pid)}`, options);
  }

  /**
   * Invitations to the caller's address.
   * GET /users/me/invites
   *
   * The list is empty until the caller has proven their address. It has the 100 newest of those that can be accepted.
   */
  listOwnInvites(options?: CallOptions): Promise<{
    items: OwnInvite[];
  }> {
    return this.#caller.json('GET', `/users/me/invites`, options);
  }

  /**
   * Decline an invitation.
   * DELETE /users/me/invites/{id}
   *
   * Its links stop working. An invitation that is not in the caller's list is 404.
   */
  declineOwnInvite(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/users/me/invites/${encodeURIComponent(id)}`, options);
  }

  /**
   * Accept an invitation without its link.
   * POST /users/me/invites/{id}/accept
   *
   * It does what accepting by a link does, within the same limits. An invitation that is not in the caller's list is 404.
   */
  acceptOwnInvite(id: Id, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('POST', `/users/me/invites/${encodeURIComponent(id)}/accept`, options);
  }

  /**
   * The settings of the installation.
   * GET /admin/settings
   */
  getInstanceSettings(options?: CallOptions): Promise<InstanceSettings> {
    return this.#caller.json('GET', `/admin/settings`, options);
  }

  /**
   * Change the settings of the installation.
   * PATCH /admin/settings
   *
   * They hold at once for every process. A setting that the environment fixes is 409.
   */
  updateInstanceSettings(body: {
    signup?: SignupPolicy;
    signupDomains?: string[];
    defaultCreditLimit?: number | null;
    announcement?: string;
    /** An admin without a second factor cannot require one: 409. */
    requireMfa?: boolean;
    /** An admin whose own address is not verified cannot require it: 409. Neither can they set `signup` to `domains`. */
    requireVerifiedEmail?: boolean;
    /** An admin without a passkey and a linked identity provider cannot turn it off: 409. */
    passwordSignIn?: boolean;
    quotas?: GivenQuotas;
  }, options?: CallOptions): Promise<InstanceSettings> {
    return this.#caller.json('PATCH', `/admin/settings`, options, body, 'application/json');
  }

  /**
   * The accounts of the installation.
   * GET /admin/users
   */
  listPeople(options?: CallOptions<{
    /** A part of the address or the name. */
    q?: string;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: InstancePerson[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/admin/users`, options);
  }

  /**
   * Disable an account, or make somebody an admin.
   * PATCH /admin/users/{uid}
   *
   * The sessions of a disabled account end within 5 seconds, its API tokens are refused, and so are its sign-ins (403 `account_disabled`). It keeps what it has. The last admin is 409.
   */
  updatePerson(uid: Id, body: {
    disabled?: boolean;
    admin?: boolean;
  }, options?: CallOptions): Promise<InstancePerson> {
    return this.#caller.json('PATCH', `/admin/users/${encodeURIComponent(uid)}`, options, body, 'application/json');
  }

  /**
   * Delete an account.
   * DELETE /admin/users/{uid}
   *
   * It goes as with `DELETE /auth/me`, and a mail tells the person. While others belong to a workspace of which the person is the last owner, or to the person's personal one, it is 409 and names them; so is the last admin.
   */
  deletePerson(uid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/admin/users/${encodeURIComponent(uid)}`, options);
  }

  /**
   * End all sessions of a person.
   * POST /admin/users/{uid}/sign-out
   */
  signOutPerson(uid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/admin/users/${encodeURIComponent(uid)}/sign-out`, options);
  }

  /**
   * Turn off the second factor of a person who lost it.
   * POST /admin/users/{uid}/reset-mfa
   *
   * The person gets a mail. Somebody without a second factor, and the caller, is 409.
   */
  resetMFA(uid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/admin/users/${encodeURIComponent(uid)}/reset-mfa`, options);
  }

  /**
   * The workspaces of the installation, and what they use.
   * GET /admin/workspaces
   *
   * Admins see figures only, and no project.
   */
  listInstanceWorkspaces(options?: CallOptions<{
    /** A part of the name, the slug or the owner's address. */
    q?: string;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: InstanceWorkspace[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/admin/workspaces`, options);
  }

  /**
   * Give quotas and credit to a workspace.
   * PATCH /admin/workspaces/{wid}
   *
   * The workspace's own credit limit becomes what it is given; its admins may lower it and cannot exceed it. While it has credit of its own, calls of the platform's AI provider are charged to no person. null takes credit, or a quota, back to the default.
   */
  updateInstanceWorkspace(wid: Id, body: {
    /** USD. */
    creditLimit?: number | null;
    quotas?: GivenQuotas;
  }, options?: CallOptions): Promise<InstanceWorkspace> {
    return this.#caller.json('PATCH', `/admin/workspaces/${encodeURIComponent(wid)}`, options, body, 'application/json');
  }

  /**
   * Invitations to the installation.
   * GET /admin/invites
   */
  listInstanceInvites(options?: CallOptions): Promise<{
    items: InstanceInvite[];
  }> {
    return this.#caller.json('GET', `/admin/invites`, options);
  }

  /**
   * Invite somebody to the installation.
   * POST /admin/invites
   *
   * A mail with a link goes to the address; the answer has another link, for the caller to pass on. Either works once, for 7 days, and replaces those of an earlier invitation. An address with an account is 409, and so is everybody while sign-up is closed.
   */
  createInstanceInvite(body: {
    email: string;
  }, options?: CallOptions): Promise<InstanceInvite & {
    /** Where the invited person signs up. It does not prove their address. */
    link: string;
  }> {
    return this.#caller.json('POST', `/admin/invites`, options, body, 'application/json');
  }

  /**
   * Withdraw an invitation to the installation.
   * DELETE /admin/invites/{id}
   */
  deleteInstanceInvite(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/admin/invites/${encodeURIComponent(id)}`, options);
  }

  /**
   * The OpenID Connect providers of companies.
   * GET /admin/identity-providers
   */
  listIdentityProviders(options?: CallOptions): Promise<{
    items: CompanyProvider[];
  }> {
    return this.#caller.json('GET', `/admin/identity-providers`, options);
  }

  /**
   * Let people sign in with their company.
   * POST /admin/identity-providers
   *
   * People sign in at `/auth/oidc/<slug>`. Whom the provider vouches for needs no invitation, unless sign-up is closed. A new person needs an address that the provider calls verified, or one at `domains` of which it says nothing; an account that exists is joined only at one of `domains`. With `domains` nobody with an address elsewhere signs in here. The groups of a sign-in become roles of `mappings`; a role that they gave goes at the next sign-in without it, but the last owner of a workspace stays. `only` refuses passwords and other providers to addresses at `domains` (403 `company_sign_in`), but not to admins of the installation. Addresses in private networks need PRIVATE_NETWORKS=allow.
   */
  createIdentityProvider(body: {
    slug: string;
    /** What people read on the sign-in page. */
    name: string;
    /** Exactly as in the discovery document of the provider. Another issuer needs a clientSecret with it. */
    issuer: string;
    clientId: string;
    /** It is sealed and never shown. */
    clientSecret: string;
    /** Asked for beside openid, email and profile. */
    scopes?: string[];
    domains?: string[];
    /** A name, or a path with dots such as realm_access.roles; groups by default. */
    groupsClaim?: string;
    mappings?: GroupMapping[];
    only?: boolean;
  }, options?: CallOptions): Promise<CompanyProvider> {
    return this.#caller.json('POST', `/admin/identity-providers`, options, body, 'application/json');
  }

  /**
   * Change an identity provider.
   * PATCH /admin/identity-providers/{id}
   *
   * Absent fields stay. Another issuer forgets who signed in at the one before, because it has other people.
   */
  updateIdentityProvider(id: Id, body: {
    /** What people read on the sign-in page. */
    name?: string;
    /** Exactly as in the discovery document of the provider. Another issuer needs a clientSecret with it. */
    issuer?: string;
    clientId?: string;
    /** It is sealed and never shown. */
    clientSecret?: string;
    /** Asked for beside openid, email and profile. */
    scopes?: string[];
    domains?: string[];
    /** A name, or a path with dots such as realm_access.roles; groups by default. */
    groupsClaim?: string;
    mappings?: GroupMapping[];
    only?: boolean;
  }, options?: CallOptions): Promise<CompanyProvider> {
    return this.#caller.json('PATCH', `/admin/identity-providers/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Delete an identity provider.
   * DELETE /admin/identity-providers/{id}
   *
   * Nobody signs in with it any more. Accounts stay, and so do the roles that its groups gave; sessions go on.
   */
  deleteIdentityProvider(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/admin/identity-providers/${encodeURIComponent(id)}`, options);
  }

  /**
   * Try an identity provider without a person.
   * POST /admin/identity-providers/{id}/test
   *
   * It reads the discovery document and the keys anew, and offers a code that nobody gave and a token to revoke that nobody has, which most providers refuse with the client if they do not know it.
   */
  testIdentityProvider(id: Id, options?: CallOptions): Promise<{
    /** Nothing that was found keeps people from signing in. */
    ok: boolean;
    problems: {
      kind: "forbidden_address" | "unreachable" | "issuer_mismatch" | "invalid_document" | "no_usable_key" | "client_refused" | "scope_not_offered" | "no_sign_out";
      /** More, in English. */
      detail: string;
      /** Nobody can sign in. */
      blocks: boolean;
    }[];
  }> {
    return this.#caller.json('POST', `/admin/identity-providers/${encodeURIComponent(id)}/test`, options);
  }

  /**
   * The platform's AI providers.
   * GET /admin/ai-providers
   *
   * Every workspace may use those that are switched on; the platform's credit pays.
   */
  listPlatformProviders(options?: CallOptions): Promise<{
    items: PlatformProvider[];
    /** The provider of the settings (AI_PROVIDER), which only the operator changes. Null if there is none. */
    fixed: FixedProvider | null;
  }> {
    return this.#caller.json('GET', `/admin/ai-providers`, options);
  }

  /**
   * Add an AI provider for all workspaces.
   * POST /admin/ai-providers
   *
   * It is switched on unless the body says otherwise. The first becomes the default unless the body says otherwise or the settings name a provider other than the demo. A message that names no provider goes to the default of its workspace, else to this default, else to the provider of the settings. Addresses in private networks need PRIVATE_NETWORKS=allow.
   */
  createPlatformProvider(body: {
    kind: ProviderKind;
    name: string;
    /** With the version path for `openai` and `responses`, bare for `anthropic` and `ollama`. An `ollama` without one is the service's own (`OLLAMA_HOST`). */
    baseUrl?: string | null;
    /** It is sealed and never shown. */
    apiKey?: string | null;
    defaultModel?: string | null;
    /** The window of its models, of which none gets more than its own. Without one, the model's window in memory counts, else what the server gives, at least 16,384. */
    contextTokens?: number | null;
    isDefault?: boolean | null;
    enabled?: boolean | null;
  }, options?: CallOptions): Promise<PlatformProvider> {
    return this.#caller.json('POST', `/admin/ai-providers`, options, body, 'application/json');
  }

  /**
   * Change an AI provider of the platform.
   * PATCH /admin/ai-providers/{id}
   *
   * Another `baseUrl` without the key drops the key that is stored. One that is switched off keeps its key, but is no longer the default; messages that name it end with `no_provider`. A run that is underway keeps the provider.
   */
  updatePlatformProvider(id: Id, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null removes it. */
    baseUrl?: string | null;
    /** Null removes it. */
    apiKey?: string | null;
    /** Null removes it. */
    defaultModel?: string | null;
    /** Null leaves it to the service. */
    contextTokens?: number | null;
    /** Null leaves it unchanged. */
    isDefault?: boolean | null;
    /** Null leaves it unchanged. */
    enabled?: boolean | null;
  }, options?: CallOptions): Promise<PlatformProvider> {
    return this.#caller.json('PATCH', `/admin/ai-providers/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Remove an AI provider of the platform with its key.
   * DELETE /admin/ai-providers/{id}
   *
   * After the default is gone, the provider of the settings answers, or none. A run that is underway keeps the provider.
   */
  deletePlatformProvider(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/admin/ai-providers/${encodeURIComponent(id)}`, options);
  }

  /**
   * Ask an AI provider of the platform whether it works.
   * POST /admin/ai-providers/{id}/test
   *
   * As `POST /workspaces/{wid}/ai-providers/{pid}/test`, but no workspace pays for it.
   */
  testPlatformProvider(id: Id, options?: CallOptions): Promise<ProviderTest> {
    return this.#caller.json('POST', `/admin/ai-providers/${encodeURIComponent(id)}/test`, options);
  }

  /**
   * What an AI provider of the platform offers.
   * GET /admin/ai-providers/{id}/models
   */
  listPlatformModels(id: Id, options?: CallOptions): Promise<{
    items: Model[];
  }> {
    return this.#caller.json('GET', `/admin/ai-providers/${encodeURIComponent(id)}/models`, options);
  }

  /**
   * The log of the installation.
   * GET /admin/audit
   *
   * Entries are kept for 400 days.
   */
  listInstanceAudit(options?: CallOptions<{
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: AuditEntry[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/admin/audit`, options);
  }

  /**
   * What works, and what needs an admin.
   * GET /admin/health
   *
   * Each part of the installation is looked at for at most 20 seconds. What an installation can do without is in order while it is off.
   */
  getInstanceHealth(options?: CallOptions): Promise<{
    items: HealthFinding[];
  }> {
    return this.#caller.json('GET', `/admin/health`, options);
  }

  /**
   * Backups of the installation.
   * GET /admin/backups
   */
  listBackups(options?: CallOptions): Promise<Backups> {
    return this.#caller.json('GET', `/admin/backups`, options);
  }

  /**
   * Make a backup now.
   * POST /admin/backups
   *
   * The backup goes on after the answer; `last` of the list says how it ended. While one is made, and without BACKUP_TARGET, it is 409.
   */
  beginBackup(options?: CallOptions): Promise<BackupRun> {
    return this.#caller.json('POST', `/admin/backups`, options);
  }

  /**
   * Sites that are taken down.
   * GET /admin/takedowns
   */
  listTakedowns(options?: CallOptions): Promise<{
    items: Takedown[];
  }> {
    return this.#caller.json('GET', `/admin/takedowns`, options);
  }

  /**
   * Take a published site down.
   * POST /admin/takedowns
   *
   * Within 2 seconds visitors get 451 with the reason, whatever the project publishes meanwhile. The owners of its workspace are told by mail. The project and its data stay. A site that is down already is 409.
   */
  takeDownSite(body: {
    /** The site's address, without the domain. */
    slug: string;
    /** For visitors and the owners. */
    reason: string;
  }, options?: CallOptions): Promise<Takedown> {
    return this.#caller.json('POST', `/admin/takedowns`, options, body, 'application/json');
  }

  /**
   * Bring a site back.
   * DELETE /admin/takedowns/{id}
   *
   * Visitors see what its project publishes now, and its owners are told by mail.
   */
  liftTakedown(id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/admin/takedowns/${encodeURIComponent(id)}`, options);
  }

  /**
   * The caller's workspaces.
   * GET /workspaces
   */
  listWorkspaces(options?: CallOptions): Promise<{
    items: Workspace[];
  }> {
    return this.#caller.json('GET', `/workspaces`, options);
  }

  /**
   * Create a workspace.
   * POST /workspaces
   *
   * A person may own so many workspaces as the operator says (MAX_WORKSPACES_PER_PERSON, 50 unless set).
   */
  createWorkspace(body: {
    name: string;
  }, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('POST', `/workspaces`, options, body, 'application/json');
  }

  /**
   * A workspace.
   * GET /workspaces/{wid}
   */
  getWorkspace(wid: Id, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}`, options);
  }

  /**
   * Change a workspace.
   * PATCH /workspaces/{wid}
   */
  updateWorkspace(wid: Id, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** USD; null is unlimited. It only lowers what the operator lets a person spend of the platform's provider in all workspaces together. Where an admin of the service gave credit to the workspace, more than that is 409, and null is all of it. */
    creditLimit?: number | null;
    /** The hosts that the agent's commands may reach, on ports 80 and 443, instead of those before; an empty list means no network, null leaves the list unchanged. Each is a name in lower case (`registry.npmjs.org`), or `*.example.com` for all names below one; no IP addresses, ports, single labels or international names. */
    commandHosts?: string[] | null;
    /** Whether members without a second factor are refused: see `Workspace`. A caller who has none cannot require one: 409. Null leaves it unchanged. */
    requireMfa?: boolean | null;
    /** See `Workspace`. Null leaves it unchanged. */
    livePublish?: "member" | "admin" | null;
  }, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}`, options, body, 'application/json');
  }

  /**
   * Delete a workspace.
   * DELETE /workspaces/{wid}
   *
   * A personal workspace, and one that holds projects, soft-deleted ones too, is 409.
   */
  deleteWorkspace(wid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}`, options);
  }

  /**
   * Members.
   * GET /workspaces/{wid}/members
   */
  listMembers(wid: Id, options?: CallOptions): Promise<{
    items: Member[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/members`, options);
  }

  /**
   * Change a member's role.
   * PATCH /workspaces/{wid}/members/{userId}
   *
   * Only an owner can appoint or remove owners. The last owner, and the person whose personal workspace it is, stay owners: 409.
   */
  updateMember(wid: Id, userId: Id, body: {
    role: Role;
  }, options?: CallOptions): Promise<Member> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/members/${encodeURIComponent(userId)}`, options, body, 'application/json');
  }

  /**
   * Remove a member, or leave.
   * DELETE /workspaces/{wid}/members/{userId}
   *
   * Everybody may leave; only admins remove somebody else, and only owners remove an owner. The last owner, and the person whose personal workspace it is, stay: 409.
   */
  removeMember(wid: Id, userId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/members/${encodeURIComponent(userId)}`, options);
  }

  /**
   * Make another member the owner.
   * POST /workspaces/{wid}/transfer
   *
   * A personal workspace is 409.
   */
  transferWorkspace(wid: Id, body: {
    /** Another member. */
    userId: string;
  }, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/transfer`, options, body, 'application/json');
  }

  /**
   * Invitations that wait for an answer.
   * GET /workspaces/{wid}/invites
   */
  listInvites(wid: Id, options?: CallOptions): Promise<{
    items: Invite[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/invites`, options);
  }

  /**
   * Invite somebody.
   * POST /workspaces/{wid}/invites
   *
   * A mail with a link goes to the address; the answer has another link, for the caller to pass on. Either works once, for 7 days, and replaces those of an earlier invitation. Only an owner may invite an owner. Inviting a member is 409.
   */
  createInvite(wid: Id, body: {
    email: string;
    role: Role;
  }, options?: CallOptions): Promise<Invite & {
    /** Where the invited person accepts. It does not prove their address. */
    link: string;
  }> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/invites`, options, body, 'application/json');
  }

  /**
   * Withdraw an invitation.
   * DELETE /workspaces/{wid}/invites/{inviteId}
   */
  deleteInvite(wid: Id, inviteId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/invites/${encodeURIComponent(inviteId)}`, options);
  }

  /**
   * Create a new link for an invitation, to pass on.
   * POST /workspaces/{wid}/invites/{inviteId}/link
   *
   * The link that was passed on before stops working; the mailed one does not. An invitation that is too old is 409.
   */
  linkInvite(wid: Id, inviteId: Id, options?: CallOptions): Promise<{
    link: string;
  }> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/invites/${encodeURIComponent(inviteId)}/link`, options);
  }

  /**
   * What an invitation says.
   * GET /invites/{token}
   *
   * For anyone who has one of its links. A link that is unknown, used or too old is 404.
   */
  showInvite(token: string, options?: CallOptions): Promise<{
    email: string;
    role: Role;
    /** The name of the workspace. */
    workspace: string;
    /** What the inviter is called, or their address. */
    invitedBy: string;
    expiresAt: Timestamp;
  }> {
    return this.#caller.json('GET', `/invites/${encodeURIComponent(token)}`, options);
  }

  /**
   * Accept an invitation.
   * POST /invites/{token}/accept
   *
   * It requires the account of the invited address: another is 403. A link that is unknown, used or too old is 404. A workspace may have so many members as the operator says (MAX_MEMBERS_PER_WORKSPACE, 500 unless set), and a person own so many workspaces (MAX_WORKSPACES_PER_PERSON, 50 unless set).
   */
  acceptInvite(token: string, options?: CallOptions): Promise<Workspace> {
    return this.#caller.json('POST', `/invites/${encodeURIComponent(token)}/accept`, options);
  }

  /**
   * Webhooks of a workspace.
   * GET /workspaces/{wid}/webhooks
   */
  listWebhooks(wid: Id, options?: CallOptions): Promise<{
    items: Webhook[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/webhooks`, options);
  }

  /**
   * Add a webhook.
   * POST /workspaces/{wid}/webhooks
   *
   * The service sends each event as a POST to `url`, at least once, with a `WebhookMessage` as its body. It is signed as the convention Standard Webhooks says: the headers `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`, which has `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`, and several of these with a space between them after the secret was rotated. The key is the base64 behind `whsec_`. Every attempt and redelivery of an event has the same `webhook-id`. Any answer 2xx within 10 seconds is success; redirects are not followed. Failures are repeated for a day, ever more rarely and not before an answer's `Retry-After` (at most three hours), and events may overtake each other. An address that answers 410, and one to which nothing could be delivered for three days, is disabled, and the admins get a mail. A workspace has at most 20 webhooks. `member.changed` is an event of the workspace, and not of one project. Without `https` only installations that may reach private addresses send.
   */
  createWebhook(wid: Id, body: {
    url: string;
    /** A project of the workspace, whose events alone are sent; null for all of the workspace. */
    projectId?: Id | null;
    events: WebhookEvent[];
    /** One line; empty without it. */
    description?: string | null;
    disabled?: boolean | null;
  }, options?: CallOptions): Promise<NewWebhook> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/webhooks`, options, body, 'application/json');
  }

  /**
   * A webhook.
   * GET /workspaces/{wid}/webhooks/{id}
   */
  getWebhook(wid: Id, id: Id, options?: CallOptions): Promise<Webhook> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}`, options);
  }

  /**
   * Change a webhook.
   * PATCH /workspaces/{wid}/webhooks/{id}
   */
  updateWebhook(wid: Id, id: Id, body: {
    /** Null leaves it unchanged. */
    url?: string | null;
    /** A project of the workspace, whose events alone are sent; null for all of the workspace. */
    projectId?: Id | null;
    events?: WebhookEvent[] | null;
    /** One line. Null leaves it unchanged. */
    description?: string | null;
    /** Null leaves it unchanged. Enabling a webhook forgets its failures. */
    disabled?: boolean | null;
  }, options?: CallOptions): Promise<Webhook> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Delete a webhook.
   * DELETE /workspaces/{wid}/webhooks/{id}
   *
   * With its log. What was not delivered yet is not sent.
   */
  deleteWebhook(wid: Id, id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}`, options);
  }

  /**
   * Change a webhook's secret.
   * POST /workspaces/{wid}/webhooks/{id}/rotate-secret
   *
   * For 24 hours the former secret signs as well, so that receivers can change over.
   */
  rotateWebhookSecret(wid: Id, id: Id, options?: CallOptions): Promise<NewWebhook> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}/rotate-secret`, options);
  }

  /**
   * Send a test.
   * POST /workspaces/{wid}/webhooks/{id}/test
   *
   * The event is `webhook.test`. A webhook that is disabled is 409.
   */
  testWebhook(wid: Id, id: Id, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}/test`, options);
  }

  /**
   * The log of a webhook.
   * GET /workspaces/{wid}/webhooks/{id}/deliveries
   *
   * It goes back seven days.
   */
  listWebhookDeliveries(wid: Id, id: Id, options?: CallOptions<{
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: WebhookDelivery[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}/deliveries`, options);
  }

  /**
   * Send a delivery once more.
   * POST /workspaces/{wid}/webhooks/{id}/deliveries/{did}/redeliver
   *
   * It becomes a new entry of the log, with the same `webhook-id`. One that is still being tried, and a webhook that is disabled, are 409.
   */
  redeliverWebhook(wid: Id, id: Id, did: Id, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(did)}/redeliver`, options);
  }

  /**
   * Connectors of a workspace.
   * GET /workspaces/{wid}/connectors
   *
   * MCP servers of other programs whose tools the agent may call.
   */
  listConnectors(wid: Id, options?: CallOptions): Promise<{
    items: Connector[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/connectors`, options);
  }

  /**
   * Add a connector.
   * POST /workspaces/{wid}/connectors
   *
   * The server is asked for its tools; that it does not answer is the connector's `problem`. No tool may be called before `enabledTools` allows it. An allowed tool is pinned as the server describes it then: one that changes is off until an admin looks at it and allows it by its new hash. A workspace has at most 20 connectors.
   */
  createConnector(wid: Id, body: {
    /** ASCII letters, digits, hyphens and single spaces. No two names of a workspace look alike. */
    name: string;
    /** Of an MCP server with streamable HTTP. */
    url: string;
    /** What every request to the server has, such as its key; at most 10. They are sealed, and never shown again. */
    headers?: Record<string, string> | null;
    /** All tools that the agent may call; without it, none. */
    enabledTools?: EnabledConnectorTool[] | null;
  }, options?: CallOptions): Promise<Connector> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/connectors`, options, body, 'application/json');
  }

  /**
   * Change a connector.
   * PATCH /workspaces/{wid}/connectors/{id}
   *
   * The server is not asked again; `refresh` does that.
   */
  updateConnector(wid: Id, id: Id, body: {
    /** ASCII letters, digits, hyphens and single spaces. No two names of a workspace look alike. Null leaves it unchanged. */
    name?: string | null;
    /** Of an MCP server with streamable HTTP. Another one takes the headers and all consents away. Null leaves it unchanged. */
    url?: string | null;
    /** What every request to the server has, such as its key; at most 10. They are sealed, and never shown again. They replace all. Null leaves them unchanged. */
    headers?: Record<string, string> | null;
    /** All tools that the agent may call, in place of the former list. Null leaves them unchanged. */
    enabledTools?: EnabledConnectorTool[] | null;
  }, options?: CallOptions): Promise<Connector> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/connectors/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Delete a connector.
   * DELETE /workspaces/{wid}/connectors/{id}
   */
  deleteConnector(wid: Id, id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/connectors/${encodeURIComponent(id)}`, options);
  }

  /**
   * Ask a connector's server for its tools.
   * POST /workspaces/{wid}/connectors/{id}/refresh
   */
  refreshConnector(wid: Id, id: Id, options?: CallOptions): Promise<Connector> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/connectors/${encodeURIComponent(id)}/refresh`, options);
  }

  /**
   * Templates that a workspace shares.
   * GET /workspaces/{wid}/templates
   *
   * Projects that members shared as starting points. `template` of a new project takes their ids.
   */
  listSharedTemplates(wid: Id, options?: CallOptions): Promise<{
    items: SharedTemplate[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/templates`, options);
  }

  /**
   * Share a project as a template.
   * POST /workspaces/{wid}/templates
   *
   * The template keeps the project's files and its picture as they are; `update` takes them again. It outlives the project. History, chats, comments, environment values, files that begin with `.env` (but for examples), data and everything about the published site stay behind. A workspace has at most 100 templates, of 16 MiB each and 256 MiB together, packed.
   */
  shareTemplate(wid: Id, body: {
    /** A project of the workspace. */
    projectId: string;
    name: string;
    description?: string | null;
    /** Whether `backend/seed.json`, the records that test data begin with, comes along; false without it. */
    withSeed?: boolean | null;
  }, options?: CallOptions): Promise<SharedTemplate> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/templates`, options, body, 'application/json');
  }

  /**
   * Change what a template says of itself.
   * PATCH /workspaces/{wid}/templates/{id}
   *
   * For who shared it, and for admins.
   */
  updateSharedTemplate(wid: Id, id: Id, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null leaves it unchanged. */
    description?: string | null;
  }, options?: CallOptions): Promise<SharedTemplate> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/templates/${encodeURIComponent(id)}`, options, body, 'application/json');
  }

  /**
   * Delete a template.
   * DELETE /workspaces/{wid}/templates/{id}
   *
   * For who shared it, and for admins. Projects made from it stay.
   */
  deleteSharedTemplate(wid: Id, id: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/templates/${encodeURIComponent(id)}`, options);
  }

  /**
   * Take a template's files again.
   * POST /workspaces/{wid}/templates/{id}/update
   *
   * The template gets the present files and the picture of its project. For who shared it, and for admins. A project that is gone, or in another workspace, has 404.
   */
  retakeSharedTemplate(wid: Id, id: Id, options?: CallOptions): Promise<SharedTemplate> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/templates/${encodeURIComponent(id)}/update`, options);
  }

  /**
   * The picture of a template.
   * GET /workspaces/{wid}/templates/{id}/thumbnail
   *
   * That of its project when its files were taken, 640 × 400 pixels; a card with the name if there was none.
   */
  getSharedTemplateThumbnail(wid: Id, id: Id, options?: CallOptions<{
    /** Makes the address in `thumbnailUrl` change with the picture. It is otherwise ignored. */
    v?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/workspaces/${encodeURIComponent(wid)}/templates/${encodeURIComponent(id)}/thumbnail`, options);
  }

  /**
   * The security log.
   * GET /workspaces/{wid}/audit
   *
   * Entries are kept for 400 days.
   */
  listAudit(wid: Id, options?: CallOptions<{
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: AuditEntry[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/audit`, options);
  }

  /**
   * AI providers of a workspace.
   * GET /workspaces/{wid}/ai-providers
   */
  listProviders(wid: Id, options?: CallOptions): Promise<{
    items: Provider[];
    /** The platform's providers that are switched on, the oldest first. Messages name their models as those of the workspace's own, and `GET /workspaces/{wid}/ai-providers/{pid}/models` lists them. */
    platform: LentProvider[];
    /** The kind of provider, the workspace's own or the operator's, that answers a message that names no model. Null if there is none. */
    defaultKind: ProviderKind | null;
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/ai-providers`, options);
  }

  /**
   * Add an AI provider.
   * POST /workspaces/{wid}/ai-providers
   *
   * The first of a workspace becomes its default unless the body says otherwise.
   */
  createProvider(wid: Id, body: {
    kind: ProviderKind;
    name: string;
    /** With the version path for `openai` and `responses`, bare for `anthropic` and `ollama`. An `ollama` without one is the service's own (`OLLAMA_HOST`). */
    baseUrl?: string | null;
    apiKey?: string | null;
    defaultModel?: string | null;
    /** The window of its models, of which none gets more than its own. Without one, the model's window in memory counts, else what the server gives, at least 16,384. */
    contextTokens?: number | null;
    isDefault?: boolean | null;
  }, options?: CallOptions): Promise<Provider> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/ai-providers`, options, body, 'application/json');
  }

  /**
   * Change an AI provider.
   * PATCH /workspaces/{wid}/ai-providers/{pid}
   *
   * Another `baseUrl` without the key drops the key that is stored.
   */
  updateProvider(wid: Id, pid: Id, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null removes it. */
    baseUrl?: string | null;
    /** Null removes it. */
    apiKey?: string | null;
    /** Null removes it. */
    defaultModel?: string | null;
    /** Null leaves it to the service. */
    contextTokens?: number | null;
    /** Null leaves it unchanged. */
    isDefault?: boolean | null;
  }, options?: CallOptions): Promise<Provider> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/ai-providers/${encodeURIComponent(pid)}`, options, body, 'application/json');
  }

  /**
   * Remove an AI provider with its key.
   * DELETE /workspaces/{wid}/ai-providers/{pid}
   */
  deleteProvider(wid: Id, pid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/ai-providers/${encodeURIComponent(pid)}`, options);
  }

  /**
   * Ask an AI provider whether it works.
   * POST /workspaces/{wid}/ai-providers/{pid}/test
   *
   * Asks for its models, and asks the default model in up to four small calls what it can do. Within 20 seconds; what a hosted
   * model costs counts as use.
   */
  testProvider(wid: Id, pid: Id, options?: CallOptions): Promise<ProviderTest> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/ai-providers/${encodeURIComponent(pid)}/test`, options);
  }

  /**
   * What an AI provider offers.
   * GET /workspaces/{wid}/ai-providers/{pid}/models
   */
  listModels(wid: Id, pid: Id, options?: CallOptions): Promise<{
    items: Model[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/ai-providers/${encodeURIComponent(pid)}/models`, options);
  }

  /**
   * What a workspace used.
   * GET /workspaces/{wid}/usage
   */
  getUsage(wid: Id, options?: CallOptions): Promise<{
    quotas: {
      projects: FilledQuota;
      members: FilledQuota;
      /** null is no bound. */
      bytesPerProject: number | null;
      /** null is no bound. */
      runsAtOnce: number | null;
    };
    /** USD; null is unlimited. */
    creditLimit: number | null;
    /** USD. */
    creditUsed: number;
    items: UsageRow[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/usage`, options);
  }

  /**
   * What the agent is told in all projects of a workspace.
   * GET /workspaces/{wid}/knowledge
   */
  getKnowledge(wid: Id, options?: CallOptions): Promise<Knowledge> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/knowledge`, options);
  }

  /**
   * Replace what the agent is told.
   * PUT /workspaces/{wid}/knowledge
   *
   * The next message to the agent goes by it, in every project and chat of the workspace.
   */
  setKnowledge(wid: Id, body: Knowledge, options?: CallOptions): Promise<Knowledge> {
    return this.#caller.json('PUT', `/workspaces/${encodeURIComponent(wid)}/knowledge`, options, body, 'application/json');
  }

  /**
   * Modes that a workspace defines.
   * GET /workspaces/{wid}/modes
   */
  listModes(wid: Id, options?: CallOptions): Promise<{
    items: Mode[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/modes`, options);
  }

  /**
   * Define a mode.
   * POST /workspaces/{wid}/modes
   *
   * A name that a mode already has, built-in ones included, is 409. A workspace has at most 100.
   */
  createMode(wid: Id, body: {
    name: string;
    prompt: string;
    tools: AgentTool[];
    /** Null leaves it to the workspace. */
    model?: string | null;
    thinking?: Thinking;
  }, options?: CallOptions): Promise<Mode> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/modes`, options, body, 'application/json');
  }

  /**
   * Change a mode.
   * PATCH /workspaces/{wid}/modes/{name}
   *
   * A new name leaves chats with the old one.
   */
  updateMode(wid: Id, name: string, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null leaves it unchanged. */
    prompt?: string | null;
    /** Null leaves them unchanged. */
    tools?: AgentTool[] | null;
    /** Null leaves it to the workspace. */
    model?: string | null;
    thinking?: Thinking;
  }, options?: CallOptions): Promise<Mode> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/modes/${encodeURIComponent(name)}`, options, body, 'application/json');
  }

  /**
   * Delete a mode.
   * DELETE /workspaces/{wid}/modes/{name}
   *
   * Chats keep its name, which then has no further meaning.
   */
  deleteMode(wid: Id, name: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/modes/${encodeURIComponent(name)}`, options);
  }

  /**
   * Commands of the chat.
   * GET /workspaces/{wid}/commands
   */
  listCommands(wid: Id, options?: CallOptions): Promise<{
    items: Command[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/commands`, options);
  }

  /**
   * Define a command.
   * POST /workspaces/{wid}/commands
   *
   * A message that begins with `/<name>` gives the agent the command's text, with the words behind the name in the place of `$ARGUMENTS`, or below the text without that. A name that a command already has, built-in ones included, is 409. A workspace has at most 100.
   */
  createCommand(wid: Id, body: {
    name: string;
    /** One line; empty without it. */
    description?: string | null;
    text: string;
  }, options?: CallOptions): Promise<Command> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/commands`, options, body, 'application/json');
  }

  /**
   * Change a command.
   * PATCH /workspaces/{wid}/commands/{name}
   */
  updateCommand(wid: Id, name: string, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null leaves it unchanged. */
    description?: string | null;
    /** Null leaves it unchanged. */
    text?: string | null;
  }, options?: CallOptions): Promise<Command> {
    return this.#caller.json('PATCH', `/workspaces/${encodeURIComponent(wid)}/commands/${encodeURIComponent(name)}`, options, body, 'application/json');
  }

  /**
   * Delete a command.
   * DELETE /workspaces/{wid}/commands/{name}
   */
  deleteCommand(wid: Id, name: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/commands/${encodeURIComponent(name)}`, options);
  }

  /**
   * Folders.
   * GET /workspaces/{wid}/folders
   */
  listFolders(wid: Id, options?: CallOptions): Promise<{
    items: Folder[];
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/folders`, options);
  }

  /**
   * Create a folder.
   * POST /workspaces/{wid}/folders
   *
   * A workspace holds at most 1,000 folders, which nest at most 10 deep: more is 409.
   */
  createFolder(wid: Id, body: {
    name: string;
    /** Null is the root. */
    parentId?: string | null;
  }, options?: CallOptions): Promise<Folder> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/folders`, options, body, 'application/json');
  }

  /**
   * Rename or move a folder.
   * PATCH /folders/{folderId}
   *
   * A move into itself, or too deep, is 409.
   */
  updateFolder(folderId: Id, body: {
    /** Null leaves it unchanged. */
    name?: string | null;
    /** Null is the root. */
    parentId?: string | null;
  }, options?: CallOptions): Promise<Folder> {
    return this.#caller.json('PATCH', `/folders/${encodeURIComponent(folderId)}`, options, body, 'application/json');
  }

  /**
   * Delete a folder.
   * DELETE /folders/{folderId}
   *
   * Its projects, and the folders in it, move to the root.
   */
  deleteFolder(folderId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/folders/${encodeURIComponent(folderId)}`, options);
  }

  /**
   * Delete all soft-deleted projects of a workspace for good.
   * DELETE /workspaces/{wid}/trash
   */
  emptyTrash(wid: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/workspaces/${encodeURIComponent(wid)}/trash`, options);
  }

  /**
   * Projects of a workspace.
   * GET /workspaces/{wid}/projects
   *
   * A caller who is not a member gets the public ones; a workspace without any is 404 to them.
   */
  listWorkspaceProjects(wid: Id, options?: CallOptions<{
    /** Only what is directly in this folder; `none` is the root. */
    folderId?: string;
    /** Only projects of this visibility. */
    visibility?: Visibility;
    /** Words, or beginnings of words, in name and description, without regard to case and accents. */
    q?: string;
    /** Soft-deleted projects instead of the others. */
    deleted?: boolean;
    /** Newest first (`created`), last changed first (`updated`), or by name without regard to case and accents (`name`). A cursor belongs to its order. */
    sort?: "created" | "updated" | "name";
    /** What the caller sees as a member (`member`), or what is public, of all workspaces (`public`). */
    scope?: "member" | "public";
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: Project[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/workspaces/${encodeURIComponent(wid)}/projects`, options);
  }

  /**
   * Create a project.
   * POST /workspaces/{wid}/projects
   *
   * It gets the template's files, a repository with a first version, and a chat. With `prompt` the agent begins to work on it, whether or not a client follows it. A workspace may hold so many projects as the operator says (MAX_PROJECTS_PER_WORKSPACE, 500 unless set), deleted ones that can be restored among them.
   */
  createProject(wid: Id, body: {
    name: string;
    /** The id of a template of the service or of a workspace of the caller; `blank` without it. */
    template?: string | null;
    /** `workspace` without it. */
    visibility?: Visibility | null;
    /** Null is the root. */
    folderId?: string | null;
    /** The first message to the agent. */
    prompt?: string | null;
    /** The mode of the project's chat, `build` without it. */
    mode?: string | null;
    /** With a prompt: a model, or `<providerId>/<model>`; the default without it. */
    model?: string | null;
    /** With a prompt: how much the model thinks before each answer, where it can. */
    thinking?: "off" | "low" | "medium" | "high" | null;
    /** With a prompt: spends the caller's own AI subscription. */
    provider?: "own" | null;
    /** Images of the prompt, that the model is shown: PNG, JPEG, GIF or WebP of at most 5 MiB, 16384 pixels a side and 100 million pixels. The body may have 64 MiB, and 1 MiB without them. */
    attachments?: {
      type: "image";
      /** A data URL in base64, or an http(s) address, which the service fetches within 10 seconds. */
      url: string;
    }[] | null;
  }, options?: CallOptions): Promise<Project> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/projects`, options, body, 'application/json');
  }

  /**
   * Projects that the caller is a member for, or all public ones.
   * GET /projects
   */
  listProjects(options?: CallOptions<{
    /** Only those of this workspace. */
    workspaceId?: Id;
    /** Only what is directly in this folder; `none` is the root. */
    folderId?: string;
    /** Only projects of this visibility. */
    visibility?: Visibility;
    /** Words, or beginnings of words, in name and description, without regard to case and accents. */
    q?: string;
    /** Soft-deleted projects instead of the others. */
    deleted?: boolean;
    /** Newest first (`created`), last changed first (`updated`), or by name without regard to case and accents (`name`). A cursor belongs to its order. */
    sort?: "created" | "updated" | "name";
    /** What the caller sees as a member (`member`), or what is public, of all workspaces (`public`). */
    scope?: "member" | "public";
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: Project[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/projects`, options);
  }

  /**
   * A project.
   * GET /projects/{projectId}
   */
  getProject(projectId: Id, options?: CallOptions): Promise<Project> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}`, options);
  }

  /**
   * Change a project.
   * PATCH /projects/{projectId}
   *
   * A slug that another project of the workspace has is 409. A project that becomes public shows its whole history to everybody who is signed in: what was deleted stays readable in its versions and in clones of its repository. To show only the current files, export the project, import the export, and make that one public.
   */
  updateProject(projectId: Id, body: {
    name?: string;
    /** Null removes it. */
    description?: string | null;
    /** Null is the root. */
    folderId?: string | null;
    visibility?: Visibility;
    slug?: string;
  }, options?: CallOptions): Promise<Project> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}`, options, body, 'application/json');
  }

  /**
   * Delete a project.
   * DELETE /projects/{projectId}
   *
   * Its files stay and it can be restored; its site goes offline. With `hard` the files, the site and all records are gone, which only owners may do; nothing restores the project once that has begun. A deleted project that somebody restores before it begins stays, and the answer is 409.
   */
  deleteProject(projectId: Id, options?: CallOptions<{
    /** Delete for good, even if it is already soft-deleted. */
    hard?: boolean;
  }>): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}`, options);
  }

  /**
   * Restore a soft-deleted project.
   * POST /projects/{projectId}/restore
   */
  restoreProject(projectId: Id, options?: CallOptions): Promise<Project> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/restore`, options);
  }

  /**
   * Versions of a project.
   * GET /projects/{projectId}/versions
   *
   * With `path`, those in which that file, or one below it, is another than in the version before. Such a page may have fewer versions than `limit` and still have a next one.
   */
  listVersions(projectId: Id, options?: CallOptions<{
    /** A file or a folder of the project, even a deleted one. */
    path?: string;
    /** Only the versions with a name or a star, all on one page, the one that was marked last first. */
    marked?: boolean;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: ListedVersion[];
    nextCursor: string | null;
    /** Changes that are in no version yet. Only on the first page. */
    unsaved?: {
      filesChanged: number;
    };
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/versions`, options);
  }

  /**
   * Create a version of the staged changes.
   * POST /projects/{projectId}/versions
   *
   * What a run of the agent under way has changed is left to the run's own version. With nothing staged the answer is `conflict`. An automatic version needs no message and takes what people changed by hand, as the service does automatically a minute after the last change; with nothing to take the answer is 204.
   */
  saveVersion(projectId: Id, body: {
    message?: string;
    automatic?: boolean;
  }, options?: CallOptions): Promise<Version | void> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/versions`, options, body, 'application/json');
  }

  /**
   * A version with what it changed.
   * GET /projects/{projectId}/versions/{sha}
   *
   * The first version is compared with an empty project, and with `from` it is compared with that version. `patch` has at most 2 MiB and `files` at most 5,000 elements; files are in the patch whole or not at all, and `truncated` says that some are left out.
   */
  getVersion(projectId: Id, sha: string, options?: CallOptions<{
    /** The version to compare with, older or newer. */
    from?: string;
  }>): Promise<VersionDetail> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}`, options);
  }

  /**
   * Name or star a version.
   * PATCH /projects/{projectId}/versions/{sha}
   *
   * What is left out stays. An empty name takes the name back. Up to 1,000 versions of a project have a name or a star; with more the answer is `conflict`.
   */
  markVersion(projectId: Id, sha: string, body: {
    name?: string;
    starred?: boolean;
  }, options?: CallOptions): Promise<ListedVersion> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}`, options, body, 'application/json');
  }

  /**
   * Read a file as a version has it.
   * GET /projects/{projectId}/versions/{sha}/files/{path}
   *
   * As a file is read; `Last-Modified` is when the version was made.
   */
  readFileOfVersion(projectId: Id, sha: string, path: string, options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}/files/${segments(path)}`, options);
  }

  /**
   * An address that shows a version.
   * POST /projects/{projectId}/versions/{sha}/look
   *
   * The pages are built from the version's files and are for reading; nothing is restored. The address is the same for 12 hours after each call, or until that of the preview changes. Projects whose own tools make their pages have none: the page says so.
   */
  lookAtVersion(projectId: Id, sha: string, options?: CallOptions): Promise<PreviewLink> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}/look`, options);
  }

  /**
   * The newest earlier version that works.
   * POST /projects/{projectId}/working-version
   *
   * Of the last 10 versions, those with other files than the present ones are built, and opened in a browser if the server has one, the newest first. Nothing is restored.
   */
  findWorkingVersion(projectId: Id, body: {
    /** The path of the page that is opened. */
    path?: string;
  } | undefined, options?: CallOptions): Promise<WorkingVersion> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/working-version`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Restore the files of an earlier version as a new one.
   * POST /projects/{projectId}/versions/{sha}/restore
   *
   * What people had edited since the last version becomes a version of its own first, so that nothing is lost. While the agent works in the project, the answer is `chat_busy`.
   *
   * With `testData` the test data of the project's backend go back, too: to the first snapshot since the version whose data have the version's schema. The present test data are kept as a snapshot first. If no such snapshot is kept, test data follow the schema, and the answer has `testData: false`. An answer of 503 may come after the files went back; then the request can be repeated.
   */
  restoreVersion(projectId: Id, sha: string, body: {
    /** Whether test data are brought back, too. */
    testData?: boolean;
  } | undefined, options?: CallOptions): Promise<RestoredVersion> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}/restore`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Undo the changes of one run of the agent.
   * POST /projects/{projectId}/versions/{sha}/undo
   *
   * Later edits stay: each file is merged line by line. Where they touch the same lines the answer is `conflict`, its message names the files and lines, and nothing is changed. What people had edited since the last version becomes a version of its own first.
   */
  undoVersion(projectId: Id, sha: string, options?: CallOptions): Promise<Version> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/versions/${encodeURIComponent(sha)}/undo`, options);
  }

  /**
   * Copy a project.
   * POST /projects/{projectId}/duplicate
   *
   * The copy has the files, also those that are only staged, all versions under the ids that they have, and the chats with their events, plans and images; a run that is under way has ended in it. It has no environment values, no domain and no deployments. A caller who is no member of the project's workspace gets the files and versions of a public project, and a new chat. The copy of a private project is private, any other's is for its workspace.
   */
  duplicateProject(projectId: Id, body: {
    /** The project's name followed by " copy" if absent. */
    name?: string | null;
    /** The project's if absent; for a caller who is not a member of it, their personal one. */
    workspaceId?: string | null;
    /** Null is the root. If absent, the project's folder in the same workspace, else the root. */
    folderId?: string | null;
  } | undefined, options?: CallOptions): Promise<Project> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/duplicate`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Move a project to another workspace.
   * POST /projects/{projectId}/transfer
   *
   * The caller must be an owner of both workspaces. The project is placed at the root of the new one, under a numbered slug when its own is taken there; files, versions, chats, its site and its domain stay with it. While the agent works, the answer is `chat_busy`.
   */
  transferProject(projectId: Id, body: {
    /** Another workspace of which the caller is an owner. */
    workspaceId: string;
  }, options?: CallOptions): Promise<Project> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/transfer`, options, body, 'application/json');
  }

  /**
   * The files of a project as a zip archive.
   * GET /projects/{projectId}/export
   *
   * Every file that is in the last version or staged, whatever its folder is called, sorted by path, each as it is when its turn comes; or, with `version`, the files of that version. It contains neither the repository nor uncommitted output of tools. Every export can be imported; a project that is too large to be imported is 413. With `data`, the archive also holds the data of the project's backend, as they are at one moment, as the directory `pb_data` that the stock PocketBase binary serves; such an archive is for members, with live data for admins, and may be larger than an import accepts.
   */
  exportProject(projectId: Id, options?: CallOptions<{
    /** The id of a version; if absent, the current project. */
    version?: string;
    /** The environment whose data are added. One without data is 404. */
    data?: "test" | "live";
  }>): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/export`, options);
  }

  /**
   * A card for a project without a picture.
   * GET /projects/{projectId}/card
   *
   * The initials of its name on colours of its own, made from the name and the id alone.
   */
  getCard(projectId: Id, options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/card`, options);
  }

  /**
   * A picture of a project.
   * GET /projects/{projectId}/thumbnail
   *
   * The top of the project's page, 640 × 400 pixels. One is taken after a publish, after a run of the agent that changed files, and when somebody asks for it. There is none before the first, and none where the service has no browser.
   */
  getThumbnail(projectId: Id, options?: CallOptions<{
    /** Makes the address in `thumbnailUrl` change with the picture. It is otherwise ignored. */
    v?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/thumbnail`, options);
  }

  /**
   * Request a new picture.
   * POST /projects/{projectId}/thumbnail
   *
   * It is taken after the answer, if the service has a browser.
   */
  renewThumbnail(projectId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/thumbnail`, options);
  }

  /**
   * Create a project from a zip archive or a git repository.
   * POST /workspaces/{wid}/projects/import
   *
   * Of a repository, one branch is fetched over HTTPS (over HTTP too where the operator allows private networks), within two minutes and 256 MiB, and becomes the project's `main`; a branch that it does not have is 400. Credentials in the address are used, but neither stored nor returned. The history comes along when a project can hold every version of it as it is, else the newest version comes alone, without what a project cannot hold.
   * The archive has at most 50,000 files, which unpack to at most 512 MiB, from 16 MiB on to at most 100 times the archive, and are each as small as a file may be. An export is imported as it is. From any other archive a folder that holds all files is taken off, and empty folders, `node_modules`, `__MACOSX`, `.DS_Store`, `Thumbs.db` and their like are left out. Decomposed names are composed, backslashes separate folders, and names that are neither UTF-8 nor marked as such are read as code page 437. A repository, `.git`, is left out, and `notes` says so.
   * What a project cannot hold is left out of an archive and of a repository, and `notes` names it: files whose names are invalid, devices, submodules, and links; of an archive also files that are too large, and of two that differ only in upper and lower case the second, byte by byte. A link to a file that comes along becomes a copy of it. `notes` also names the files that are only pointers of Git LFS. An entry whose path leads out, another spelling of `.git`, a name that occurs twice, or an entry that is encrypted or damaged refuses the whole import, and the message names the entry.
   * What was made elsewhere is arranged so that it previews. If a repository of several packages has one application, that becomes the root, and what it depends on beside it is followed; functions of Firebase leave `functions/`. `notes` says so, and lists what the project lacks: environment values that sources read and no `.env` file sets, servers that do not run here, and applications of which a project can show one.
   */
  importProject(wid: Id, body: FormData, options?: CallOptions): Promise<Project & {
    /** Names what was left out and may be missed, what was moved, and what the project lacks to run as it did, in the language of `Accept-Language`; absent if there is nothing to say. */
    notes?: string[];
  }> {
    return this.#caller.json('POST', `/workspaces/${encodeURIComponent(wid)}/projects/import`, options, body, undefined);
  }

  /**
   * Enter a project's room over a WebSocket.
   * GET /ws/project/{projectId}
   *
   * Without a subprotocol the room speaks the binary protocol of `y-websocket`: the document has the map `files`,
   * from paths to texts, and the map `meta`. Awareness is
   * `{user: {id, name, color, avatarUrl}, cursor: {file, selection: {start, end} | null} | null}`. The changes of a
   * caller who may only read are answered with a permission-denied message.
   *
   * With the subprotocol `atelier.v1` every message is a JSON object with a `type`. The service sends `welcome`,
   * `presence.join`, `presence.update`, `presence.leave`, `file.changed`, `file.deleted`, `file.renamed`,
   * `chat.event`, `preview.status`, `project.updated`, `tasks.changed`, `data.changed` (records of the backend's
   * `environment`, or of both), `error` and `pong`; a client sends `presence.update`, whose
   * `path`, `cursor` and `selection` may each be missing or null, and `ping`, 64 KiB at most.
   *
   * The caller may present a token in the query, as the subprotocol `bearer.<token>` beside `atelier.v1` or alone,
   * or in the Authorization header, one of them. A socket that comes with nothing but the session cookie must have
   * the origin of the studio.
   *
   * The service ends a socket with 4400 after a malformed message, 4401 when the token has expired or the session
   * was ended, 4403 when access is lost, 4408 when the client reads too slowly, 4413 after a message that is too
   * long, 4429 when there is too much of something, 1003 after a message of the other kind, and 1012 when the room
   * moves: then connect again. Clients of `y-websocket` never come again after 4400 to 4499, so without a
   * subprotocol 1013 takes the place of 4408, 4413 and 4429.
   *
   * A person has at most 16 connections to a room and shows at most 8 clients on each; a room holds 512
   * connections, and members take the places of readers. Sockets count as streams of events do, so a person has
   * at most 100 of both (MAX_STREAMS_PER_PERSON). Too many connections or clients, or 100 mistakes in a minute,
   * are 4429; while the process has no place for another stream the answer is 503. When somebody who could only
   * read may write, the service asks for what their connection sent before.
   */
  openSocket(projectId: Id, options?: CallOptions<{
    /** An access token or an API token. It is never logged. */
    token?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/ws/project/${encodeURIComponent(projectId)}`, options);
  }

  /**
   * What there is to fetch, or to push to.
   * GET /git/{projectId}/info/refs
   *
   * The first call of a git client: the newest version as `HEAD` and `refs/heads/main`, in the smart protocol, version 0. The dumb protocol is not served. Pushing also requires `files:write`.
   */
  advertiseGit(projectId: string, options: Asked<CallOptions<{
    /** Another value, or no value, is 404. */
    service: "git-upload-pack" | "git-receive-pack";
  }>>): Promise<Response> {
    return this.#caller.send('GET', `/git/${encodeURIComponent(projectId)}/info/refs`, options);
  }

  /**
   * Versions with all their objects, for `git clone` and `git fetch`.
   * POST /git/{projectId}/git-upload-pack
   *
   * The whole history of `main`, or, with a depth, the end of it. Filters are ignored. Edits that are in no version yet are not in it. The body may come in gzip and has at most 8 MiB.
   */
  fetchGit(projectId: string, body: BodyInit, options?: CallOptions): Promise<Response> {
    return this.#caller.send('POST', `/git/${encodeURIComponent(projectId)}/git-upload-pack`, options, body, 'application/octet-stream');
  }

  /**
   * New versions, from `git push`.
   * POST /git/{projectId}/git-receive-pack
   *
   * Moves `main` forward, to commits that keep their ids; the project's files follow before the answer comes. What becomes of each ref is told in the answer (`report-status`), whose status is 200 in any case: refused are other refs, deletions, moves that are no fast-forward, a project that has changed since or in which the agent is working, packs over 512 MiB, and commits of which any holds what the file API refuses: paths, links, submodules, files that are too large. What people had edited and nobody committed becomes a version of its own first.
   */
  pushGit(projectId: string, body: BodyInit, options?: CallOptions): Promise<Response> {
    return this.#caller.send('POST', `/git/${encodeURIComponent(projectId)}/git-receive-pack`, options, body, 'application/octet-stream');
  }

  /**
   * The environment values of a project, without the values.
   * GET /projects/{projectId}/env
   *
   * They are for members, whatever the project's visibility.
   */
  listVariables(projectId: Id, options?: CallOptions): Promise<{
    items: Variable[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/env`, options);
  }

  /**
   * One environment value, without the value.
   * GET /projects/{projectId}/env/{key}
   */
  getVariable(projectId: Id, key: string, options?: CallOptions): Promise<Variable> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/env/${encodeURIComponent(key)}`, options);
  }

  /**
   * Set an environment value.
   * PUT /projects/{projectId}/env/{key}
   *
   * A project has at most 200 keys (409). Values of keys that begin with `VITE_` reach the build, as `import.meta.env` has them; publishing a site that would show another one, of 8 characters or more, fails.
   */
  putVariable(projectId: Id, key: string, body: {
    /** At most 64 KiB, without NUL. */
    value: string;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('PUT', `/projects/${encodeURIComponent(projectId)}/env/${encodeURIComponent(key)}`, options, body, 'application/json');
  }

  /**
   * Delete an environment value.
   * DELETE /projects/{projectId}/env/{key}
   */
  deleteVariable(projectId: Id, key: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/env/${encodeURIComponent(key)}`, options);
  }

  /**
   * What a project can start from.
   * GET /templates
   */
  listTemplates(options?: CallOptions): Promise<{
    items: Template[];
  }> {
    return this.#caller.json('GET', `/templates`, options);
  }

  /**
   * Files of a project.
   * GET /projects/{projectId}/files
   */
  listFiles(projectId: Id, options?: CallOptions<{
    /** Answer with nested directories. */
    tree?: boolean;
  }>): Promise<FileEntry[] | FileTree> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/files`, options);
  }

  /**
   * Search the files of a project.
   * GET /projects/{projectId}/files/search
   *
   * Without `q` the path is that of a file named `search`, and this is readFile.
   */
  searchFiles(projectId: Id, options?: CallOptions<{
    /** A regular expression in RE2 syntax, matched line by line. */
    q?: string;
    /** More than 1000 counts as 1000. */
    maxResults?: number;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/files/search`, options);
  }

  /**
   * Change many files at once.
   * POST /projects/{projectId}/files/bulk
   *
   * A malformed operation or path refuses all of them. Otherwise they are carried out in order, each atomic, and become one version. The body is at most 64 MiB.
   */
  changeFiles(projectId: Id, body: {
    operations: (WriteOperation | RenameOperation | DeleteOperation)[];
    /** The version's. */
    message?: string | null;
  }, options?: CallOptions): Promise<{
    results: OperationResult[];
    commit: string | null;
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/files/bulk`, options, body, 'application/json');
  }

  /**
   * Set single values in a source.
   * POST /direct-save/{projectId}
   *
   * For visual editors: no model is asked. All patches are applied, or none; everything around the values stays byte for byte. All selectors are resolved against the file as it is. A write that somebody else makes at the same time is kept. Takes .css of at most 1 MiB, .html of as much, and .jsx and .tsx of at most 128 KiB; of .js, .mjs, .ts and .mts only patches without a selector, for texts that the page shows. With dryRun nothing is changed, and the answer says of each patch by itself whether it could be applied.
   */
  directSave(projectId: Id, body: {
    /** From the project's root. */
    filePath: string;
    patches: Patch[];
    /** Try at most 20 patches and change nothing. */
    dryRun?: boolean;
  }, options?: CallOptions): Promise<{
    file: FileEntry;
    /** The number of patches. */
    applied: number;
    /** Unified, cut after 256 KiB; empty when nothing had to change. */
    diff: string;
  } | {
    /** Of each patch, in their order. */
    outcomes: {
      /** Empty if the patch could be applied. */
      error: "" | "selector_not_found" | "validation_failed";
      /** Why an element cannot be moved, copied or deleted: a loop repeats it, it is all that its component or page shows, or another expression decides whether it is there. */
      reason: "" | "loop" | "whole" | "expression";
      message: string;
    }[];
  }> {
    return this.#caller.json('POST', `/direct-save/${encodeURIComponent(projectId)}`, options, body, 'application/json');
  }

  /**
   * Read a file.
   * GET /projects/{projectId}/files/{path}
   *
   * Browsers run nothing of it: it comes in a sandbox, is not sniffed, and is refused (403) as a part of another site's page and as a service worker.
   */
  readFile(projectId: Id, path: string, options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/files/${segments(path)}`, options);
  }

  /**
   * The headers of a file.
   * HEAD /projects/{projectId}/files/{path}
   */
  headFile(projectId: Id, path: string, options?: CallOptions): Promise<Response> {
    return this.#caller.send('HEAD', `/projects/${encodeURIComponent(projectId)}/files/${segments(path)}`, options);
  }

  /**
   * Write a file.
   * PUT /projects/{projectId}/files/{path}
   *
   * A directory at the path is 409.
   */
  writeFile(projectId: Id, path: string, body: BodyInit, options?: CallOptions): Promise<FileEntry> {
    return this.#caller.json('PUT', `/projects/${encodeURIComponent(projectId)}/files/${segments(path)}`, options, body, 'application/octet-stream');
  }

  /**
   * Delete a file, or a directory with everything below it.
   * DELETE /projects/{projectId}/files/{path}
   */
  deleteFile(projectId: Id, path: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/files/${segments(path)}`, options);
  }

  /**
   * Chats of a project.
   * GET /projects/{projectId}/chats
   */
  listChats(projectId: Id, options?: CallOptions): Promise<{
    items: Chat[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/chats`, options);
  }

  /**
   * Open a chat.
   * POST /projects/{projectId}/chats
   *
   * A project may have so many chats as the operator says (MAX_CHATS_PER_PROJECT, 200 unless set).
   */
  createChat(projectId: Id, body: {
    mode: string;
    title?: string | null;
  }, options?: CallOptions): Promise<Chat> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/chats`, options, body, 'application/json');
  }

  /**
   * Change a chat.
   * PATCH /projects/{projectId}/chats/{chatId}
   */
  updateChat(projectId: Id, chatId: Id, body: {
    /** Null leaves it unchanged. */
    title?: string | null;
    /** Null leaves it unchanged. */
    mode?: string | null;
  }, options?: CallOptions): Promise<Chat> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}/chats/${encodeURIComponent(chatId)}`, options, body, 'application/json');
  }

  /**
   * Delete a chat with its log.
   * DELETE /projects/{projectId}/chats/{chatId}
   */
  deleteChat(projectId: Id, chatId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/chats/${encodeURIComponent(chatId)}`, options);
  }

  /**
   * An image of a message.
   * GET /projects/{projectId}/chats/{chatId}/attachments/{attachmentId}
   */
  getAttachment(projectId: Id, chatId: Id, attachmentId: string, options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/chats/${encodeURIComponent(chatId)}/attachments/${encodeURIComponent(attachmentId)}`, options);
  }

  /**
   * The log of a chat.
   * GET /chat/{projectId}/messages
   *
   * Without `after` it is the newest page, and `nextCursor` is the next `before`; with `after` it is the next `after`.
   */
  listEvents(projectId: Id, options: Asked<CallOptions<{
    /** A chat of the project. */
    chatId: Id;
    /** Only events before this seq. */
    before?: number;
    /** The first events after this seq, instead of the newest. */
    after?: number;
    /** The largest number of results. More than 500 counts as 500. */
    limit?: number;
  }>>): Promise<{
    items: ChatEvent[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/chat/${encodeURIComponent(projectId)}/messages`, options);
  }

  /**
   * Send a message to the agent.
   * POST /chat/{projectId}/messages
   *
   * A text that begins with a command's name, such as `/fix`, is expanded: `/plan` answers this message in plan mode, `/fix` gives the agent what is wrong now, `/check` plays the checks or, with words behind it, has the agent keep one; the workspace's own follow `GET /workspaces/{wid}/commands`. The answer is the run's events from `user.message` to the last. What fails in the run, such as `credit_exhausted` or `model_unavailable`, is its last event. Closing the connection ends the run, unless `detach` is true.
   */
  sendMessage(projectId: Id, body: {
    chatId: Id;
    text: string;
    /** A model, or `<providerId>/<model>`; the default without it. */
    model?: string;
    /** How much the model thinks before each answer, where it can; without it as the mode says, else as the model does by itself. */
    thinking?: "off" | "low" | "medium" | "high";
    /** Spends the caller's own AI subscription. */
    provider?: "own";
    /** Images that the model is shown: PNG, JPEG, GIF or WebP of at most 5 MiB, 16384 pixels a side and 100 million pixels. Their data says what they are. The body may have 64 MiB, and 1 MiB without them. */
    attachments?: {
      type: "image";
      /** A data URL in base64, or an http(s) address, which the service fetches within 10 seconds. */
      url: string;
    }[] | null;
    /** What the message is about. Of a `file` the model is given the text as it is now, 32 KiB each and 64 KiB in all; one that is not there is 400 `validation_failed`. An `element` is one of the page, with its `tag` and its place in a file. */
    references?: Reference[] | null;
    /** The run goes on when the connection is closed. */
    detach?: boolean;
  }, options?: CallOptions): AsyncGenerator<StreamEvent<ChatEvent>, void> {
    return this.#caller.events('POST', `/chat/${encodeURIComponent(projectId)}/messages`, options, body, 'application/json');
  }

  /**
   * Follow a chat.
   * GET /chat/{projectId}/stream
   *
   * The events after `after` are replayed, then those of the active run follow as they happen, to its end. Leaving it ends nothing.
   */
  followChat(projectId: Id, options: Asked<CallOptions<{
    /** A chat of the project. */
    chatId: Id;
    /** The last seq that the caller has. */
    after?: number;
  }>>): AsyncGenerator<StreamEvent<ChatEvent>, void> {
    return this.#caller.events('GET', `/chat/${encodeURIComponent(projectId)}/stream`, options);
  }

  /**
   * End the run of a chat.
   * POST /chat/{projectId}/stop
   */
  stopRun(projectId: Id, body: {
    chatId: Id;
  }, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/chat/${encodeURIComponent(projectId)}/stop`, options, body, 'application/json');
  }

  /**
   * The last plan that the agent made in a chat.
   * GET /plan/{projectId}
   */
  getPlan(projectId: Id, options: Asked<CallOptions<{
    /** A chat of the project. */
    chatId: Id;
  }>>): Promise<Plan> {
    return this.#caller.json('GET', `/plan/${encodeURIComponent(projectId)}`, options);
  }

  /**
   * Ask the agent for a plan.
   * POST /plan/{projectId}
   *
   * The answer is the run's events from `user.message` to the last. What fails in the run, such as `credit_exhausted` or `model_unavailable`, is its last event. Closing the connection ends the run, unless `detach` is true.
   */
  planMessage(projectId: Id, body: {
    chatId: Id;
    text: string;
    /** A model, or `<providerId>/<model>`; the default without it. */
    model?: string;
    /** How much the model thinks before each answer, where it can; without it as the mode says, else as the model does by itself. */
    thinking?: "off" | "low" | "medium" | "high";
    /** Spends the caller's own AI subscription. */
    provider?: "own";
    /** Images that the model is shown: PNG, JPEG, GIF or WebP of at most 5 MiB, 16384 pixels a side and 100 million pixels. Their data says what they are. The body may have 64 MiB, and 1 MiB without them. */
    attachments?: {
      type: "image";
      /** A data URL in base64, or an http(s) address, which the service fetches within 10 seconds. */
      url: string;
    }[] | null;
    /** What the message is about. Of a `file` the model is given the text as it is now, 32 KiB each and 64 KiB in all; one that is not there is 400 `validation_failed`. An `element` is one of the page, with its `tag` and its place in a file. */
    references?: Reference[] | null;
    /** The run goes on when the connection is closed. */
    detach?: boolean;
  }, options?: CallOptions): AsyncGenerator<StreamEvent<ChatEvent>, void> {
    return this.#caller.events('POST', `/plan/${encodeURIComponent(projectId)}`, options, body, 'application/json');
  }

  /**
   * Answer the agent's request to call another program.
   * POST /chat/{projectId}/approve
   *
   * A run that ended with `approval` waits for this. With a yes, the next run begins with exactly the call of the `approval.request`, made once. Any other message lets the request lapse. Only people answer: an API token cannot.
   */
  approveCall(projectId: Id, body: {
    chatId: Id;
    /** Of the `approval.request`. */
    id: string;
    allow: boolean;
    /** The run goes on when the connection is closed. */
    detach?: boolean;
  }, options?: CallOptions): AsyncGenerator<StreamEvent<ChatEvent>, void> {
    return this.#caller.events('POST', `/chat/${encodeURIComponent(projectId)}/approve`, options, body, 'application/json');
  }

  /**
   * Have the agent carry out a chat's plan.
   * POST /plan/{projectId}/run
   *
   * The chat is switched to build mode, and the plan is its next message.
   */
  runPlan(projectId: Id, body: {
    chatId: Id;
    /** The run goes on when the connection is closed. */
    detach?: boolean;
  }, options?: CallOptions): AsyncGenerator<StreamEvent<ChatEvent>, void> {
    return this.#caller.events('POST', `/plan/${encodeURIComponent(projectId)}/run`, options, body, 'application/json');
  }

  /**
   * The address and the state of the preview.
   * GET /projects/{projectId}/preview
   *
   * It is started if it is not running. Readers of a public project get another address than members; what its pages write to their console is dropped.
   */
  getPreview(projectId: Id, options?: CallOptions): Promise<Preview> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/preview`, options);
  }

  /**
   * Start the preview.
   * POST /projects/{projectId}/preview
   */
  startPreview(projectId: Id, options?: CallOptions): Promise<Preview> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/preview`, options);
  }

  /**
   * End the preview.
   * DELETE /projects/{projectId}/preview
   *
   * It starts again when somebody opens it, under another address: earlier addresses never become valid again.
   */
  stopPreview(projectId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/preview`, options);
  }

  /**
   * Follow a preview to its next address.
   * POST /projects/{projectId}/preview/move
   *
   * The address of a preview changes with the members of its workspace. The stream of builds of a page that is still open at the former address ends with an event `moved`, which has a code. It is worth a code with which the page arrives at the present address, once and within two minutes. A code that is worth nothing gets an empty one: the page then begins anew.
   */
  movePreview(projectId: Id, body: {
    /** That of the event. */
    code?: string;
  }, options?: CallOptions): Promise<{
    url: string;
    /** For the page at this address, `""` for none. */
    code: string;
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/preview/move`, options, body, 'application/json');
  }

  /**
   * Find type errors.
   * POST /projects/{projectId}/typecheck
   *
   * Runs TypeScript's compiler over the files as they are, with the `tsconfig.app.json` or else the `tsconfig.json` at the root. It changes nothing, and neither previews nor publishing wait for it: a project with type errors builds all the same. A project without TypeScript, or without such a configuration, has none. The functions of a backend are checked even if the configuration does not include them. The first check fetches the compiler and the declarations of the project's packages.
   */
  checkTypes(projectId: Id, options?: CallOptions): Promise<TypeErrors> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/typecheck`, options);
  }

  /**
   * Whether questions about code are answered.
   * GET /projects/{projectId}/code
   *
   * Editors offer completions, hover, definitions, live errors and formatting only where this says that they are available. It needs a sandbox.
   */
  getCodeIntelligence(projectId: Id, options?: CallOptions): Promise<CodeStatus> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/code`, options);
  }

  /**
   * What may be written at a place.
   * POST /projects/{projectId}/code/completions
   *
   * TypeScript's language server answers, for `.ts`, `.tsx`, `.js`, `.jsx` and the like. Other files count as they are on the disk. At most 300 completions come, the likeliest first.
   */
  completeCode(projectId: Id, body: CodeQuestion, options?: CallOptions): Promise<CodeCompletions> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/completions`, options, body, 'application/json');
  }

  /**
   * More about a completion.
   * POST /projects/{projectId}/code/details
   *
   * The type, the documentation and the edits that go with one of the completions of the same place, such as an import.
   */
  describeCompletion(projectId: Id, body: CodeDetailsRequest, options?: CallOptions): Promise<CodeDetails> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/details`, options, body, 'application/json');
  }

  /**
   * What a name is.
   * POST /projects/{projectId}/code/hover
   *
   * The answer is empty if there is no name at the place.
   */
  hoverCode(projectId: Id, body: CodeQuestion, options?: CallOptions): Promise<CodeHover> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/hover`, options, body, 'application/json');
  }

  /**
   * Where a name is defined.
   * POST /projects/{projectId}/code/definition
   *
   * Places in packages have the name of the package and no path.
   */
  defineCode(projectId: Id, body: CodeQuestion, options?: CallOptions): Promise<{
    locations: CodeLocation[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/definition`, options, body, 'application/json');
  }

  /**
   * What is wrong in a file.
   * POST /projects/{projectId}/code/diagnostics
   *
   * Errors and warnings of one file, for an editor while somebody types; line and column of the question do not matter. To check the whole project, use `typecheck`.
   */
  diagnoseCode(projectId: Id, body: CodeQuestion, options?: CallOptions): Promise<{
    diagnostics: CodeDiagnostic[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/diagnostics`, options, body, 'application/json');
  }

  /**
   * Format a file.
   * POST /projects/{projectId}/code/format
   *
   * The edits that format the file, which is not changed. They are indented as the `.editorconfig` or the configuration of Prettier at the root say, or else as the file is.
   */
  formatCode(projectId: Id, body: CodeQuestion, options?: CallOptions): Promise<{
    edits: CodeEdit[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/code/format`, options, body, 'application/json');
  }

  /**
   * Follow the preview.
   * GET /projects/{projectId}/preview/events
   *
   * The stream ends when the preview does, and for a caller who loses access or reads too slowly; a client that reconnects begins with the current state.
   */
  followPreview(projectId: Id, options?: CallOptions): AsyncGenerator<StreamEvent<PreviewEvent>, void> {
    return this.#caller.events('GET', `/projects/${encodeURIComponent(projectId)}/preview/events`, options);
  }

  /**
   * Publish a project.
   * POST /projects/{projectId}/publish
   *
   * What is staged becomes a version, which is built and then replaces the live site. Without `slug` the site keeps its address, or gets the project's slug, with a number if that is reserved (`app-2`). Live data follows the schema file in the same switch. The project's checks are played before, if the service has a browser.
   */
  publish(projectId: Id, body: {
    slug?: string | null;
    /** The `id` of the plan that lost live data in a `data_loss`, to confirm it. */
    acceptDataLoss?: string;
    /** The `id` of each finding of an `open_data` that a person accepts. It is remembered until the rule or the fields change. */
    acceptFindings?: string[];
    /** Publish without playing the checks. */
    ignoreChecks?: boolean;
  } | undefined, options?: CallOptions): Promise<{
    project: Project;
    url: string;
    /** The version that was built. */
    versionId: string;
    buildMs: number;
    /** What the pages ask for and the site does not have. It refuses no publish. Absent if there is nothing. */
    warnings?: Diagnostic[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/publish`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Take a site offline.
   * DELETE /projects/{projectId}/publish
   *
   * Its deployments are kept.
   */
  unpublish(projectId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/publish`, options);
  }

  /**
   * Deployments of a project.
   * GET /projects/{projectId}/deployments
   */
  listDeployments(projectId: Id, options?: CallOptions): Promise<{
    items: Deployment[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/deployments`, options);
  }

  /**
   * An address that shows a deployment.
   * POST /projects/{projectId}/deployments/{deploymentId}/look
   *
   * What was published then, beside test data, for reading. The address is the same for 12 hours after each call, or until that of the preview changes.
   */
  lookAtDeployment(projectId: Id, deploymentId: Id, options?: CallOptions): Promise<PreviewLink> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/deployments/${encodeURIComponent(deploymentId)}/look`, options);
  }

  /**
   * The connection with a repository on another host.
   * GET /projects/{projectId}/remote
   */
  getRemote(projectId: Id, options?: CallOptions): Promise<ProjectRemote> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/remote`, options);
  }

  /**
   * Connect a project with a branch of a repository.
   * PUT /projects/{projectId}/remote
   *
   * Versions then go both ways, in the name of the caller. A push never forces. Former versions of both sides stay. The answer has the address and the secret of a webhook, for GitHub, GitLab, Gitea and Forgejo; without it the host is asked about every 40 seconds.
   */
  connectRemote(projectId: Id, body: {
    /** The HTTPS address of the repository, without credentials. */
    url: string;
    /** The default branch if it is left out. */
    branch?: string;
    /** Only for hosts that want a certain one with the token. */
    username?: string;
    /** It is never shown. It must allow reading and writing the repository. Left out, the stored one of the same address stays. */
    token?: string;
  }, options?: CallOptions): Promise<ProjectRemote> {
    return this.#caller.json('PUT', `/projects/${encodeURIComponent(projectId)}/remote`, options, body, 'application/json');
  }

  /**
   * End the connection.
   * DELETE /projects/{projectId}/remote
   */
  disconnectRemote(projectId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/remote`, options);
  }

  /**
   * Exchange versions at once.
   * POST /projects/{projectId}/remote/sync
   */
  syncRemote(projectId: Id, options?: CallOptions): Promise<ProjectRemote> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/remote/sync`, options);
  }

  /**
   * Files that both sides changed.
   * GET /projects/{projectId}/remote/conflicts
   */
  listRemoteConflicts(projectId: Id, options?: CallOptions): Promise<{
    items: RemoteConflict[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/remote/conflicts`, options);
  }

  /**
   * Settle conflicts, or have the agent do it.
   * POST /projects/{projectId}/remote/resolve
   *
   * All conflicts must be settled at once. One that has changed since it was seen is a `conflict` again, with the files in `conflicts`.
   */
  resolveRemoteConflicts(projectId: Id, body: {
    /** Whether the agent settles all conflicts in a task. */
    agent?: boolean;
    files?: {
      path: string;
      /** That of the conflict. */
      id: string;
      take: "ours" | "theirs" | "text";
      /** The file, for `text`. */
      text?: string;
    }[];
  }, options?: CallOptions): Promise<ProjectRemote> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/remote/resolve`, options, body, 'application/json');
  }

  /**
   * Say that somebody pushed.
   * POST /hooks/git/{token}
   *
   * For hosts of repositories. The request proves the secret of the webhook: by an HMAC-SHA256 of its body in `X-Hub-Signature-256`, `X-Gitea-Signature` or `X-Forgejo-Signature`, or by the secret itself in `X-Gitlab-Token`. The body is not read otherwise; it has at most 25 MiB.
   */
  callGitHook(token: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/hooks/git/${encodeURIComponent(token)}`, options);
  }

  /**
   * Threads of comments on a project's pages.
   * GET /projects/{projectId}/comments
   */
  listComments(projectId: Id, options?: CallOptions<{
    /** Only threads that are resolved, or only those that are open. */
    resolved?: boolean;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: CommentThread[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/comments`, options);
  }

  /**
   * Comment on a page.
   * POST /projects/{projectId}/comments
   *
   * A comment begins a thread, pinned to an element or, without one, to the page as a whole. The others see it at once. A project has at most 500 threads; with more the answer is `conflict`.
   */
  createComment(projectId: Id, body: {
    text: CommentText;
    /** The path of the page, with its query, such as `/about`. */
    page: string;
    /** How wide the page was, in CSS pixels. */
    width: number;
    element?: PageElement;
  }, options?: CallOptions): Promise<CommentThread> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/comments`, options, body, 'application/json');
  }

  /**
   * Reply to a comment.
   * POST /projects/{projectId}/comments/{commentId}/replies
   *
   * The comment is the first of its thread; a reply has no replies of its own. A thread has at most 100; with more the answer is `conflict`.
   */
  replyToComment(projectId: Id, commentId: Id, body: {
    text: CommentText;
  }, options?: CallOptions): Promise<CommentThread> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/comments/${encodeURIComponent(commentId)}/replies`, options, body, 'application/json');
  }

  /**
   * Change a comment, resolve its thread or open it again.
   * PATCH /projects/{projectId}/comments/{commentId}
   *
   * Only its author changes the text of a comment or reply. Every member resolves threads, by their first comment.
   */
  updateComment(projectId: Id, commentId: Id, body: {
    text?: CommentText;
    resolved?: boolean;
  }, options?: CallOptions): Promise<CommentThread> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}/comments/${encodeURIComponent(commentId)}`, options, body, 'application/json');
  }

  /**
   * Delete a comment.
   * DELETE /projects/{projectId}/comments/{commentId}
   *
   * The first comment of a thread takes the replies with it. Members delete what they wrote themselves, admins of the workspace also what others wrote.
   */
  deleteComment(projectId: Id, commentId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/comments/${encodeURIComponent(commentId)}`, options);
  }

  /**
   * Links that are shared.
   * GET /projects/{projectId}/links
   *
   * Those that have not expired, the newest first.
   */
  listLinks(projectId: Id, options?: CallOptions): Promise<{
    items: PreviewLink[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/links`, options);
  }

  /**
   * Share a preview with anybody.
   * POST /projects/{projectId}/links
   *
   * Anyone with the link sees the project's pages as they are, with test data, and nothing else of it, until it expires, is deleted, or the project moves to another workspace, and only while its maker belongs to the workspace and sees the project. A project has at most 50 links; with more the answer is `conflict`.
   */
  shareLink(projectId: Id, body: {
    /** For whom it is. */
    name?: string;
    hours: number;
  }, options?: CallOptions): Promise<PreviewLink> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/links`, options, body, 'application/json');
  }

  /**
   * End a link.
   * DELETE /projects/{projectId}/links/{linkId}
   *
   * Its address shows nothing from then on.
   */
  revokeLink(projectId: Id, linkId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/links/${encodeURIComponent(linkId)}`, options);
  }

  /**
   * Make an earlier deployment live again.
   * POST /projects/{projectId}/deployments/{deploymentId}/rollback
   *
   * It is served as it was built then. The site keeps its address.
   */
  rollBack(projectId: Id, deploymentId: Id, options?: CallOptions): Promise<Deployment> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/deployments/${encodeURIComponent(deploymentId)}/rollback`, options);
  }

  /**
   * The settings of a project's site.
   * GET /projects/{projectId}/site
   */
  getSite(projectId: Id, options?: CallOptions): Promise<SiteSettings> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/site`, options);
  }

  /**
   * Change the settings of a project's site.
   * PATCH /projects/{projectId}/site
   *
   * What is absent stays. A live site follows at once, without a publish. Under `password` and `workspace` no byte of the site is given to who has not signed in; a new password ends the visits of all who came in with the old one.
   */
  changeSite(projectId: Id, body: {
    title?: string | null;
    description?: string | null;
    image?: string | null;
    favicon?: string | null;
    language?: string | null;
    robots?: "index" | "noindex" | null;
    access?: "public" | "password" | "workspace" | null;
    /** Of the site. Empty removes it. */
    password?: string | null;
    notFound?: string | null;
  }, options?: CallOptions): Promise<SiteSettings> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}/site`, options, body, 'application/json');
  }

  /**
   * Enter a site that only members see.
   * POST /projects/{projectId}/site/pass
   *
   * The answer has an address that lets the browser of the caller in, once and within a minute.
   */
  passToSite(projectId: Id, body: {
    /** The path of the site to see. */
    to?: string;
  } | undefined, options?: CallOptions): Promise<{
    url: string;
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/site/pass`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * How often a project's site was visited.
   * GET /projects/{projectId}/site/visits
   *
   * Views of pages, and visits: views by people who come from elsewhere. No cookie and no address of a visitor is kept. Days are those of UTC.
   */
  listVisits(projectId: Id, options?: CallOptions<{
    /** How many days, today included. */
    days?: number;
  }>): Promise<{
    visits: number;
    views: number;
    /** Every day, the oldest first. */
    days: {
      day: string;
      visits: number;
      views: number;
    }[];
    /** The 50 that were opened most; all others have an empty path. */
    pages: {
      path: string;
      views: number;
    }[];
    /** The 50 hosts that most visits came from; all others have an empty name. */
    referrers: {
      host: string;
      visits: number;
    }[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/site/visits`, options);
  }

  /**
   * The state of a project's backend.
   * GET /projects/{projectId}/backend
   *
   * Test data is brought up to date with the schema file before. A project without that file has no backend; what is left of its data is shown.
   */
  getBackend(projectId: Id, options?: CallOptions): Promise<Backend> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend`, options);
  }

  /**
   * The checks of a project.
   * GET /projects/{projectId}/checks
   *
   * A check is a file `.atelier/checks/<name>.json`, which says what a person does on the pages, and what these show then: `{title, path, as?, steps}`. A step either does something, `{do: click|fill|press|select|goto|wait, target?, value?}`, or expects something, `{expect: visible|hidden|text|url|count, target?, value?, count?}`. A target is `{role, name?, nth?, state?}`, as assistive technology names elements. `as` is `guest`, or the e-mail address of a user of `backend/seed.json`. The agent writes checks, people may, too. At most 100 are listed and played, in the order of their names.
   */
  listChecks(projectId: Id, options?: CallOptions): Promise<{
    items: Check[];
    /** Why no check can be played here. Without a browser, checks neither pass nor fail. */
    unavailable?: string;
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/checks`, options);
  }

  /**
   * List the tasks.
   * GET /projects/{projectId}/tasks
   *
   * The oldest first, without the files that they change.
   */
  listTasks(projectId: Id, options?: CallOptions): Promise<{
    items: Task[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/tasks`, options);
  }

  /**
   * Begin a task.
   * POST /projects/{projectId}/tasks
   *
   * Makes a working copy of the project as it is now, with what people have typed, its versions and its test data, opens a chat in it, and sends the message there, with commands, references and images as in a chat. The run goes on without a client. The operator says how many tasks a project and a workspace may have at work (MAX_TASKS_PER_PROJECT, MAX_TASKS_PER_WORKSPACE).
   */
  createTask(projectId: Id, body: {
    /** The message to the agent. */
    content: string;
    /** Taken from the message without it. The version that the merge makes is called by it only if it is given, and otherwise by the files that changed. */
    title?: string;
    /** The chat's mode, `build` without it. */
    mode?: string;
    /** A model, or `<providerId>/<model>`. */
    model?: string;
    /** Images that the model is shown: PNG, JPEG, GIF or WebP of at most 5 MiB, 16384 pixels a side and 100 million pixels. Their data says what they are. The body may have 64 MiB, and 1 MiB without them. */
    attachments?: {
      type: "image";
      /** A data URL in base64, or an http(s) address, which the service fetches within 10 seconds. */
      url: string;
    }[] | null;
    /** What the message is about. Of a `file` the model is given the text as it is now, 32 KiB each and 64 KiB in all; one that is not there is 400 `validation_failed`. An `element` is one of the page, with its `tag` and its place in a file. */
    references?: Reference[] | null;
  }, options?: CallOptions): Promise<Task> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/tasks`, options, body, 'application/json');
  }

  /**
   * Get a task, with the files that it changes.
   * GET /projects/{projectId}/tasks/{taskId}
   */
  getTask(projectId: Id, taskId: Id, options?: CallOptions): Promise<Task> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/tasks/${encodeURIComponent(taskId)}`, options);
  }

  /**
   * Take a task off the board.
   * DELETE /projects/{projectId}/tasks/{taskId}
   *
   * What is not merged is removed with the working copy, and its run is stopped. A merged task leaves the project as it is.
   */
  discardTask(projectId: Id, taskId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/tasks/${encodeURIComponent(taskId)}`, options);
  }

  /**
   * Merge a task into the project.
   * POST /projects/{projectId}/tasks/{taskId}/merge
   *
   * A three-way merge of the project as it was when the task began, the copy, and the project as it is now: all changes as one version of the agent's, which can be undone, or none. The chat then is one of the project's, with the task's id, and the working copy is removed. Where there are checks and a browser, the checks are played on the merged files first, in the copy, which gets the project's present files for that. If one fails that has not failed in the project before, nothing is merged; `ignoreChecks` merges nevertheless, and `checks` then tells which fail in the project. Merges of a project come one after another.
   *   While the files are merged the working copy is answered for with 404, so that nothing is saved in it that
   *   would go with it; a merge that fails brings it back.
   */
  mergeTask(projectId: Id, taskId: Id, body: {
    /** Merge whatever the checks say. */
    ignoreChecks?: boolean;
  } | undefined, options?: CallOptions): Promise<Task> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/tasks/${encodeURIComponent(taskId)}/merge`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Settle the conflicts of a task.
   * POST /projects/{projectId}/tasks/{taskId}/resolve
   *
   * Brings the project's present files into the working copy, below the task's changes. Texts get the markers of git where both changed the same lines. With `agent` the agent is told to settle them, and to mend the checks that held the merge back, and the task is merged when it has finished; with `person` a person does both. With nothing to settle the task is merged at once.
   */
  resolveTask(projectId: Id, taskId: Id, body: {
    by: "agent" | "person";
  }, options?: CallOptions): Promise<Task> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/tasks/${encodeURIComponent(taskId)}/resolve`, options, body, 'application/json');
  }

  /**
   * Play checks.
   * POST /projects/{projectId}/checks/run
   *
   * Each is played in the service's browser, on the preview, with fresh test data of its own as schema and seed make them, and without a model. Nobody's test data change. The answer comes when all have been played, at most five minutes later.
   */
  runChecks(projectId: Id, body: {
    /** The checks to play; all without it. */
    names?: string[];
  } | undefined, options?: CallOptions): Promise<{
    items: CheckResult[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/checks/run`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * The page where a check last failed.
   * GET /projects/{projectId}/checks/{name}/picture
   */
  getCheckPicture(projectId: Id, name: string, options?: CallOptions<{
    /** Makes the address in `picture` change with the picture. It is otherwise ignored. */
    v?: string;
  }>): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/checks/${encodeURIComponent(name)}/picture`, options);
  }

  /**
   * Find out what strangers reach of the data.
   * POST /projects/{projectId}/backend/check
   *
   * A copy of the test data is attacked as a guest and as a second signed-up user would, with real requests, and removed again. Publishing does the same with a copy of what becomes live.
   */
  checkBackend(projectId: Id, options?: CallOptions): Promise<{
    findings: Finding[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/check`, options);
  }

  /**
   * Turn the tables of a Postgres database into a schema.
   * POST /projects/{projectId}/backend/proposal
   *
   * The SQL is read and never run: `CREATE TABLE`, `CREATE TYPE … AS ENUM`, `CREATE UNIQUE INDEX`, `CREATE POLICY` and what alters them, as `pg_dump --schema-only` and the migrations of Supabase have them. Every table becomes a collection, with the policies as rules; a policy that has no equivalent opens nothing. The collections of the present schema stay as they are, and tables with their names are left out. Nothing is saved: write `schema` to `backend/schema.json` to keep it. SQL without a table is `validation_failed`; while the present schema file is wrong, the answer is `conflict`.
   */
  proposeSchema(projectId: Id, body: {
    /** Statements in the order in which they would run. */
    sql: string;
  }, options?: CallOptions): Promise<{
    /** The whole content of the file `backend/schema.json`. */
    schema: string;
    /** The names of the collections that the present schema does not have. */
    added: string[];
    /** What was left out or means something else here, in the caller's language. */
    notes?: string[];
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/proposal`, options, body, 'application/json');
  }

  /**
   * Confirm the plan that waits for a person's yes.
   * POST /projects/{projectId}/backend/test/apply
   *
   * The test data follows the schema file and loses what the plan says. When that is not the plan that is pending, the answer is `conflict`, and nothing is changed.
   */
  applyPendingPlan(projectId: Id, body: {
    /** The `id` of the pending plan. */
    planId: string;
  }, options?: CallOptions): Promise<Backend> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/test/apply`, options, body, 'application/json');
  }

  /**
   * Make the test data anew from the schema file.
   * POST /projects/{projectId}/backend/test/reset
   *
   * All records, users and files of the test data are deleted. While the schema file is wrong, the answer is `conflict`, and nothing is deleted.
   */
  resetTestData(projectId: Id, body: {
    /** Whether to create the records of the file `backend/seed.json`. */
    seed?: boolean;
  } | undefined, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/test/reset`, options, body, body === undefined ? undefined : 'application/json');
  }

  /**
   * Try a function of the preview.
   * POST /projects/{projectId}/backend/test/functions/{name}
   *
   * The function is called as by a guest, with test data. Unlike strangers, members learn why it failed. The answer is 200 whatever the function does.
   */
  tryFunction(projectId: Id, name: string, body: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** What follows the name in the address, beginning with `/` or `?`. */
    path?: string;
    contentType?: string;
    body?: string;
  }, options?: CallOptions): Promise<FunctionTrial> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/test/functions/${encodeURIComponent(name)}`, options, body, 'application/json');
  }

  /**
   * The mails that users of the test data were sent.
   * GET /projects/{projectId}/backend/test/mails
   *
   * They never leave the service. The newest 100 are kept.
   */
  listTestMails(projectId: Id, options?: CallOptions): Promise<{
    items: TestMail[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/test/mails`, options);
  }

  /**
   * The functions of an environment.
   * GET /projects/{projectId}/backend/{env}/functions
   *
   * Those of the preview's build for `test`, those of the published site for `live`.
   */
  listFunctions(projectId: Id, env: "test" | "live", options?: CallOptions): Promise<{
    items: BackendFunction[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/functions`, options);
  }

  /**
   * The requests and function runs of an environment.
   * GET /projects/{projectId}/backend/{env}/logs
   *
   * What pages asked for under `/_data/` and `/_fn/`. There are no bodies and no tokens in it, and of a query only how the answer is sorted, paged and shaped: what was searched for is left out. It holds what the project's functions write to their consoles, without the values of its environment. The newest 1,000 calls of each kind are kept, for 7 days. Of a flood, some calls are only counted (`omitted`). What members and the agent do with the data is not in it.
   */
  listBackendCalls(projectId: Id, env: "test" | "live", options?: CallOptions<{
    /** Only requests for data, or only runs of functions. */
    kind?: "request" | "function";
    /** Whether to list only calls with a status of 400 or more. */
    failed?: boolean;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: BackendCall[];
    nextCursor: string | null;
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/logs`, options);
  }

  /**
   * The providers with which end users sign in, and the addresses to register there.
   * GET /projects/{projectId}/backend/{env}/providers
   *
   * Auth collections of the environment offer the providers that are set here to their users, unless the option `oauth2` of the schema turns them off. No answer has a client secret.
   */
  listSignInProviders(projectId: Id, env: "test" | "live", options?: CallOptions): Promise<{
    items: SignInProvider[];
    /** The redirect addresses to register at each provider, the most important first; none for `live` until the project is published. PocketBase's client uses them by itself. That of previews is on the service's host and stays as long as the project. */
    redirects: {
      url: string;
    }[];
    /** The providers that may be set. */
    kinds: {
      name: string;
      displayName: string;
      /** Whether it needs all three addresses. */
      addressed: boolean;
    }[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/providers`, options);
  }

  /**
   * Set a provider with which end users sign in.
   * PUT /projects/{projectId}/backend/{env}/providers/{name}
   *
   * It is in force at once. The secret is sealed and never returned. Without `clientSecret` and `appleKey` the present one is kept, unless `clientId` or `tokenURL` changes. Addresses are ones of HTTPS; a private one is `forbidden_address`. Changing those of live data is for admins, and is in the audit log.
   */
  putSignInProvider(projectId: Id, env: "test" | "live", name: string, body: {
    clientId: string;
    clientSecret?: string | null;
    /** For `apple` in the place of `clientSecret`: a key of the developer account, from which the service makes a client secret for each sign-in. It is sealed and never returned. */
    appleKey?: {
      teamId: string;
      keyId: string;
      /** The content of the .p8 file. */
      privateKey: string;
    } | null;
    /** What people read instead of the provider's name. */
    displayName?: string | null;
    authURL?: string | null;
    tokenURL?: string | null;
    userInfoURL?: string | null;
    /** Overrides what the provider does by itself. */
    pkce?: boolean | null;
  }, options?: CallOptions): Promise<SignInProvider> {
    return this.#caller.json('PUT', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/providers/${encodeURIComponent(name)}`, options, body, 'application/json');
  }

  /**
   * Remove a provider with which end users sign in.
   * DELETE /projects/{projectId}/backend/{env}/providers/{name}
   *
   * Users who signed in with it stay. Changing those of live data is for admins, and is in the audit log.
   */
  deleteSignInProvider(projectId: Id, env: "test" | "live", name: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/providers/${encodeURIComponent(name)}`, options);
  }

  /**
   * The records of a collection, rules aside.
   * GET /projects/{projectId}/backend/{env}/collections/{name}/records
   *
   * The order is that of `sort`, and among equals the newest is first; those of a view are by id. Records that are created or deleted meanwhile neither repeat nor hide others. In an order, a text counts with its first characters: 256 of one field, 170 of two, and so on. `@random` has only one page. From 16 MiB on, a page has fewer records than `limit`.
   */
  listRecords(projectId: Id, env: "test" | "live", name: string, options?: CallOptions<{
    /** A filter in PocketBase's syntax, such as `stars > 3 && text ~ "hello"`. */
    filter?: string;
    /** Fields in PocketBase's syntax, such as `-stars,text`. */
    sort?: string;
    /** How many records to pass over from the beginning, without `cursor`. Records that are created or deleted meanwhile shift what it reaches; `cursor` goes on exactly. */
    skip?: number;
    /** The largest number of results. More than 100 counts as 100. */
    limit?: number;
    /** The `nextCursor` of the page before. */
    cursor?: string;
  }>): Promise<{
    items: DataRecord[];
    nextCursor: string | null;
    /** How many records match. */
    total: number;
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/records`, options);
  }

  /**
   * Create a record, rules aside.
   * POST /projects/{projectId}/backend/{env}/collections/{name}/records
   *
   * Changing live data is for admins, and is in the audit log. A record of a view, or one that the collection does not accept, is `validation_failed`; the message names the field.
   */
  createRecord(projectId: Id, env: "test" | "live", name: string, body: Record<string, unknown>, options?: CallOptions): Promise<DataRecord> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/records`, options, body, 'application/json');
  }

  /**
   * One record, rules aside.
   * GET /projects/{projectId}/backend/{env}/collections/{name}/records/{recordId}
   */
  getRecord(projectId: Id, env: "test" | "live", name: string, recordId: string, options?: CallOptions): Promise<DataRecord> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/records/${encodeURIComponent(recordId)}`, options);
  }

  /**
   * Change the fields of a record that the body names, rules aside.
   * PATCH /projects/{projectId}/backend/{env}/collections/{name}/records/{recordId}
   *
   * Changing live data is for admins, and is in the audit log.
   */
  updateRecord(projectId: Id, env: "test" | "live", name: string, recordId: string, body: Record<string, unknown>, options?: CallOptions): Promise<DataRecord> {
    return this.#caller.json('PATCH', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/records/${encodeURIComponent(recordId)}`, options, body, 'application/json');
  }

  /**
   * Delete a record, rules aside.
   * DELETE /projects/{projectId}/backend/{env}/collections/{name}/records/{recordId}
   *
   * What refers to it and is deleted with it is deleted as well; a record to which a required field refers is `validation_failed`. Changing live data is for admins, and is in the audit log.
   */
  deleteRecord(projectId: Id, env: "test" | "live", name: string, recordId: string, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/records/${encodeURIComponent(recordId)}`, options);
  }

  /**
   * Write the records of a file, all or none.
   * POST /projects/{projectId}/backend/{env}/collections/{name}/import
   *
   * The file is a table whose first line has the names of the fields, or JSON: a list of records, or an object with the member `items`. A record with an `id` that is there changes that record, in the fields of the file; every other is created. Files of records are left out. At most 100,000 records, and 100 with a password.
   *
   * Exports of Supabase and Postgres are understood. An `id` that the collection does not accept, such as a UUID or a number, is replaced by one that is derived from it (the first 15 bytes of its SHA-256, each modulo 36 as one of `0-9a-z`), and so are the ids in relations: tables that refer to each other find each other's records, if those that others refer to come first, and a file that is imported again changes the records that it has made. To keep UUIDs, give the collection a field `id` of the type `text` with `max` 36 and the `pattern` `^[a-z0-9-]+$`. `created_at` and `updated_at` are `created` and `updated` if the collection has no fields of their own names. Values are read by the types of the fields: times with and without a zone (UTC), arrays such as `{a,b}`, JSON, `t` and `f`; an empty cell, `\N`, and `NULL` in all but texts, empty the field.
   *
   * A broken file is `invalid_request`, one with records that the collection does not accept `validation_failed`; `rows` names them. Changing live data is for admins, and is in the audit log.
   */
  importRecords(projectId: Id, env: "test" | "live", name: string, body: BodyInit, options?: CallOptions<{
    /** The form of the file; if absent, the type of the body says it. */
    format?: "json" | "csv";
  }>): Promise<{
    /** How many records the file has. */
    imported: number;
    /** How many of them were there and were changed; the others were created. */
    updated: number;
    /** How many of them have another id than the file gives them. */
    newIds: number;
  }> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/import`, options, body, 'application/octet-stream');
  }

  /**
   * All records of a collection as a file.
   * GET /projects/{projectId}/backend/{env}/collections/{name}/export
   *
   * The records of one moment, the oldest first, without passwords. Importing accepts the file. In a table, a text that a spreadsheet would run begins with an apostrophe, which importing takes away.
   */
  exportRecords(projectId: Id, env: "test" | "live", name: string, options?: CallOptions<{
    format?: "json" | "csv";
  }>): Promise<Response> {
    return this.#caller.send('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/collections/${encodeURIComponent(name)}/export`, options);
  }

  /**
   * The snapshots of an environment's data.
   * GET /projects/{projectId}/backend/{env}/snapshots
   *
   * Those of live data are for admins. Live data has one a day, kept for 7 days, and one before every publish, kept for 30. Restoring makes one, too, kept for 30 days. Test data has one before its schema changes, kept for 7 days, at most one a minute unless the change loses values. Of all these an environment keeps the newest 100.
   */
  listSnapshots(projectId: Id, env: "test" | "live", options?: CallOptions): Promise<{
    items: DataSnapshot[];
  }> {
    return this.#caller.json('GET', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/snapshots`, options);
  }

  /**
   * Make a snapshot.
   * POST /projects/{projectId}/backend/{env}/snapshots
   *
   * It holds the records of one moment and their files, and is kept until it is deleted. An environment has at most 20 such snapshots; another is `conflict`. For live data this is for admins, and in the audit log.
   */
  createSnapshot(projectId: Id, env: "test" | "live", options?: CallOptions): Promise<DataSnapshot> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/snapshots`, options);
  }

  /**
   * Delete a snapshot.
   * DELETE /projects/{projectId}/backend/{env}/snapshots/{snapshotId}
   *
   * For live data this is for admins, and in the audit log.
   */
  deleteSnapshot(projectId: Id, env: "test" | "live", snapshotId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/snapshots/${encodeURIComponent(snapshotId)}`, options);
  }

  /**
   * Make the data what they were at a snapshot.
   * POST /projects/{projectId}/backend/{env}/snapshots/{snapshotId}/restore
   *
   * What they were until now is kept as another snapshot. The schema of that time comes back, and is brought to the present one if no value is lost by that. Sign-ins of that time are valid again. For live data this is for admins, and in the audit log.
   */
  restoreSnapshot(projectId: Id, env: "test" | "live", snapshotId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/projects/${encodeURIComponent(projectId)}/backend/${encodeURIComponent(env)}/snapshots/${encodeURIComponent(snapshotId)}/restore`, options);
  }

  /**
   * Domains that a project claims.
   * GET /domains/project/{projectId}
   */
  listDomains(projectId: Id, options?: CallOptions): Promise<{
    items: Domain[];
  }> {
    return this.#caller.json('GET', `/domains/project/${encodeURIComponent(projectId)}`, options);
  }

  /**
   * Claim a domain.
   * POST /domains/project/{projectId}
   *
   * The claim becomes active when its TXT record proves who owns the name and the name points to `target`; the service checks both automatically. A pending claim does not reserve the name, and lapses after 7 days. A project has at most 20 claims. Any number of them may be active: the site is served at the primary one, the others redirect to it.
   */
  addDomain(projectId: Id, body: {
    /** A name that somebody registered, or one below it, of at most 237 characters: no address, wildcard, port or URL. */
    domain: string;
  }, options?: CallOptions): Promise<Domain> {
    return this.#caller.json('POST', `/domains/project/${encodeURIComponent(projectId)}`, options, body, 'application/json');
  }

  /**
   * Check a domain's records now.
   * POST /domains/{domainId}/verify
   *
   * The name's own name servers are asked. `message` says what is missing. At most 20 times a minute for the domains of a project.
   */
  verifyDomain(domainId: Id, options?: CallOptions): Promise<Domain> {
    return this.#caller.json('POST', `/domains/${encodeURIComponent(domainId)}/verify`, options);
  }

  /**
   * Serve the site at this domain.
   * POST /domains/{domainId}/primary
   *
   * The project's other active domains redirect to it, and `url` of the project names it. A domain that is not active is refused with `conflict`.
   */
  makeDomainPrimary(domainId: Id, options?: CallOptions): Promise<Domain> {
    return this.#caller.json('POST', `/domains/${encodeURIComponent(domainId)}/primary`, options);
  }

  /**
   * Remove a domain.
   * DELETE /domains/{domainId}
   *
   * The site is no longer served there, and the name is free for others.
   */
  deleteDomain(domainId: Id, options?: CallOptions): Promise<void> {
    return this.#caller.json('DELETE', `/domains/${encodeURIComponent(domainId)}`, options);
  }

  /**
   * Use the tools, as the Model Context Protocol has it.
   * POST /mcp
   *
   * Stateless streamable HTTP: each message is one request, and its answer is one JSON value. There are no batches,
   * no notifications and no sessions. The tools are routes of this service under other names: `tools/list` has
   * their inputs, which are the parameters and members of the routes, and their hints, and each needs the scope of
   * its route. What a route refuses is a result with `isError`, whose text is the error's body. A call of a tool
   * counts as a call of this route and as one of its own.
   *
   * Tools whose route streams the events of a run begin it detached and answer at once; `follow_run` waits for at
   * most 25 seconds. Values of the environment are written and never read. What a publish would lose or open is for
   * a person to accept. A message has at most 4 MiB, and so has a result.
   */
  useTools(body: {
    jsonrpc: "2.0";
    /** That of the answer; a notification has none. */
    id?: string | number;
    method: string;
    params?: Record<string, unknown>;
  }, options?: CallOptions): Promise<ToolsAnswer | void> {
    return this.#caller.json('POST', `/mcp`, options, body, 'application/json');
  }

  /**
   * What the tools are and who lets programs use them (RFC 9728).
   * GET /.well-known/oauth-protected-resource
   */
  describeToolsAtRoot(options?: CallOptions): Promise<ToolsResource> {
    return this.#caller.json('GET', `/.well-known/oauth-protected-resource`, options);
  }

  /**
   * What the tools are and who lets programs use them (RFC 9728).
   * GET /.well-known/oauth-protected-resource/mcp
   */
  describeTools(options?: CallOptions): Promise<ToolsResource> {
    return this.#caller.json('GET', `/.well-known/oauth-protected-resource/mcp`, options);
  }

  /**
   * How programs are connected (RFC 8414).
   * GET /.well-known/oauth-authorization-server
   */
  describeIssuer(options?: CallOptions): Promise<ToolsIssuer> {
    return this.#caller.json('GET', `/.well-known/oauth-authorization-server`, options);
  }

  /**
   * How programs are connected, where they look below a path.
   * GET /.well-known/openid-configuration
   */
  describeIssuerBelowPath(options?: CallOptions): Promise<ToolsIssuer> {
    return this.#caller.json('GET', `/.well-known/openid-configuration`, options);
  }

  /**
   * Register a program (RFC 7591).
   * POST /oauth/register
   *
   * Programs have no secret. One that nobody allows anything within an hour is forgotten.
   */
  registerProgram(body: {
    client_name?: string;
    redirect_uris: string[];
    /** Only `none`. */
    token_endpoint_auth_method?: string;
    grant_types?: string[];
    response_types?: string[];
  }, options?: CallOptions): Promise<{
    client_id: Id;
    client_id_issued_at: number;
    client_name: string;
    redirect_uris: string[];
    grant_types: string[];
    response_types: string[];
    token_endpoint_auth_method: "none";
  }> {
    return this.#caller.json('POST', `/oauth/register`, options, body, 'application/json');
  }

  /**
   * What a program asks of the caller.
   * GET /oauth/consent
   *
   * The page at `/oauth/authorize` asks it, with the parameters with which the program sent the browser there.
   */
  askForConsent(options?: CallOptions<{
    /** Always `code`. */
    response_type?: string;
    /** The id of a registered program, or the https address of its document. */
    client_id?: string;
    /** One of the program's addresses. */
    redirect_uri?: string;
    /** A SHA-256 in base64url. */
    code_challenge?: string;
    /** Always `S256`. */
    code_challenge_method?: string;
    /** The address of the tools. */
    resource?: string;
    /** Scopes, separated by spaces; without it, all. */
    scope?: string;
    /** What the program gets back. */
    state?: string;
  }>): Promise<ConsentQuestion> {
    return this.#caller.json('GET', `/oauth/consent`, options);
  }

  /**
   * Allow a program to act for the caller, or not.
   * POST /oauth/consent
   *
   * An account has at most 100 connected programs. `scopes` is among those asked for.
   */
  answerConsent(body: {
    allow: boolean;
    scopes?: Scope[];
  }, options?: CallOptions<{
    /** Always `code`. */
    response_type?: string;
    /** The id of a registered program, or the https address of its document. */
    client_id?: string;
    /** One of the program's addresses. */
    redirect_uri?: string;
    /** A SHA-256 in base64url. */
    code_challenge?: string;
    /** Always `S256`. */
    code_challenge_method?: string;
    /** The address of the tools. */
    resource?: string;
    /** Scopes, separated by spaces; without it, all. */
    scope?: string;
    /** What the program gets back. */
    state?: string;
  }>): Promise<{
    redirect: string;
  }> {
    return this.#caller.json('POST', `/oauth/consent`, options, body, 'application/json');
  }

  /**
   * Exchange a code or a refresh token for tokens.
   * POST /oauth/token
   *
   * A code works once within a minute, a refresh token once within 30 days, an access token for an hour. The second use of a code or a refresh token disconnects the program.
   */
  exchangeCode(body: URLSearchParams, options?: CallOptions): Promise<{
    access_token: string;
    token_type: "Bearer";
    /** In seconds. */
    expires_in: number;
    refresh_token: string;
    scope: string;
  }> {
    return this.#caller.json('POST', `/oauth/token`, options, body, 'application/x-www-form-urlencoded');
  }

  /**
   * Disconnect a program by one of its tokens (RFC 7009).
   * POST /oauth/revoke
   *
   * An unknown token is no error.
   */
  revokeProgram(body: URLSearchParams, options?: CallOptions): Promise<void> {
    return this.#caller.json('POST', `/oauth/revoke`, options, body, 'application/x-www-form-urlencoded');
  }

  /**
   * Whether the process is alive.
   * GET /healthz
   */
  alive(options?: CallOptions): Promise<Health> {
    return this.#caller.json('GET', `/healthz`, options);
  }

  /**
   * Whether the service can work.
   * GET /readyz
   */
  ready(options?: CallOptions): Promise<Health> {
    return this.#caller.json('GET', `/readyz`, options);
  }

  /**
   * Metrics for Prometheus.
   * GET /metrics
   *
   * They require a request from this machine, or the bearer token METRICS_TOKEN if the operator set one.
   */
  metrics(options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/metrics`, options);
  }

  /**
   * This document.
   * GET /openapi.json
   */
  describe(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#caller.json('GET', `/openapi.json`, options);
  }

  /**
   * This document as a page for people.
   * GET /docs
   */
  readDescription(options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/docs`, options);
  }

  /**
   * A client in TypeScript, written from this document.
   * GET /sdk.ts
   *
   * One file without dependencies, for browsers, Node.js 20, Deno and Bun. Its class `Atelier` has a method for each
   * operation, named by its `operationId`.
   */
  readClient(options?: CallOptions): Promise<Response> {
    return this.#caller.send('GET', `/sdk.ts`, options);
  }
}
