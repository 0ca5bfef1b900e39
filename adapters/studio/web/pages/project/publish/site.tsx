import { useRef, useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { CheckFailure, Deployment, Diagnostic, Finding, Project, SchemaPlan } from '~/api/types';
import { config } from '~/app/config';
import { t } from '~/text';
import { ask, Banner, Button, Copyable, complain, Failure, LinkButton, say, TextField, useTask, When } from '~/ui';
import { QR } from '~/ui/qr';
import { ChecksFailed } from '../checks/failed';
import { FindingText, listed } from '../findings';
import { DiagnosticList } from '../preview/problems';
import { Loss, lossInWords } from '../schema-plan';
import type { ProjectStore } from '../store';
import { Waiting } from './waiting';

interface SiteProps {
  store: ProjectStore;
  /** live is the deployment that the site serves, or null. */
  live: Deployment | null;
  isChanged: boolean;
  /** onChanged receives the updated project, if available. */
  onChanged: (project?: Project) => Promise<void>;
}

/** Site shows the state of the project's site and publishes it. */
export function Site(props: SiteProps) {
  const { store, live, isChanged, onChanged } = props;
  const { url } = store.project.value;
  // isNew is whether the project got its first site just now.
  const [isNew, setNew] = useState(false);
  const unpublish = async () => {
    if (
      !(await ask({
        title: t.publish.unpublishTitle,
        text: t.publish.unpublishText(url!),
        confirm: t.publish.unpublish,
        danger: true,
      }))
    )
      return;
    await api.delete(`/projects/${store.id}/publish`);
    setNew(false);
    say(t.publish.unpublished);
    await onChanged();
  };
  return (
    <section class="card site" aria-labelledby="site-state">
      <div class="site__head">
        <h2 id="site-state">{url ? t.publish.live : t.publish.never}</h2>
        {url && live && (
          <span class={isChanged ? 'badge badge--warning' : 'badge badge--good'}>
            {isChanged ? t.publish.changed : t.publish.upToDate}
          </span>
        )}
        {url && live && (
          <span class="site__when faint small">
            {t.publish.liveSince} <When at={live.createdAt} />
          </span>
        )}
      </div>
      {url ? (
        <div class="site__address">
          <Copyable value={url} label={t.publish.siteAddress} />
          <LinkButton icon="external" href={url} target="_blank" rel="noopener noreferrer">
            {t.publish.open}
          </LinkButton>
        </div>
      ) : (
        <p class="soft">{t.publish.neverHint}</p>
      )}
      {url && isNew && (
        <div class="site__new">
          <QR value={url} label={t.project.codeOf(url)} />
          <div>
            <h3>{t.publish.online}</h3>
            <p class="soft">{t.publish.onlineHint}</p>
          </div>
        </div>
      )}
      {url && isChanged && <p class="soft small">{t.publish.changedHint}</p>}
      <PublishForm {...props} onFirst={() => setNew(true)} />
      {url && (
        <div>
          <Button kind="quiet" small onClick={() => void unpublish().catch(complain)}>
            {t.publish.unpublish}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Accepted lists the risks that the user has accepted for a publish. */
interface Accepted {
  /** acceptDataLoss is the id of a plan, acceptFindings are the ids of findings. */
  acceptDataLoss?: string;
  acceptFindings?: string[];
  ignoreChecks?: boolean;
}

interface PublishFormProps extends SiteProps {
  /** onFirst is called when the project has its first site. */
  onFirst: () => void;
}

function PublishForm({ store, live, isChanged, onChanged, onFirst }: PublishFormProps) {
  const project = store.project.value;
  const current = project.url && live ? live.slug : null;
  const [draft, setDraft] = useState<string | null>(null);
  const slug = draft ?? current ?? project.slug;
  const { busy, error, run, clear } = useTask();
  const wrong = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(slug) ? undefined : t.publish.slugWrong;
  const taken = error instanceof ApiError && error.code === 'slug_taken' ? t.publish.slugTaken(slug) : undefined;
  const suffix = `.${config.sites}`;

  // A publish may need several consents in sequence: keep each until it succeeds.
  const accepted = useRef<Accepted>({});

  const isDue = !project.url || isChanged || slug !== current;

  const publish = (more?: Accepted) => {
    if (wrong) return;
    accepted.current = more ? { ...accepted.current, ...more } : {};
    void run(async () => {
      const made = await api.post<{ project: Project; buildMs: number }>(`/projects/${store.id}/publish`, {
        // Nobody asks for an address that they did not type: a reserved one gets a number.
        slug: draft ?? undefined,
        ...accepted.current,
      });
      say(t.publish.published(made.buildMs));
      if (!project.url) onFirst();
      store.versionsChanged();
      await onChanged(made.project);
      setDraft(null);
    });
  };
  return (
    <form
      class="site__form"
      onSubmit={(event) => {
        event.preventDefault();
        publish();
      }}
    >
      <div class="site__slug">
        <TextField
          label={t.publish.slug}
          value={slug}
          error={wrong ?? taken}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={63}
          hint={current && slug !== current ? t.publish.slugMoves(current + suffix) : undefined}
          onInput={(event) => {
            setDraft(event.currentTarget.value.toLowerCase().trim());
            clear();
          }}
        />
        <span class="site__suffix soft">
          <bdi>{suffix}</bdi>
        </span>
        <Button
          type="submit"
          kind={isDue ? 'primary' : undefined}
          icon="publish"
          busy={busy}
          disabled={wrong !== undefined}
        >
          {!project.url ? t.publish.publish : isDue ? t.publish.update : t.publish.again}
        </Button>
      </div>
      <p class="small soft" role="status">
        {busy ? t.publish.publishing : ''}
      </p>
      {store.warnings.value.length > 0 && (
        <Banner kind="warning">
          <p>{t.publish.warnings}</p>
          <DiagnosticList store={store} diagnostics={store.warnings.value} />
        </Banner>
      )}
      {error !== undefined && !taken && <PublishFailure store={store} error={error} onAccept={publish} />}
    </form>
  );
}

interface PublishFailureProps {
  store: ProjectStore;
  error: unknown;
  /** onAccept publishes again with the given consent. */
  onAccept: (accepted: Accepted) => void;
}

function PublishFailure({ store, error, onAccept }: PublishFailureProps) {
  if (!(error instanceof ApiError)) return <Failure error={error} />;
  if (error.code === 'data_loss' && error.body.plan)
    return <DataLoss plan={error.body.plan as SchemaPlan} onAccept={onAccept} />;
  if (error.code === 'open_data' && Array.isArray(error.body.findings))
    return <OpenData store={store} findings={error.body.findings as Finding[]} onAccept={onAccept} />;
  if (error.code === 'checks_failed' && Array.isArray(error.body.checks)) {
    const failed = error.body.checks as CheckFailure[];
    return <ChecksFailed store={store} checks={failed} onIgnore={() => onAccept({ ignoreChecks: true })} />;
  }
  if (error.code === 'sandbox_unavailable') return <Banner kind="error">{t.publish.noTools}</Banner>;
  const diagnostics = (Array.isArray(error.body.diagnostics) ? error.body.diagnostics : []) as Diagnostic[];
  if (error.code !== 'build_failed' || diagnostics.length === 0) return <Failure error={error} />;
  const broken = <Broken store={store} diagnostics={diagnostics} />;
  // A schema that waits for a person is among the diagnostics, although nothing is broken.
  return diagnostics.some(({ path }) => path === 'backend/schema.json') ? (
    <Waiting store={store} onApplied={() => onAccept({})}>
      {broken}
    </Waiting>
  ) : (
    broken
  );
}

function Broken({ store, diagnostics }: { store: ProjectStore; diagnostics: Diagnostic[] }) {
  const list = diagnostics
    .slice(0, 20)
    .map(({ path, line, column, message }) => `- ${path ? `${path}:${line}:${column} ` : ''}${message}`)
    .join('\n');
  return (
    <Banner
      kind="error"
      actions={
        <Button small icon="bolt" onClick={() => store.ask(t.publish.fixText(list))}>
          {t.publish.fix}
        </Button>
      }
    >
      <p>{t.publish.broken}</p>
      <DiagnosticList store={store} diagnostics={diagnostics} />
    </Banner>
  );
}

// DataLoss asks for consent to lose live data.
function DataLoss({ plan, onAccept }: { plan: SchemaPlan; onAccept: (accepted: Accepted) => void }) {
  return (
    <Banner
      kind="warning"
      actions={
        <Button small kind="danger" icon="trash" onClick={() => onAccept({ acceptDataLoss: plan.id })}>
          {t.publish.publishAndDelete(lossInWords(plan))}
        </Button>
      }
    >
      <p>
        <strong>{t.publish.dataLoss(lossInWords(plan))}</strong>
      </p>
      <Loss plan={plan} />
      <p class="soft small">{t.publish.dataLossHint}</p>
    </Banner>
  );
}

interface OpenDataProps {
  store: ProjectStore;
  findings: Finding[];
  onAccept: (accepted: Accepted) => void;
}

// OpenData shows the findings about the data and asks for consent to publish.
function OpenData({ store, findings, onAccept }: OpenDataProps) {
  const high = findings.filter(({ severity }) => severity === 'high');
  return (
    <Banner
      kind="warning"
      actions={
        <>
          <Button small icon="bolt" onClick={() => store.ask(t.publish.closeText(listed(high)))}>
            {t.publish.close}
          </Button>
          <Button small kind="danger" onClick={() => onAccept({ acceptFindings: high.map(({ id }) => id) })}>
            {t.publish.publishOpen}
          </Button>
        </>
      }
    >
      <p>
        <strong>{t.publish.openData}</strong>
      </p>
      <ul class="loss">
        {high.map((one) => (
          <li key={one.id}>
            <FindingText finding={one} />
          </li>
        ))}
      </ul>
      <p class="soft small">{t.publish.openDataHint}</p>
    </Banner>
  );
}
