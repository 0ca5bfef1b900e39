import { useRef } from 'preact/hooks';

import { ApiError, filePath, request } from '~/api/client';
import { t } from '~/text';
import { Button, complain, Select, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import { LongField } from './controls';
import { Section, type SectionProps } from './section';

const kinds = /\.(png|jpe?g|gif|webp|avif|svg|ico)$/i;
const largest = 25 << 20;

/** ImageSection selects the source of an image. */
export function ImageSection({ store, picked, set, commit }: SectionProps & { store: ProjectStore }) {
  const words = t.preview.edit;
  const images = imagesOf(store);
  const choose = (address: string) => {
    set('src', address);
    commit();
  };
  return (
    <Section title={words.image}>
      <LongField
        label={words.source}
        code
        value={picked.src ?? ''}
        onChange={(value) => {
          if (value.trim()) set('src', value.trim());
        }}
        onDone={commit}
      />
      {images.length > 0 && (
        <Select
          label={words.fromProject}
          value={images.includes(picked.src ?? '') ? picked.src! : ''}
          onChange={(event) => {
            if (event.currentTarget.value) choose(event.currentTarget.value);
          }}
        >
          <option value="">{words.chooseImage}</option>
          {images.map((address) => (
            <option key={address} value={address}>
              {address}
            </option>
          ))}
        </Select>
      )}
      <Upload store={store} onUploaded={choose} />
      <div>
        <p class="field__label">{words.alt}</p>
        <LongField label={words.alt} value={picked.alt ?? ''} onChange={(value) => set('alt', value)} onDone={commit} />
      </div>
    </Section>
  );
}

function Upload({ store, onUploaded }: { store: ProjectStore; onUploaded: (address: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const { busy, run } = useTask({ onError: complain });
  const upload = (file: File) =>
    run(async () => {
      if (file.size > largest) throw new Error(t.preview.edit.tooLarge);
      onUploaded(await put(store, file));
    });
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/gif,image/webp,image/avif,image/svg+xml"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void upload(file);
          event.currentTarget.value = '';
        }}
      />
      <Button small icon="upload" busy={busy} onClick={() => input.current!.click()}>
        {t.preview.edit.upload}
      </Button>
    </>
  );
}

// put uploads an image under an unused name and returns its address.
async function put(store: ProjectStore, file: File): Promise<string> {
  const folder = hasPublic(store) ? 'public/images' : 'images';
  const dot = file.name.lastIndexOf('.');
  const stem =
    file.name
      .slice(0, dot)
      .normalize('NFC')
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 80) || 'image';
  const ending = file.name.slice(dot).toLowerCase();
  for (let count = 1; ; count += 1) {
    const name = `${stem}${count > 1 ? `-${count}` : ''}${ending}`;
    try {
      await request('PUT', filePath(store.id, `${folder}/${name}`), file, {
        headers: { 'If-None-Match': '*', 'Content-Type': file.type || 'application/octet-stream' },
      });
      store.filesChanged();
      return `/images/${encodeURIComponent(name)}`;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'precondition_failed' || count > 50) throw error;
    }
  }
}

// imagesOf returns the addresses of the project's images.
function imagesOf(store: ProjectStore): string[] {
  const below = hasPublic(store) ? 'public/' : '';
  return store.files.value
    .map(({ path }) => path)
    .filter((path) => path.startsWith(below) && kinds.test(path))
    .map((path) => `/${path.slice(below.length).split('/').map(encodeURIComponent).join('/')}`)
    .slice(0, 500);
}

// hasPublic reports whether the project is built and has a folder public of static files.
// Otherwise its files are served directly.
function hasPublic(store: ProjectStore): boolean {
  return store.files.value.some(({ path }) => path === 'package.json' || path.startsWith('public/'));
}
