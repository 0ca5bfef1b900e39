import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, Dialog, Field, inWords, Menu, type MenuItem, say, useTask } from '~/ui';
import type { RecordList } from './records';
import { type RefusedRows, rowInWords } from './refusals';

/** Transfer imports records from files and exports them. */
export function Transfer({ list, canImport }: { list: RecordList; canImport: boolean }) {
  const [importing, setImporting] = useState(false);
  const exportAs = (format: string) => list.desk.of(list.collection, `export?format=${format}`);
  const items: MenuItem[] = [
    ...(canImport ? [{ label: t.data.import, icon: 'upload' as const, onSelect: () => setImporting(true) }, null] : []),
    { label: t.data.exportCSV, icon: 'download', href: exportAs('csv'), download: true },
    { label: t.data.exportJSON, icon: 'download', href: exportAs('json'), download: true },
  ];
  return (
    <>
      <Menu label={t.data.transfer} items={items} />
      {importing && <Import list={list} onClose={() => setImporting(false)} />}
    </>
  );
}

interface ImportCount {
  imported: number;
  updated: number;
  newIds: number;
}

/** noticeable is the size in bytes from which an import takes longer than a click. */
const noticeable = 1 << 20;

function isTable(file: File): boolean {
  return /\.(csv|tsv|txt)$/i.test(file.name) || file.type === 'text/csv';
}

function Import({ list, onClose }: { list: RecordList; onClose: () => void }) {
  const { desk, collection } = list;
  const [file, setFile] = useState<File | null>(null);
  const { busy, error, run, clear } = useTask();
  const submit = async () => {
    if (!file || !(await desk.isSure(t.data.liveImportTitle, t.data.liveImport))) return;
    await run(async () => {
      const done = await api.post<ImportCount>(desk.of(collection, 'import'), file, {
        query: { format: isTable(file) ? 'csv' : 'json' },
        headers: { 'Content-Type': isTable(file) ? 'text/csv' : 'application/json' },
      });
      say(t.data.imported(done.imported, done.updated, done.newIds));
      onClose();
      await Promise.all([list.restart(), desk.recount()]);
    });
  };
  return (
    <Dialog title={t.data.importInto(collection)} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label={t.data.file} hint={t.data.importHint}>
          {(wiring) => (
            <input
              {...wiring}
              class="input"
              type="file"
              accept=".csv,.tsv,.txt,.json,text/csv,application/json"
              required
              onChange={(event) => {
                setFile(event.currentTarget.files?.[0] ?? null);
                clear();
              }}
            />
          )}
        </Field>
        {busy && file && file.size > noticeable && <Banner>{t.data.importing}</Banner>}
        {error !== undefined && file && (
          <Banner kind="error">
            <Refusal error={error} isTable={isTable(file)} />
          </Banner>
        )}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button type="submit" kind="primary" icon="upload" busy={busy} disabled={!file}>
            {t.data.importNow}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Refusal says why nothing was imported, with all rows at once. */
function Refusal({ error, isTable }: { error: unknown; isTable: boolean }) {
  const rows = error instanceof ApiError ? (error.body.rows as RefusedRows | undefined) : undefined;
  const lines = rows?.items.map((row) => rowInWords(row, isTable)) ?? [];
  if (!rows || lines.length < 2) {
    return (
      <>
        {t.data.importFailed} {lines[0] ?? inWords(error)}
      </>
    );
  }
  const refused = t.data.rowsRefused(rows.total);
  return (
    <>
      {t.data.importFailed} {refused}
      <div class="transfer__rows" role="group" tabIndex={0} aria-label={refused}>
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
      {new Set(rows.items.map(({ line }) => line)).size < rows.total && t.data.rowsShown(lines.length)}
    </>
  );
}
