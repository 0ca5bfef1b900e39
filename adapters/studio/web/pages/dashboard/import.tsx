import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Imported } from '~/api/types';
import { upload } from '~/api/upload';
import { bytes, isolate, number, t } from '~/text';
import { Button, Dialog, Failure, Loading, Tabs, TextField } from '~/ui';
import type { Desk } from './desk';
import { ZipField } from './zip-field';

// mostBytes is the service's limit for an archive.
const mostBytes = 64 << 20;

type From = 'zip' | 'git';

interface ImportProps {
  desk: Desk;
  dropped?: File;
}

/** Import creates a project from a zip file or a git repository, says what it lacks, and opens it. */
export function Import({ desk, dropped }: ImportProps) {
  const { route } = useLocation();
  const [imported, setImported] = useState<Imported>();
  const open = (project: Imported) => {
    desk.begin(null);
    route(`/projects/${project.id}`);
  };
  if (imported) return <Notes project={imported} onOpen={() => open(imported)} />;
  return (
    <ImportForm
      desk={desk}
      dropped={dropped}
      onImported={(project) => (project.notes?.length ? setImported(project) : open(project))}
    />
  );
}

// Notes says what was arranged and what is missing, before the project opens.
function Notes({ project, onOpen }: { project: Imported; onOpen: () => void }) {
  return (
    <Dialog title={t.dashboard.imported(isolate(project.name))} onClose={onOpen}>
      <p>{t.dashboard.importNotes}</p>
      <ul class="dialog__list">
        {project.notes!.map((note) => (
          <li key={note} dir="auto">
            {note}
          </li>
        ))}
      </ul>
      <div class="dialog__actions">
        <Button kind="primary" autofocus onClick={onOpen}>
          {t.dashboard.openImported}
        </Button>
      </div>
    </Dialog>
  );
}

function ImportForm({ desk, dropped, onImported }: ImportProps & { onImported: (project: Imported) => void }) {
  const [from, setFrom] = useState<From>('zip');
  const [file, setFile] = useState(dropped);
  const [name, setName] = useState(dropped ? nameOf(dropped.name) : '');
  const [gitUrl, setGitUrl] = useState('');
  const [sent, setSent] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const under = useRef<AbortController>(undefined);
  useEffect(() => () => under.current?.abort(), []);

  const choose = (chosen: File) => {
    setFile(chosen);
    setFailure(undefined);
    if (!name || (file && name === nameOf(file.name))) setName(nameOf(chosen.name));
  };
  const chooseURL = (url: string) => {
    setGitUrl(url);
    if (!name || name === nameOf(gitUrl)) setName(nameOf(url));
  };
  const path = `/workspaces/${desk.workspace.id}/projects/import`;
  const send = (signal: AbortSignal) =>
    from === 'git'
      ? api.post<Imported>(path, { name, gitUrl, folderId: desk.place.folder || undefined }, { signal })
      : upload<Imported>(path, formOf(name, desk.place.folder, file!), setSent, signal);
  const submit = async (event: Event) => {
    event.preventDefault();
    setFailure(undefined);
    if (from === 'zip' && file!.size > mostBytes) return setFailure(new Error(t.dashboard.tooBig(bytes(file!.size))));
    under.current = new AbortController();
    setSent(0);
    try {
      onImported(await send(under.current.signal));
    } catch (error) {
      if (!under.current.signal.aborted) setFailure(error);
      setSent(undefined);
    }
  };
  const busy = sent !== undefined;
  return (
    <Dialog title={t.dashboard.importTitle} onClose={() => desk.begin(null)}>
      <form class="form" onSubmit={submit}>
        <Tabs
          label={t.dashboard.importFrom}
          current={from}
          onChange={(next) => !busy && setFrom(next)}
          panel="import-from"
          items={[
            { name: 'zip', label: t.dashboard.zip, icon: 'upload' },
            { name: 'git', label: t.dashboard.git, icon: 'code' },
          ]}
        />
        {failure !== undefined && <Failure error={failure} />}
        <div id="import-from" role="tabpanel" aria-label={from === 'zip' ? t.dashboard.zip : t.dashboard.git}>
          {from === 'zip' ? (
            <ZipField file={file} choose={choose} disabled={busy} />
          ) : (
            <TextField
              label={t.dashboard.gitUrl}
              hint={t.dashboard.gitHint}
              type="url"
              required
              maxLength={2048}
              placeholder="https://"
              autocomplete="off"
              spellcheck={false}
              readOnly={busy}
              value={gitUrl}
              onInput={(event) => chooseURL(event.currentTarget.value)}
            />
          )}
        </div>
        <TextField
          label={t.dashboard.name}
          value={name}
          required
          maxLength={100}
          dir="auto"
          readOnly={busy}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        {busy && <Progress from={from} sent={sent} />}
        <div class="dialog__actions">
          <Button onClick={() => (busy ? under.current!.abort() : desk.begin(null))}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={from === 'zip' && !file}>
            {t.dashboard.importButton}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Progress({ from, sent }: { from: From; sent: number }) {
  if (from === 'git') return <Loading>{t.dashboard.cloning}</Loading>;
  if (sent >= 1) return <Loading>{t.dashboard.unpacking}</Loading>;
  const words = t.dashboard.uploading(number(sent, { style: 'percent' }));
  return (
    <div class="sending">
      <progress value={sent} max={1} aria-label={words} />
      <span class="small soft">{words}</span>
    </div>
  );
}

function formOf(name: string, folder: string, file: File): FormData {
  const form = new FormData();
  form.set('name', name);
  if (folder) form.set('folderId', folder);
  form.set('file', file);
  return form;
}

// nameOf derives a project name from a file name or an address.
function nameOf(path: string): string {
  return path
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)!
    .replace(/\.(zip|git)$/i, '')
    .slice(0, 100);
}
