import { useState } from 'preact/hooks';

import { t } from '~/text';
import { IconButton } from './button';
import { complain } from './toast';

/** Copyable shows a value with a copy button. */
export function Copyable({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <div class="copyable">
      <code role="group" tabIndex={0} aria-label={label}>
        {value}
      </code>
      <IconButton
        icon={copied ? 'check' : 'copy'}
        label={copied ? t.shell.copied : `${t.shell.copy}: ${label}`}
        small
        onClick={copy}
      />
    </div>
  );
}
