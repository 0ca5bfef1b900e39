import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { ListedVersion, Version } from '~/api/types';
import { moment, t } from '~/text';
import { ask, Banner, Button, Failure, IconButton, inWords, Loading, Select, say, When } from '~/ui';
import type { ProjectStore } from '../store';
import { FileChange } from './filechange';
import { promptOf, type VersionDetail } from './history';
import { Mark } from './mark';
import { filePatches } from './patch';
import { askToRestore, type Consent, restore } from './restore';
import { Sight } from './sight';
import { firstLine, titleOf } from './title';

interface DetailProps {
  store: ProjectStore;
  version: Version;
  isNewest: boolean;
  onBack: () => void;
  /** onMade receives the version that a restore or an undo created. */
  onMade: (version: Version) => void;
  /** others are the versions to compare with. */
  others: ListedVersion[];
  onMarked: (version: ListedVersion) => void;
}

/** Detail shows the changes of a version and restores it. */
export function Detail({ store, version, isNewest, onBack, onMade, others, onMarked }: DetailProps) {
  const [from, compareWith] = useState('');
  const { data, error, reload } = useLoad(`${version.id} ${from}`, (signal) =>
    api.get<VersionDetail>(`/projects/${store.id}/versions/${version.id}`, {
      signal,
      query: from ? { from } : undefined,
    }),
  );
  const [marked, setMarked] = useState<ListedVersion | null>(null);
  const shown = marked ?? data;
  const prompt = useLoad(version.id, () => promptOf(store.id, version)).data;
  const isAgent = version.author.kind === 'agent';
  return (
    <article class="detail" aria-label={firstLine(version.message)}>
      <div class="detail__head">
        <span class="detail__back">
          <IconButton icon="back" label={t.versions.back} onClick={onBack} />
        </span>
        <div class="detail__title">
          <h2>
            <bdi>{shown ? titleOf(shown) : firstLine(version.message)}</bdi>
          </h2>
          <p class="soft small">
            {shown && titleOf(shown) !== firstLine(version.message) && (
              <>
                <bdi>{firstLine(version.message)}</bdi> ·{' '}
              </>
            )}
            <bdi>{isAgent ? t.versions.agent : version.author.name}</bdi> · <When at={version.createdAt} /> ·{' '}
            <code>{version.id.slice(0, 8)}</code>
          </p>
        </div>
        {shown && store.canEdit.value && (
          <Mark
            store={store}
            version={shown}
            onMarked={(version) => {
              setMarked(version);
              onMarked(version);
            }}
          />
        )}
      </div>
      {prompt && prompt !== version.message && (
        <blockquote class="detail__prompt">
          <span class="faint small">{t.versions.asked}</span>
          <bdi>{prompt}</bdi>
        </blockquote>
      )}
      {store.canEdit.value && <Sight store={store} version={version} />}
      {store.canEdit.value && <Actions store={store} version={version} isNewest={isNewest} onMade={onMade} />}
      {others.length > 1 && (
        <Select label={t.versions.compare} value={from} onChange={(event) => compareWith(event.currentTarget.value)}>
          <option value="">{t.versions.before}</option>
          {others
            .filter(({ id }) => id !== version.id)
            .map((other) => (
              <option key={other.id} value={other.id}>
                {titleOf(other)} · {moment(other.createdAt)}
              </option>
            ))}
        </Select>
      )}
      {error && <Failure error={error} retry={() => void reload()} />}
      {!data && !error && <Loading />}
      {data && <Brought store={store} detail={data} compared={from !== ''} />}
    </article>
  );
}

function Actions({ store, version, isNewest, onMade }: Omit<DetailProps, 'onBack' | 'others' | 'onMarked'>) {
  const [busy, setBusy] = useState<'restore' | 'undo' | null>(null);
  const [problem, setProblem] = useState('');
  const act = async (what: 'restore' | 'undo') => {
    const consent = what === 'restore' ? await askToRestore(store) : await askToUndo();
    if (!consent) return;
    setBusy(what);
    setProblem('');
    try {
      onMade(what === 'restore' ? await restore(store, version.id, consent) : await undo());
    } catch (error) {
      setProblem(wordsFor(error));
    } finally {
      setBusy(null);
    }
  };
  const undo = async () => {
    const made = await api.post<Version>(`/projects/${store.id}/versions/${version.id}/undo`);
    say(t.versions.undone);
    store.versionsChanged();
    store.filesChanged();
    return made;
  };
  return (
    <>
      <div class="detail__actions">
        {!isNewest && (
          <Button icon="restore" busy={busy === 'restore'} disabled={busy !== null} onClick={() => void act('restore')}>
            {t.versions.restore}
          </Button>
        )}
        {version.author.kind === 'agent' && (
          <Button icon="undo" busy={busy === 'undo'} disabled={busy !== null} onClick={() => void act('undo')}>
            {t.versions.undo}
          </Button>
        )}
      </div>
      {problem && (
        <Banner kind="error">
          {t.versions.notDone} {problem}
        </Banner>
      )}
    </>
  );
}

async function askToUndo(): Promise<Consent | null> {
  const sure = await ask({ title: t.versions.undoTitle, text: t.versions.undoText, confirm: t.versions.undo });
  return sure ? { testData: false } : null;
}

function wordsFor(error: unknown): string {
  if (!(error instanceof ApiError)) return inWords(error);
  if (error.code === 'chat_busy') return t.versions.busy;
  const places = /^later edits conflict, so nothing was changed: (.*)$/s.exec(error.message)?.[1];
  return places ? t.versions.inTheWay(places) : inWords(error);
}

function Brought({ store, detail, compared }: { store: ProjectStore; detail: VersionDetail; compared: boolean }) {
  const patches = filePatches(
    detail.patch,
    detail.files.map(({ path }) => path),
  );
  return (
    <>
      <p class="detail__brought">{t.versions.brought(summary(detail), compared)}</p>
      {detail.truncated && <Banner>{t.versions.truncated}</Banner>}
      {detail.files.map((file, index) => (
        <FileChange key={file.path} store={store} file={file} patch={patches.get(file.path)?.text} open={index < 8} />
      ))}
    </>
  );
}

function summary({ files }: VersionDetail) {
  const count = (action: string) => files.filter((file) => file.action === action).length;
  return {
    created: count('created'),
    modified: count('modified'),
    deleted: count('deleted'),
    additions: files.reduce((sum, { additions }) => sum + (additions ?? 0), 0),
    deletions: files.reduce((sum, { deletions }) => sum + (deletions ?? 0), 0),
  };
}
