import { useEffect, useRef } from 'preact/hooks';

import { t } from '~/text';
import { Icon } from '~/ui';
import type { Desk } from './desk';
import type { OpenFile } from './openfile';
import { folderOf, nameOf } from './tree/model';

/** FileTabs shows the open files. Delete or the middle mouse button closes one. */
export function FileTabs({ desk }: { desk: Desk }) {
  const list = useRef<HTMLDivElement>(null);
  const current = desk.current.value;
  const files = desk.open.value;
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [current, files.length],
  );
  const focus = () => setTimeout(() => list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1 as const, ArrowLeft: -1 as const }[event.key];
    if (step) desk.step(step);
    else if (event.key === 'Delete' && current) void desk.close(current).then(focus);
    else return;
    event.preventDefault();
    focus();
  };
  return (
    <div class="filetabs" role="tablist" aria-label={t.code.openFiles} ref={list} onKeyDown={onKey}>
      {files.map((file) => (
        <FileTab key={file.path.value} desk={desk} file={file} files={files} current={file === current} />
      ))}
    </div>
  );
}

function FileTab({ desk, file, files, current }: { desk: Desk; file: OpenFile; files: OpenFile[]; current: boolean }) {
  const path = file.path.value;
  const name = nameOf(path);
  const isAmong = files.some((other) => other !== file && nameOf(other.path.value) === name);
  const saving = file.saving.value;
  const unsaved = saving !== 'saved';
  const middle = (event: MouseEvent) => {
    if (event.button === 1) {
      event.preventDefault();
      void desk.close(file);
    }
  };
  return (
    <div
      class={current ? 'filetab filetab--current' : 'filetab'}
      role="presentation"
      onAuxClick={middle}
      onMouseDown={(event) => {
        if (event.button === 1) event.preventDefault();
      }}
    >
      <button
        type="button"
        class="filetab__name"
        role="tab"
        aria-selected={current}
        aria-controls="code-panel"
        tabIndex={current ? 0 : -1}
        title={path}
        aria-label={unsaved ? `${name}, ${t.code.saving[saving]}` : name}
        onClick={() => desk.turn(file)}
      >
        <bdi>{name}</bdi>
        {isAmong && <small class="faint">{nameOf(folderOf(path)) || '/'}</small>}
      </button>
      {/* Screen reader users close the tab with Delete instead. */}
      <span
        class="filetab__close"
        aria-hidden="true"
        data-unsaved={unsaved ? saving : undefined}
        data-tip={t.code.closeFile(name)}
        onClick={() => void desk.close(file)}
      >
        <Icon name="close" size={12} />
      </span>
    </div>
  );
}
