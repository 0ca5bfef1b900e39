import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, complain, Dialog } from '~/ui';

const fileName = 'atelier-recovery-codes.txt';

/** RecoveryCodes shows recovery codes once, to copy or to save as a file. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const text = t.settings.twoStep;
  const lines = `${codes.join('\n')}\n`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(lines);
      setCopied(true);
    } catch (error) {
      complain(error);
    }
  };
  const save = () => {
    const address = URL.createObjectURL(new Blob([lines], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = fileName;
    link.click();
    // Browsers read it when they get round to it.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  return (
    <Dialog title={text.codesTitle} onClose={onClose}>
      <div class="form">
        <Banner kind="warning">{text.codesOnce}</Banner>
        <ul class="recovery" aria-label={text.codesTitle}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div class="form__actions">
          <Button icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
            {copied ? t.shell.copied : t.shell.copy}
          </Button>
          <Button icon="download" onClick={save}>
            {text.download}
          </Button>
        </div>
      </div>
      <div class="dialog__actions">
        <Button kind="primary" onClick={onClose}>
          {text.saved}
        </Button>
      </div>
    </Dialog>
  );
}
