import { useEffect, useState } from 'preact/hooks';

import { t } from '~/text';
import { complain, Icon } from '~/ui';

/** DropZone accepts zip files dropped anywhere on the page. */
export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Ignore dragleave events between elements of the page.
    const onLeave = (event: DragEvent) => {
      if (!event.relatedTarget) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer!.files[0];
      if (file && /\.zip$/i.test(file.name)) onFile(file);
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
  if (!over) return null;
  return (
    <div class="drop-zone" role="status">
      <p>
        <Icon name="upload" />
        {t.dashboard.dropHere}
      </p>
    </div>
  );
}
