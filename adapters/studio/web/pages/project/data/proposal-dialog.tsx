import { useState } from 'preact/hooks';

import { ApiError, api, filePath } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, Dialog, Field, inWords, say, useTask } from '~/ui';
import { fetchText } from '../code/fetch';
import type { ProjectStore } from '../store';
import { migrationsOf, type Proposal, type Proposed, proposedIn } from './proposal';
import { RulesInWords } from './rules-view';
import { schemaPath } from './sources';

interface ProposalDialogProps {
  store: ProjectStore;
  onClose: () => void;
}

/** ProposalDialog turns tables of Postgres into collections, and shows them before they are kept. */
export function ProposalDialog({ store, onClose }: ProposalDialogProps) {
  const [made, setMade] = useState<{ proposal: Proposal; before: string | null } | null>(null);
  return (
    <Dialog wide title={t.data.tables} onClose={onClose}>
      {made ? (
        <Shown store={store} {...made} onBack={() => setMade(null)} onClose={onClose} />
      ) : (
        <Source store={store} onMade={(proposal, before) => setMade({ proposal, before })} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface SourceProps extends ProposalDialogProps {
  onMade: (proposal: Proposal, before: string | null) => void;
}

// Source asks where the tables are.
function Source({ store, onMade, onClose }: SourceProps) {
  const [file, setFile] = useState<File | null>(null);
  const { busy, error, run, clear } = useTask();
  const migrations = migrationsOf(store.files.value);
  const propose = (read: () => Promise<string>) =>
    run(async () => {
      const before = store.files.peek().find(({ path }) => path === schemaPath)?.etag ?? null;
      const sql = await read();
      onMade(await api.post<Proposal>(`/projects/${store.id}/backend/proposal`, { sql }), before);
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (file) void propose(() => file.text());
      }}
    >
      <p>{t.data.tablesWhat}</p>
      {migrations.length > 0 && (
        <Banner
          actions={
            <Button small busy={busy} onClick={() => void propose(() => readMigrations(store.id, migrations))}>
              {t.data.useMigrations(migrations.length)}
            </Button>
          }
        >
          {t.data.hasMigrations}
        </Banner>
      )}
      <Field label={t.data.sqlFile} hint={t.data.sqlHint}>
        {(wiring) => (
          <input
            {...wiring}
            class="input"
            type="file"
            accept=".sql,.txt,application/sql,text/plain"
            onChange={(event) => {
              setFile(event.currentTarget.files?.[0] ?? null);
              clear();
            }}
          />
        )}
      </Field>
      {error !== undefined && <Banner kind="error">{inWords(error)}</Banner>}
      <div class="dialog__actions">
        <Button onClick={onClose}>{t.shell.cancel}</Button>
        <Button type="submit" kind="primary" busy={busy} disabled={!file}>
          {t.data.showTables}
        </Button>
      </div>
    </form>
  );
}

interface ShownProps extends ProposalDialogProps {
  proposal: Proposal;
  before: string | null;
  onBack: () => void;
}

// Shown shows the new collections, with who may do what, and keeps them.
function Shown({ store, proposal, before, onBack, onClose }: ShownProps) {
  const { busy, error, run } = useTask();
  const collections = proposedIn(proposal);
  const submit = (asks: boolean) =>
    run(async () => {
      await keep(store.id, proposal, before);
      say(t.data.tablesKept(collections.length));
      onClose();
      if (asks) store.ask(t.data.useTablesText);
      else await store.reloadFiles();
    });
  return (
    <div class="form">
      <p>{collections.length > 0 ? t.data.tablesFound(collections.length) : t.data.noTables}</p>
      <ul class="proposal">
        {collections.map((one) => (
          <Entry key={one.name} collection={one} />
        ))}
      </ul>
      {proposal.notes && (
        <Banner kind="warning">
          <p>{t.data.tablesNotes}</p>
          <ul class="proposal__notes">
            {proposal.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Banner>
      )}
      {error !== undefined && (
        <Banner kind="error">{error instanceof Outdated ? t.data.tablesOutdated : inWords(error)}</Banner>
      )}
      <div class="dialog__actions">
        <Button onClick={onBack}>{t.data.otherTables}</Button>
        {collections.length > 0 && (
          <>
            <Button busy={busy} onClick={() => void submit(false)}>
              {t.data.keepTables}
            </Button>
            <Button kind="primary" icon="chat" busy={busy} onClick={() => void submit(true)}>
              {t.data.useTables}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function Entry({ collection }: { collection: Proposed }) {
  return (
    <li>
      <h3>
        <bdi>{collection.name}</bdi> <span class="faint small">{t.data.types[collection.type]}</span>
      </h3>
      {collection.fields.length > 0 && <p class="proposal__fields">{collection.fields.join(', ')}</p>}
      <p class="soft small">
        <RulesInWords collection={collection} />
      </p>
    </li>
  );
}

// readMigrations reads files of a project, one behind the other.
async function readMigrations(project: string, paths: readonly string[]): Promise<string> {
  const files = await Promise.all(paths.map((path) => fetchText(project, path)));
  return files.map((file) => file?.text ?? '').join(';\n');
}

// Outdated is thrown if the schema has changed since the proposal.
class Outdated extends Error {}

// keep saves a proposal. before is the etag of the schema file that it extends, null without one.
async function keep(project: string, { schema }: Proposal, before: string | null): Promise<void> {
  const condition: Record<string, string> = before === null ? { 'If-None-Match': '*' } : { 'If-Match': before };
  try {
    await api.put(filePath(project, schemaPath), schema, {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', ...condition },
    });
  } catch (error) {
    throw error instanceof ApiError && error.status === 412 ? new Outdated() : error;
  }
}
