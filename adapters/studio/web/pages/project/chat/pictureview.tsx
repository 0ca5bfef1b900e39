import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Icon, IconButton } from '~/ui';
import { readPictures } from './pictures';
import type { Picture } from './queue';

/** usePictures keeps the images of a message that is being written. */
export function usePictures() {
  const [all, set] = useState<Picture[]>([]);
  const [problem, setProblem] = useState('');
  const add = async (files: File[]) => {
    const { pictures, problems } = await readPictures(files, all.length);
    set((before) => [...before, ...pictures]);
    setProblem(problems.join(' '));
  };
  const replace = (next: Picture[] | ((now: Picture[]) => Picture[])) => {
    set(next);
    setProblem('');
  };
  return { all, problem, add, set: replace };
}

/** Chips shows the images of a message that is being written. */
export function Chips({ pictures, remove }: { pictures: Picture[]; remove: (id: string) => void }) {
  if (pictures.length === 0) return null;
  return (
    <ul class="composer__images" aria-label={t.chat.images}>
      {pictures.map(({ id, name, url }) => (
        <li key={id} class="chip">
          <img src={url} alt={name} />
          <IconButton icon="close" label={t.chat.removeImage(name)} small onClick={() => remove(id)} />
        </li>
      ))}
    </ul>
  );
}

/** AddImages is the button that adds images to a message. */
export function AddImages({
  pictures,
  disabled,
}: {
  pictures: { add: (files: File[]) => Promise<void> };
  disabled?: boolean;
}) {
  return (
    <label class="button button--quiet button--icon button--small composer__file" data-tip={t.chat.addImage}>
      <Icon name="image" />
      <input
        type="file"
        class="visually-hidden"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        disabled={disabled}
        aria-label={t.chat.addImage}
        onChange={(event) => {
          const input = event.currentTarget;
          void pictures.add([...(input.files ?? [])]).then(() => {
            input.value = '';
          });
        }}
      />
    </label>
  );
}
