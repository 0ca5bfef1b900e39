import { useState } from 'preact/hooks';

import { filePath } from '~/api/client';
import { t } from '~/text';
import type { ProjectStore } from '../store';
import type { ToolItem } from './log';

/** Painting shows the picture that a call painted, as long as the project has it. A press opens the file. */
export function Painting({ item, store }: { item: ToolItem; store: ProjectStore }) {
  const [lost, setLost] = useState(false);
  const path = item.files[0]?.path;
  if (item.tool !== 'generate_image' || item.state !== 'done' || !path || lost) return null;
  const alt = typeof item.args.alt === 'string' ? item.args.alt : '';
  return (
    <p class="frames">
      <button type="button" class="frame" aria-label={t.chat.painting(alt)} onClick={() => store.openFile({ path })}>
        <img src={filePath(store.id, path)} alt="" loading="lazy" onError={() => setLost(true)} />
      </button>
    </p>
  );
}
