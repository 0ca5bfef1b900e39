import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { isolate, t } from '~/text';
import { Banner, Button, Checkbox, complain, Dialog, Diff, Failure, Loading, useTask } from '~/ui';
import type { Desk } from '../desk';
import { fetchText, NoText, TooLarge } from '../fetch';
import { type Replaced, replaceAll, type Wish } from './query';

interface Change extends Replaced {
  path: string;
  etag: string;
  /** before is the whole file as it was. */
  before: string;
}

interface Plan {
  changes: Change[];
  /** skipped are files that cannot be changed here, because they are large or no text. */
  skipped: string[];
}

interface Outcome {
  done: Change[];
  /** left are files that somebody else has changed meanwhile. */
  left: string[];
}

interface BulkAnswer {
  results: { path: string; status: 'ok' | 'error' }[];
}

interface ReplaceProps {
  desk: Desk;
  wish: Wish;
  replacement: string;
  paths: string[];
  onClose: () => void;
}

/** ReplaceDialog shows what replacing all matches changes, replaces them, and offers to undo it. */
export function ReplaceDialog({ desk, wish, replacement, paths, onClose }: ReplaceProps) {
  const [plan, setPlan] = useState<Plan>();
  const [failure, setFailure] = useState<unknown>();
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<Outcome>();
  const { busy, run } = useTask({ onError: complain });
  const begin = () => {
    setFailure(undefined);
    planOf(desk, wish, replacement, paths).then(setPlan, setFailure);
  };
  useEffect(begin, []);
  const chosen = plan?.changes.filter(({ path }) => !without.has(path)) ?? [];
  const count = countOf(chosen);
  const message = t.code.replaced(wish.text, replacement);
  const turn = (path: string) => {
    const next = new Set(without);
    if (!next.delete(path)) next.add(path);
    setWithout(next);
  };
  const replace = () => run(async () => setOutcome(await apply(desk, chosen, message)));
  return (
    <Dialog title={t.code.replaceAllTitle(isolate(wish.text), isolate(replacement))} wide onClose={onClose}>
      {outcome ? (
        <Done desk={desk} outcome={outcome} message={message} onClose={onClose} />
      ) : failure ? (
        <Failure error={failure} retry={begin} />
      ) : !plan ? (
        <Loading />
      ) : (
        <>
          <p>{plan.changes.length === 0 ? t.code.replaceNothing : t.code.replaceCount(count, chosen.length)}</p>
          {plan.skipped.length > 0 && <Banner>{t.code.replaceSkipped(plan.skipped.join(', '))}</Banner>}
          <ul class="replacing">
            {plan.changes.map((change) => (
              <li key={change.path}>
                <Checkbox
                  label={<bdi>{change.path}</bdi>}
                  checked={!without.has(change.path)}
                  onChange={() => turn(change.path)}
                />
                <Diff patch={patchOf(change)} label={t.code.changesIn(change.path)} />
              </li>
            ))}
          </ul>
          <div class="dialog__actions">
            <Button onClick={onClose}>{t.shell.cancel}</Button>
            <Button kind="primary" busy={busy} disabled={chosen.length === 0} onClick={() => void replace()}>
              {t.code.replaceAll}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

interface DoneProps {
  desk: Desk;
  outcome: Outcome;
  message: string;
  onClose: () => void;
}

function Done({ desk, outcome, message, onClose }: DoneProps) {
  const { busy, run } = useTask({ onError: complain });
  const [kept, setKept] = useState<string[]>();
  const { done, left } = outcome;
  const undo = () =>
    run(async () => {
      const changed = await takeBack(desk, done, message);
      if (changed.length === 0) onClose();
      else setKept(changed);
    });
  return (
    <>
      <p role="status">{t.code.replaceDone(countOf(done), done.length)}</p>
      {left.length > 0 && <Banner>{t.code.replaceLeft(left.join(', '))}</Banner>}
      {kept && <Banner>{t.code.replaceLeft(kept.join(', '))}</Banner>}
      <div class="dialog__actions">
        {done.length > 0 && !kept && (
          <Button icon="undo" busy={busy} onClick={() => void undo()}>
            {t.code.replaceUndo}
          </Button>
        )}
        <Button kind="primary" onClick={onClose}>
          {t.shell.close}
        </Button>
      </div>
    </>
  );
}

// planOf reads the files as they are now and replaces the matches in them.
async function planOf(desk: Desk, wish: Wish, replacement: string, paths: string[]): Promise<Plan> {
  await desk.save();
  const plan: Plan = { changes: [], skipped: [] };
  for (const path of paths) {
    try {
      const file = await fetchText(desk.store.id, path);
      if (!file) continue;
      const replaced = replaceAll(file.text, wish, replacement);
      if (replaced.lines.length > 0) plan.changes.push({ path, etag: file.etag, before: file.text, ...replaced });
    } catch (error) {
      if (!(error instanceof NoText || error instanceof TooLarge)) throw error;
      plan.skipped.push(path);
    }
  }
  return plan;
}

// apply writes all files as one version. A file that was changed since it was read is left.
async function apply(desk: Desk, changes: Change[], message: string): Promise<Outcome> {
  const operations = changes.map(({ path, text, etag }) => ({ op: 'write', path, content: text, ifMatch: etag }));
  const left = await write(desk, operations, message);
  return { done: changes.filter(({ path }) => !left.includes(path)), left };
}

// takeBack writes the files as they were, but those that were changed since the replacement. It
// returns these.
async function takeBack(desk: Desk, changes: Change[], message: string): Promise<string[]> {
  await desk.save();
  const operations: Write[] = [];
  const changed: string[] = [];
  for (const { path, text, before } of changes) {
    const now = await fetchText(desk.store.id, path);
    if (now?.text === text) operations.push({ op: 'write', path, content: before, ifMatch: now.etag });
    else changed.push(path);
  }
  return [...changed, ...(await write(desk, operations, `${t.code.replaceUndo}: ${message}`))];
}

interface Write {
  op: string;
  path: string;
  content: string;
  ifMatch: string;
}

// write carries out the operations and returns the paths of those that were refused.
async function write(desk: Desk, operations: Write[], message: string): Promise<string[]> {
  if (operations.length === 0) return [];
  const { results } = await api.post<BulkAnswer>(`/projects/${desk.store.id}/files/bulk`, {
    operations,
    message: message.slice(0, 500),
  });
  tell(desk);
  return results.filter(({ status }) => status !== 'ok').map(({ path }) => path);
}

function countOf(changes: Change[]): number {
  return changes.reduce((sum, { count }) => sum + count, 0);
}

function tell(desk: Desk): void {
  desk.store.filesChanged();
  desk.store.versionsChanged();
}

function patchOf({ lines }: Change): string {
  return lines.map(({ line, before, after }) => `@@ ${t.code.lineAt(line)}\n-${before}\n+${after}`).join('\n');
}
