import { useEffect, useRef, useState } from 'preact/hooks';

import { imagesIn } from '~/pages/project/chat/pictures';
import { t } from '~/text';
import { complain, Icon } from '~/ui';

interface DropZoneProps {
  onFile: (file: File) => void;
  /** onImages takes images, where there is a prompt that they can belong to. */
  onImages: ((files: File[]) => unknown) | undefined;
}

/** DropZone accepts zip files and images dropped anywhere on the page. */
export function DropZone(props: DropZoneProps) {
  const [over, setOver] = useState<'zip' | 'images' | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(latest.current.onImages && carriesImages(event) ? 'images' : 'zip');
    };
    // Ignore dragleave events between elements of the page.
    const onLeave = (event: DragEvent) => {
      if (!event.relatedTarget) setOver(null);
    };
    const onDrop = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(null);
      const { onFile, onImages } = latest.current;
      const images = imagesIn(event.dataTransfer);
      const file = event.dataTransfer!.files[0];
      if (onImages && images.length > 0) onImages(images);
      else if (file && /\.zip$/i.test(file.name)) onFile(file);
      else complain(new Error(t.dashboard.noZip));
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  if (over === null) return null;
  return (
    <div class="drop-zone" role="status">
      <p>
        <Icon name={over === 'images' ? 'image' : 'upload'} />
        {over === 'images' ? t.dashboard.dropImages : t.dashboard.dropHere}
      </p>
    </div>
  );
}

// carriesImages looks at the kinds only: the files themselves are hidden until they are dropped.
function carriesImages(event: DragEvent): boolean {
  return [...(event.dataTransfer?.items ?? [])].some(({ type }) => type.startsWith('image/'));
}
