// The records of the public API. They are those of its description, from which sdk.ts is written:
// only what the description does not name gets a name here.

import type { Atelier, Backend, Domain, Plan, Quotas, WebhookDelivery } from './sdk';

export type {
  APIToken,
  AuditEntry,
  Backend,
  BackendCall,
  BackendCollection as DataCollection,
  BackendEnvironment as DataEnvironment,
  BackendField as DataField,
  BackendFunction,
  BackendRules as DataRules,
  Backups,
  Chat,
  Check,
  CheckFailure,
  CheckResult,
  Command,
  CommentReply,
  CommentThread,
  CompanyProvider as IdentityProvider,
  ConnectedProgram,
  Connector,
  ConnectorTool,
  ConnectorToolText,
  Consent,
  ConsentQuestion,
  DataSnapshot,
  Deployment,
  Diagnostic,
  Domain,
  DomainCheck,
  EnabledConnectorTool,
  Features,
  FileEntry,
  FilledQuota,
  Finding,
  FixedProvider,
  Folder,
  FunctionTrial,
  GroupMapping,
  HealthFinding,
  InstanceInvite,
  InstancePerson as Person,
  InstanceSettings,
  InstanceWorkspace,
  Invite,
  Match as SearchMatch,
  Member,
  Mode,
  Model,
  ModelPrice,
  NewWebhook,
  OpenSession,
  PageElement,
  Passkey,
  Plan,
  PlatformProvider,
  Preview,
  PreviewLink,
  Project,
  ProjectRemote,
  Provider,
  ProviderCapabilities,
  ProviderKind,
  ProviderTest,
  Quotas,
  RemoteConflict,
  Role,
  SchemaPlan,
  SchemaStep,
  Scope,
  SharedTemplate,
  SignInProvider,
  SignupPolicy,
  SiteSettings,
  Subscription,
  Takedown,
  Task,
  Template,
  TestMail,
  UsageRow,
  User,
  Variable,
  Version,
  Visibility,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WorkingVersion,
  Workspace,
} from './sdk';

/** Answer is what a method of the API answers. */
type Answer<Method extends keyof Atelier> = Awaited<ReturnType<Atelier[Method]>>;

export type Me = Answer<'getMe'>;

/** ProviderReport says what is wrong with an identity provider. */
export type ProviderReport = Answer<'testIdentityProvider'>;

/** Invitation is an invite as its recipient sees it. */
export type Invitation = Answer<'showInvite'>;

/** Imported is a project that was just imported. */
export type Imported = Answer<'importProject'>;

export type Usage = Answer<'getUsage'>;

/**
 * VersionPage is a page of versions, newest first. The first page also lists the changes
 * that are not in a version yet.
 */
export type VersionPage = Answer<'listVersions'>;

export type ListedVersion = VersionPage['items'][number];

/** SignInSettings are those of an environment. */
export type SignInSettings = Answer<'listSignInProviders'>;

/** SignInKind is a kind of provider; an addressed one has no addresses of its own. */
export type SignInKind = SignInSettings['kinds'][number];

/** QuotaName names a quota of a workspace. */
export type QuotaName = keyof Quotas;

/** SecondFactor is what is on of the user's second factor. */
export type SecondFactor = Answer<'getMFA'>;

/** AppSetup is what an authenticator app needs. */
export type AppSetup = Answer<'beginTOTP'>;

/** LinkedIdentity is a provider with which the user signs in. */
export type LinkedIdentity = Answer<'listIdentities'>['items'][number];

/** SiteVisits is how often a site was visited. */
export type SiteVisits = Answer<'listVisits'>;

export type PlanStep = Plan['steps'][number];

/** DomainChecks is the DNS state of a domain's records. */
export type DomainChecks = NonNullable<Domain['checks']>;

export type DataEnv = keyof Backend['environments'];

/** DataRecord is a record with the fields of its collection. */
export type DataRecord = { id: string } & Record<string, unknown>;

/** DeliveryProblem says why an attempt failed. */
export type DeliveryProblem = Exclude<WebhookDelivery['error'], ''>;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}
