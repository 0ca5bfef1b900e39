import { useRef } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, Empty, IconButton, Menu, Tabs } from '~/ui';
import type { Desk } from './desk';
import { Search } from './search/search';
import type { Wish } from './tree/pathdialog';
import { Tree } from './tree/tree';
import { chosen, progress, upload } from './tree/upload';

export type View = 'files' | 'search';

interface SideProps {
  desk: Desk;
  view: View;
  onView: (view: View, pressed: boolean) => void;
  /** searches counts requests to focus the search; 0 means none. */
  searches: number;
  onWish: (wish: Wish) => void;
}

/** Side is the sidebar: the file tree or the search. */
export function Side({ desk, view, onView, searches, onWish }: SideProps) {
  return (
    <div class="side">
      <div class="side__head">
        <Tabs
          label={t.code.sideViews}
          panel="code-side"
          current={view}
          onChange={onView}
          items={[
            { name: 'files', label: t.code.files },
            { name: 'search', label: t.code.searchShort },
          ]}
        />
        <span class="code__room" />
        {desk.store.canEdit.value && <Making desk={desk} onWish={onWish} />}
      </div>
      <div
        class="side__panel"
        id="code-side"
        role="tabpanel"
        aria-label={view === 'files' ? t.code.files : t.code.search}
      >
        {progress.value && <Uploading />}
        {view === 'search' ? (
          <Search desk={desk} wish={searches > 0 && searches} />
        ) : (
          <Tree desk={desk} onWish={onWish} />
        )}
        {view === 'files' && desk.store.files.value.length === 0 && (
          <Empty icon="folder" title={t.code.noFiles}>
            {t.code.noFilesHint}
          </Empty>
        )}
      </div>
    </div>
  );
}

function Making({ desk, onWish }: { desk: Desk; onWish: (wish: Wish) => void }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    void upload(desk, '', chosen(input));
    input.value = '';
  };
  return (
    <>
      <IconButton small icon="add" label={t.code.newFile} onClick={() => onWish({ kind: 'file', in: '' })} />
      <Menu
        small
        label={t.code.addMore}
        items={[
          { label: t.code.newFile, icon: 'add', onSelect: () => onWish({ kind: 'file', in: '' }) },
          { label: t.code.newFolder, icon: 'folder', onSelect: () => onWish({ kind: 'folder', in: '' }) },
          null,
          { label: t.code.uploadFiles, icon: 'upload', onSelect: () => files.current?.click() },
          { label: t.code.uploadFolder, icon: 'upload', onSelect: () => folder.current?.click() },
        ]}
      />
      <input ref={files} type="file" multiple hidden aria-label={t.code.uploadFiles} onChange={take} />
      <input
        ref={folder}
        type="file"
        {...{ webkitdirectory: true }}
        hidden
        aria-label={t.code.uploadFolder}
        onChange={take}
      />
    </>
  );
}

function Uploading() {
  const { done, of, stop } = progress.value!;
  return (
    <div class="side__upload">
      <Banner
        actions={
          <Button small onClick={stop}>
            {t.code.stopUpload}
          </Button>
        }
      >
        {t.code.uploading(done, of)}
        <progress value={done} max={of} aria-label={t.code.uploading(done, of)} />
      </Banner>
    </div>
  );
}
