import { useState } from 'preact/hooks';

import { t } from '~/text';
import type { Attachment } from './events';

interface FramesProps {
  frames: Attachment[];
  addressOf: (frame: Attachment) => string;
}

/** Frames shows small pictures of the page, each of which a press enlarges. */
export function Frames({ frames, addressOf }: FramesProps) {
  const [large, setLarge] = useState(-1);
  const [lost, setLost] = useState<string[]>([]);
  const shown = frames.filter(({ id }) => !lost.includes(id));
  if (shown.length === 0) return null;
  return (
    <p class="frames">
      {shown.map((frame, index) => (
        <button
          key={index}
          type="button"
          class="frame"
          aria-expanded={large === index}
          aria-label={t.chat.frame(index + 1, shown.length)}
          onClick={() => setLarge(large === index ? -1 : index)}
        >
          <img
            src={addressOf(frame)}
            alt=""
            loading="lazy"
            onError={() => setLost((before) => [...before, frame.id])}
          />
        </button>
      ))}
    </p>
  );
}
