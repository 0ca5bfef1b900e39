// The records of the public API, as /openapi.json describes them.

export type Role = 'member' | 'admin' | 'owner';

export interface User {
  id: string;
  email: string;
  displayName: string | null;
  avatarUrl: string | null;
  emailVerified: boolean;
  createdAt: string;
}

export interface Features {
  oauth: { github: boolean; google: boolean };
  assistant: boolean;
  mail: boolean;
  sandbox: boolean;
  demoProvider: boolean;
  /** platformProvider is true if workspaces without an AI provider use the operator's. */
  platformProvider: boolean;
}

export interface Me {
  user: User;
  workspace: Workspace;
  features: Features;
  /** instance says whether the user is an admin of the installation, and its notice. */
  instance: { admin: boolean; announcement: string };
}

/** SignupPolicy says who may sign up. */
export type SignupPolicy = 'open' | 'domains' | 'invite' | 'closed';

/** InstanceSettings are what the admins of the installation decide. */
export interface InstanceSettings {
  signup: SignupPolicy;
  signupDomains: string[];
  defaultCreditLimit: number | null;
  announcement: string;
  /** fixed names the settings that the environment fixes, each with its variable. */
  fixed: Record<string, string>;
}

/** Person is an account as admins of the installation see it. */
export interface Person extends User {
  admin: boolean;
  named: boolean;
  disabledAt: string | null;
  lastSeenAt: string | null;
  workspaces: number;
}

/** InstanceInvite is an invitation to the installation. */
export interface InstanceInvite {
  id: string;
  email: string;
  expiresAt: string;
}

export interface Workspace {
  id: string;
  name: string;
  slug: string;
  personal: boolean;
  role: Role;
  creditLimit: number | null;
  creditUsed: number;
  /** commandHosts are the hosts that the agent's commands may reach. */
  commandHosts: string[];
  createdAt: string;
  updatedAt: string;
}

export interface Member {
  userId: string;
  email: string;
  displayName: string;
  avatarUrl: string | null;
  role: Role;
  joinedAt: string;
}

export interface Invite {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
}

/** Invitation is an invite as its recipient sees it. */
export interface Invitation {
  email: string;
  role: Role;
  /** workspace is the name of the workspace. */
  workspace: string;
  invitedBy: string;
  expiresAt: string;
}

export interface AuditEntry {
  id: string;
  action: string;
  /** actor is null for actions without a signed-in user. */
  actor: { userId: string; email: string } | null;
  target: string;
  /** ip is empty for actions of the service itself. */
  ip: string;
  createdAt: string;
}

/** UsageRow is a workspace's use of a model on one day (UTC). */
export interface UsageRow {
  day: string;
  model: string;
  inputTokens: number;
  /** cachedTokens of inputTokens were read from the provider's prompt cache. */
  cachedTokens: number;
  outputTokens: number;
  /** cost is in USD. */
  cost: number;
}

export interface Usage {
  creditLimit: number | null;
  creditUsed: number;
  items: UsageRow[];
}

export interface Folder {
  id: string;
  workspaceId: string;
  parentId: string | null;
  name: string;
  createdAt: string;
  updatedAt: string;
}

export type Visibility = 'private' | 'workspace' | 'public';

export interface Project {
  id: string;
  workspaceId: string;
  folderId: string | null;
  slug: string;
  name: string;
  description: string | null;
  template: string | null;
  visibility: Visibility;
  thumbnailUrl: string | null;
  publishedAt: string | null;
  customDomain: string | null;
  url: string | null;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  /** copyOf is the project of which this is a task's working copy. */
  copyOf?: string;
}

export interface Template {
  id: string;
  name: string;
  description: string;
}

export interface FileEntry {
  path: string;
  size: number;
  updatedAt: string;
  etag: string;
}

export interface SearchMatch {
  path: string;
  line: number;
  column: number;
  text: string;
}

/** Check is a check of a project, and what became of it when it was last played. */
export interface Check {
  name: string;
  title: string;
  path: string;
  lastResult: 'passed' | 'failed' | 'never';
  at: string | null;
  step?: number;
  message?: string;
  picture?: string;
  problem?: Diagnostic;
}

export interface CheckResult {
  name: string;
  title: string;
  passed: boolean;
}

/** Task is work on a copy of a project. */
export interface Task {
  id: string;
  title: string;
  status: 'working' | 'ready' | 'failed' | 'conflict' | 'checks_failed' | 'merging' | 'merged';
  /** copyId is the working copy, null once it is removed. */
  copyId: string | null;
  progress: string;
  conflicts: { path: string; message: string }[];
  problem?: string;
  versionId: string | null;
  checks: {
    state: '' | 'pending' | 'passed' | 'failed' | 'unavailable';
    failed?: { name: string; title: string; message: string; passedBefore: boolean }[];
  };
}

export interface CheckFailure {
  name: string;
  title: string;
  step?: number;
  message: string;
}

export interface Diagnostic {
  path: string;
  line: number;
  column: number;
  message: string;
}

export interface Preview {
  url: string;
  status: 'starting' | 'ready' | 'error';
  runtime: 'go' | 'node' | 'static';
  runtimeReason?: string;
  progress?: string;
  diagnostics: Diagnostic[];
}

export interface Version {
  id: string;
  message: string;
  author: { kind: 'user' | 'agent'; name: string };
  createdAt: string;
  chatId: string | null;
  filesChanged: number;
}

/** ListedVersion is a version with what people say about it. */
export interface ListedVersion extends Version {
  name: string;
  starred: boolean;
  /** live says that the project's site shows it. */
  live: boolean;
}

/**
 * VersionPage is a page of versions, newest first. The first page also lists the changes
 * that are not in a version yet.
 */
export interface VersionPage extends Page<ListedVersion> {
  unsaved?: { filesChanged: number };
}

/** PreviewLink is an address that shows a project's pages. */
export interface PreviewLink {
  id: string;
  kind: 'share' | 'version' | 'deployment';
  name: string;
  url: string;
  by: string;
  createdAt: string;
  expiresAt: string;
}

export interface Deployment {
  id: string;
  url: string;
  slug: string;
  status: 'live' | 'superseded' | 'rolled_back';
  createdAt: string;
  by: string;
  bytes: number;
  versionId: string;
  /** title is the first line of the version's message; empty for very old deployments. */
  title: string;
}

export interface Domain {
  id: string;
  projectId: string;
  domain: string;
  status: 'pending_dns' | 'pending_verification' | 'active' | 'error';
  /** primary is true for the domain that serves the site; other active domains redirect to it. */
  primary: boolean;
  txtName: string;
  txtValue: string;
  target: string;
  message: string;
  /** checkedAt is the time of the last DNS check, null before the first. */
  checkedAt: string | null;
  checks: DomainChecks | null;
}

export type DomainCheck = 'present' | 'missing' | 'unknown';

/** DomainChecks is the DNS state of a domain's records. */
export interface DomainChecks {
  pointing: DomainCheck;
  proof: DomainCheck;
  /** leadsTo are the addresses that the name resolves to; addresses are the accepted ones. */
  leadsTo: string[];
  addresses: string[];
}

/** Variable is an environment variable without its value. */
export interface Variable {
  key: string;
  createdAt: string;
  updatedAt: string;
}

export type DataEnv = 'test' | 'live';

/** Backend is the state of a project's data. */
export interface Backend {
  enabled: boolean;
  collections: DataCollection[];
  diagnostics: Diagnostic[];
  environments: Record<DataEnv, DataEnvironment | null>;
}

export interface DataCollection {
  name: string;
  type: 'base' | 'auth' | 'view';
  fields: DataField[];
  rules: DataRules;
}

export interface DataField {
  name: string;
  type: string;
  required: boolean;
  /** collection is the target of a relation. */
  collection?: string;
  values?: string[];
  multiple: boolean;
}

/**
 * DataRules are filters that a caller must match: "" allows everybody, null only the
 * project's members.
 */
export interface DataRules {
  list: string | null;
  view: string | null;
  create: string | null;
  update: string | null;
  delete: string | null;
}

export interface DataEnvironment {
  records: number;
  bytes: number;
  fileBytes: number;
  users: number;
  /** counts is the number of records by collection. */
  counts: Record<string, number>;
  /** pending is a schema change that would lose data and waits for consent. */
  pending: SchemaPlan | null;
}

/** DataRecord is a record with the fields of its collection. */
export type DataRecord = { id: string } & Record<string, unknown>;

/** Finding is an unwanted access that an attack on a copy of the data found. */
export interface Finding {
  /** id stays the same until the rule or the fields change. */
  id: string;
  collection: string;
  as: 'guest' | 'stranger';
  action: 'list' | 'view' | 'expand' | 'filter' | 'subscribe' | 'file' | 'create' | 'change' | 'delete' | 'verify';
  records: number;
  fields: string[];
  severity: 'high' | 'medium' | 'info';
  text: string;
  /** suggestion is a replacement for the schema file. */
  suggestion: string;
}

/** DataSnapshot is a copy of an environment's data at one moment. */
export interface DataSnapshot {
  id: string;
  createdAt: string;
  /** by is the creator's user id, null for the service's own snapshots. */
  by: string | null;
  reason: 'manual' | 'publish' | 'restore' | 'scheduled';
  bytes: number;
}

/** SignInProvider is where end users of an application may sign in. Its secret is never returned. */
export interface SignInProvider {
  name: string;
  clientId: string;
  /** displayName and the addresses are empty for the kind's own. */
  displayName: string;
  authURL: string;
  tokenURL: string;
  userInfoURL: string;
  /** pkce overrides what the kind does by itself. */
  pkce: boolean | null;
  createdAt: string;
  updatedAt: string;
}

/** SignInKind is a kind of provider; an addressed one has no addresses of its own. */
export interface SignInKind {
  name: string;
  displayName: string;
  addressed: boolean;
}

/** SignInSettings are those of an environment. */
export interface SignInSettings {
  items: SignInProvider[];
  /** redirects are to be registered at each provider, the most important first. */
  redirects: { url: string }[];
  kinds: SignInKind[];
}

/** FunctionTrial is the result of a test call of a function. */
export interface FunctionTrial {
  status: number;
  contentType: string;
  /** body is the response text, possibly truncated; bytes is the full size. */
  body: string;
  bytes: number;
  ms: number;
  /** error is the reason of a failure, empty on success. */
  error: string;
  console: { level: string; text: string }[];
}

/** BackendFunction is a function of an environment. */
export interface BackendFunction {
  name: string;
  path: string;
  /** schedule is when it runs by the clock on the published site, or null. */
  schedule: string | null;
  /** nextAt is the next time of a live function, or null. */
  nextAt: string | null;
}

export interface SchemaPlan {
  id: string;
  steps: SchemaStep[];
}

export interface SchemaStep {
  kind: 'add' | 'change' | 'drop';
  collection: string;
  field?: string;
  /** records is the number of records that lose a value in this step. */
  records: number;
  loses: boolean;
  text: string;
}

/** BackendCall is a request for a project's data or a function run. */
export interface BackendCall {
  id: string;
  kind: 'request' | 'function';
  time: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** user is an end user's record as collection/id; empty for guests. */
  user: string;
  error: string;
  console: { level: string; text: string }[];
  /** omitted is the number of earlier calls that were not logged. */
  omitted: number;
}

/** TestMail is a mail to a user of the test data. It is stored instead of sent. */
export interface TestMail {
  id: string;
  to: string;
  subject: string;
  text: string;
  createdAt: string;
}

export interface Chat {
  id: string;
  projectId: string;
  title: string;
  mode: string;
  isDefault: boolean;
  running: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface Plan {
  steps: PlanStep[];
  rawText: string;
}

export interface PlanStep {
  title: string;
  description: string;
  files: string[];
  risk: string;
}

export type ProviderKind = 'ollama' | 'openai' | 'anthropic' | 'demo';

export interface Provider {
  id: string;
  kind: ProviderKind;
  name: string;
  baseUrl: string | null;
  defaultModel: string | null;
  isDefault: boolean;
  hasKey: boolean;
  keyHint: string | null;
  capabilities: ProviderCapabilities | null;
  createdAt: string;
  updatedAt: string;
}

/** ProviderCapabilities is the result of probing a provider's default model. */
export interface ProviderCapabilities {
  /** contextTokens is 0 when the provider does not report it. */
  contextTokens: number;
  tools: boolean;
  vision: boolean;
  thinking: boolean;
  schema: boolean;
  dialect: 'native' | 'tagged';
}

export interface ProviderTest {
  ok: boolean;
  latencyMs: number;
  error?: string;
  message?: string;
  capabilities: ProviderCapabilities | null;
}

export interface Model {
  id: string;
  /** contextTokens and answerTokens are 0 when they are unknown. */
  contextTokens: number;
  answerTokens: number;
  tools: boolean;
  vision: boolean;
  thinking: boolean;
  /** price is null when none is known. */
  price: ModelPrice | null;
}

/** ModelPrice is in USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Without cachedInput, input from the provider's cache costs as other input. */
  cachedInput?: number;
}

/** Command is a command of the chat. text is null for a built-in one. */
export interface Command {
  name: string;
  description: string;
  text: string | null;
  builtIn: boolean;
}

export interface Mode {
  name: string;
  prompt: string;
  tools: string[];
  model?: string | null;
  /** thinking is how much the model thinks; null leaves it to the model. */
  thinking?: 'off' | 'low' | 'medium' | 'high' | null;
}

export type Scope =
  | 'projects:read'
  | 'projects:write'
  | 'files:read'
  | 'files:write'
  | 'chat'
  | 'publish'
  | 'workspaces:read'
  | 'workspaces:write';

/** OpenSession is one place where the user is signed in. */
export interface OpenSession {
  id: string;
  /** device is empty when the program did not say what it is. */
  device: string;
  address: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  current: boolean;
}

export interface APIToken {
  id: string;
  name: string;
  scopes: Scope[];
  prefix: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  createdAt: string;
}

/** Subscription is a user's own access to a model. */
export interface Subscription {
  id: string;
  kind: 'github';
  name: string;
  keyHint: string;
  createdAt: string;
  updatedAt: string;
  expiresAt: string | null;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** SiteSettings are what a published site says about itself, and who sees it. */
export interface SiteSettings {
  title: string;
  description: string;
  image: string;
  favicon: string;
  language: string;
  robots: 'index' | 'noindex';
  access: 'public' | 'password' | 'workspace';
  notFound: string;
  updatedAt: string;
  hasPassword: boolean;
}

/** SiteVisits is how often a site was visited. */
export interface SiteVisits {
  visits: number;
  views: number;
  days: { day: string; visits: number; views: number }[];
  /** Pages and referrers without a name are all the others. */
  pages: { path: string; views: number }[];
  referrers: { host: string; visits: number }[];
}
