import { filePath } from '~/api/client';
import { bytes, t } from '~/text';
import { Empty, Failure, LinkButton, Loading } from '~/ui';
import { Trouble } from './conflict';
import type { Desk } from './desk';
import { Editor } from './editor/editor';
import type { OpenFile } from './openfile';
import { nameOf } from './tree/model';

/** Sheet shows a file as text, as an image, or with a notice. */
export function Sheet({ desk, file }: { desk: Desk; file: OpenFile }) {
  const path = file.path.value;
  switch (file.kind.value) {
    case 'loading':
      return <Loading />;
    case 'failed':
      return (
        <div class="code__notice">
          <Failure error={file.problem.value} retry={() => file.retry()} />
        </div>
      );
    case 'image':
      return <Picture desk={desk} path={path} />;
    case 'text':
      return (
        <>
          <Trouble file={file} />
          <Editor desk={desk} file={file} />
        </>
      );
    default:
      return <Other desk={desk} path={path} large={file.kind.value === 'large'} />;
  }
}

function Picture({ desk, path }: { desk: Desk; path: string }) {
  const entry = desk.store.files.value.find((each) => each.path === path);
  const version = entry ? `?v=${encodeURIComponent(entry.etag)}` : '';
  return (
    <figure class="code__picture">
      <img src={filePath(desk.store.id, path) + version} alt={t.code.pictureOf(nameOf(path))} />
      <figcaption class="soft small">
        {entry && bytes(entry.size)} <Download desk={desk} path={path} />
      </figcaption>
    </figure>
  );
}

function Other({ desk, path, large }: { desk: Desk; path: string; large: boolean }) {
  const entry = desk.store.files.value.find((each) => each.path === path);
  const size = entry ? bytes(entry.size) : '';
  return (
    <Empty
      icon="file"
      title={large ? t.code.largeTitle : t.code.binaryTitle}
      actions={<Download desk={desk} path={path} />}
    >
      {large ? t.code.largeText(size) : t.code.binaryText(size)}
    </Empty>
  );
}

function Download({ desk, path }: { desk: Desk; path: string }) {
  return (
    <LinkButton small icon="download" href={filePath(desk.store.id, path)} download>
      {t.code.download}
    </LinkButton>
  );
}
