import type { Diagnostic } from '~/api/types';
import { t } from '~/text';
import { Banner, Button } from '~/ui';
import type { ProjectStore } from '../store';
import { GoBack } from './goback';

const most = 5;

/** Problems lists the build errors, and what helps for the page at a path. */
export function Problems({ store, path }: { store: ProjectStore; path: string }) {
  const all = store.diagnostics.value;
  if (all.length === 0) return null;
  const fix = () =>
    store.ask(
      t.preview.fixBuild(
        all
          .slice(0, 20)
          .map((one) => `- ${placeOf(one)} ${one.message}`.replace('-  ', '- '))
          .join('\n'),
      ),
    );
  return (
    <div class="problems">
      <Banner
        kind="error"
        actions={
          store.canEdit.value && (
            <>
              <Button small icon="bolt" onClick={fix}>
                {t.preview.fix}
              </Button>
              <GoBack store={store} path={path} />
            </>
          )
        }
      >
        <p>{t.preview.broken(all.length)}</p>
        <DiagnosticList store={store} diagnostics={all} />
      </Banner>
    </div>
  );
}

/** DiagnosticList lists diagnostics with links to the code. */
export function DiagnosticList({ store, diagnostics }: { store: ProjectStore; diagnostics: Diagnostic[] }) {
  return (
    <ul class="problems__list">
      {diagnostics.slice(0, most).map((one, index) => (
        <li key={index}>
          {one.path && (
            <button
              type="button"
              class="place"
              onClick={() =>
                store.openFile({ path: one.path, line: one.line || undefined, column: one.column || undefined })
              }
            >
              <bdi>{placeOf(one)}</bdi>
            </button>
          )}{' '}
          <bdi class="problems__message">{one.message}</bdi>
        </li>
      ))}
      {diagnostics.length > most && <li class="soft">{t.preview.andMore(diagnostics.length - most)}</li>}
    </ul>
  );
}

function placeOf({ path, line, column }: Diagnostic): string {
  if (!path) return '';
  return line ? `${path}:${line}:${column}` : path;
}
