import { t } from '~/text';
import { Button, Icon } from '~/ui';
import type { Place, ProjectStore } from '../store';
import type { Failure as PageFailure } from './frame';
import { GoBack } from './goback';

interface CrashProps {
  store: ProjectStore;
  failure: PageFailure;
  path: string;
  onHide: () => void;
}

/**
 * Crash shows an error of the page at a path, its place, and what can be done. It covers a page that the
 * error left blank, and stands below one that is still there.
 */
export function Crash({ store, failure, path, onHide }: CrashProps) {
  const { cause, type } = failure;
  const place = placeIn(cause, store);
  const name = place && `${place.path}:${place.line}`;
  const member = store.canEdit.value;
  const fix = () => store.ask(t.preview.fixRuntime(cause.slice(0, 2000), name ?? ''));
  return (
    <div class={type === 'crashed' ? 'crash' : 'crash crash--below'} role="alert">
      <div class="crash__box">
        <h2>
          <Icon name="alert" />
          {t.preview.crash.titles[type]}
        </h2>
        <p class="crash__cause">
          <bdi>{headOf(cause)}</bdi>
        </p>
        {place && (
          <button type="button" class="place" onClick={() => store.openFile(place)}>
            <bdi>{name}</bdi>
          </button>
        )}
        <div class="crash__actions">
          {member && (
            <Button kind="primary" small icon="bolt" onClick={fix}>
              {t.preview.crash.fix}
            </Button>
          )}
          {place && (
            <Button small icon="code" onClick={() => store.openFile(place)}>
              {t.preview.crash.show}
            </Button>
          )}
          {member && <GoBack store={store} path={path} />}
          {type === 'threw' && (
            <Button small kind="quiet" onClick={onHide}>
              {t.preview.crash.hide}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

// headOf returns the error without its stack trace.
function headOf(cause: string): string {
  const lines = cause.split('\n');
  const stack = lines.findIndex((line) => /^\s*at |@https?:/.test(line));
  return (stack > 0 ? lines.slice(0, stack) : lines)
    .join(' ')
    .replace(/^(Uncaught )?(Error: )?/, '')
    .slice(0, 500);
}

// placeIn returns the innermost frame of a stack trace in the project's files.
function placeIn(cause: string, store: ProjectStore): Place | null {
  for (const [, path, line, column] of cause.matchAll(
    /(?:https?:\/\/[^\s/]+)?\/?([^\s()'"?#]+?)(?:[?#][^\s:()]*)?:(\d+):(\d+)/g,
  )) {
    if (store.files.value.some((file) => file.path === path))
      return { path: path!, line: Number(line), column: Number(column) };
  }
  return null;
}
