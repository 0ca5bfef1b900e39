import { useId, useRef } from 'preact/hooks';

import { bytes, t } from '~/text';
import { Button, Icon } from '~/ui';

export function ZipField({ file, choose, disabled }: { file?: File; choose: (file: File) => void; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <div class="field">
      <div class="zip">
        <Icon name="file" />
        <span class="zip__name">
          {file ? (
            <>
              <bdi>{file.name}</bdi> <span class="faint small">{bytes(file.size)}</span>
            </>
          ) : (
            <span class="faint">{t.dashboard.noFile}</span>
          )}
        </span>
        <Button
          small
          disabled={disabled}
          aria-describedby={id}
          autofocus={!file}
          onClick={() => input.current!.click()}
        >
          {file ? t.dashboard.chooseAnother : t.dashboard.chooseFile}
        </Button>
        <input
          ref={input}
          class="zip__input"
          type="file"
          accept=".zip,application/zip"
          tabIndex={-1}
          aria-hidden="true"
          hidden
          onChange={(event) => {
            const chosen = event.currentTarget.files?.[0];
            if (chosen) choose(chosen);
          }}
        />
      </div>
      <p id={id} class="field__hint">
        {t.dashboard.zipHint}
      </p>
    </div>
  );
}
