import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Dialog, inWords, TextField, useTask } from '~/ui';
import type { Desk } from '../desk';
import { create, move } from './actions';
import { nameOf } from './model';

/** Wish is the purpose of the dialog: a new file, a new folder, or a rename. */
export type Wish = { kind: 'file' | 'folder'; in: string } | { kind: 'rename'; path: string };

/** PathDialog asks for a path, then creates or moves the file or folder. */
export function PathDialog({ desk, wish, onClose }: { desk: Desk; wish: Wish; onClose: () => void }) {
  const [path, setPath] = useState(begin(wish));
  const [first, setFirst] = useState('index.ts');
  const { busy, error, run } = useTask();
  const title =
    wish.kind === 'rename'
      ? t.code.renameTitle(nameOf(wish.path))
      : wish.kind === 'file'
        ? t.code.newFile
        : t.code.newFolder;
  const submit = (event: Event) => {
    event.preventDefault();
    const to = path.trim().replace(/^\/+|\/+$/g, '');
    void run(async () => {
      if (wish.kind === 'rename') {
        if (!(await move(desk, wish.path, to))) return;
      } else {
        await create(desk, wish.kind === 'folder' ? `${to}/${first.trim()}` : to);
      }
      onClose();
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label={wish.kind === 'folder' ? t.code.folderPath : t.code.path}
          hint={wish.kind === 'folder' ? undefined : t.code.pathHint}
          error={error === undefined ? undefined : inWords(error)}
          value={path}
          required
          autofocus
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => setPath(event.currentTarget.value)}
          onFocus={(event) => mark(event.currentTarget, wish)}
        />
        {wish.kind === 'folder' && (
          <TextField
            label={t.code.firstFile}
            hint={t.code.firstFileHint}
            value={first}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setFirst(event.currentTarget.value)}
          />
        )}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {wish.kind === 'rename' ? t.code.rename : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function begin(wish: Wish): string {
  if (wish.kind === 'rename') return wish.path;
  return wish.in ? `${wish.in}/` : '';
}

// mark selects the part of the name that the user probably changes.
function mark(input: HTMLInputElement, wish: Wish): void {
  if (wish.kind !== 'rename') {
    input.setSelectionRange(input.value.length, input.value.length);
    return;
  }
  const start = input.value.lastIndexOf('/') + 1;
  const dot = input.value.lastIndexOf('.');
  input.setSelectionRange(start, dot > start ? dot : input.value.length);
}
