import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { t } from '~/text';
import { Banner, Button, Dialog, Field, inWords, Menu, type MenuItem, say, useTask } from '~/ui';
import type { RecordList } from './records';
import { importInWords } from './refusals';

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

function Import({ list, onClose }: { list: RecordList; onClose: () => void }) {
  const { desk, collection } = list;
  const [file, setFile] = useState<File | null>(null);
  const { busy, error, run, clear } = useTask();
  const submit = async () => {
    if (!file || !(await desk.isSure(t.data.liveImportTitle, t.data.liveImport))) return;
    await run(async () => {
      const isTable = /\.(csv|tsv|txt)$/i.test(file.name) || file.type === 'text/csv';
      const { imported } = await api.post<{ imported: number }>(desk.of(collection, 'import'), file, {
        query: { format: isTable ? 'csv' : 'json' },
        headers: { 'Content-Type': isTable ? 'text/csv' : 'application/json' },
      });
      say(t.data.imported(imported));
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
              accept=".csv,.json,text/csv,application/json"
              required
              onChange={(event) => {
                setFile(event.currentTarget.files?.[0] ?? null);
                clear();
              }}
            />
          )}
        </Field>
        {error !== undefined && (
          <Banner kind="error">
            {t.data.importFailed}{' '}
            {error instanceof ApiError && error.code === 'validation_failed'
              ? importInWords(error.message)
              : inWords(error)}
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
