import type { ComponentChildren } from 'preact';

import { Icon, IconButton, type IconName } from '~/ui';
import type { ProjectStore } from '../store';
import type { Reference } from './events';
import { plain } from './plain';
import { partsOf } from './suggest';

/** placeOf names a reference in one line. */
export function placeOf({ type, path, tag, line, column }: Reference): string {
  return type === 'file' ? path : `<${tag}> ${path}:${line}:${column}`;
}

interface MentionProps {
  reference: Reference;
  store: ProjectStore;
  /** remove is the label and the action of a button that removes it. */
  remove?: { label: string; run: () => void };
}

/** Mention is a chip for a file or an element. It opens the place. */
export function Mention({ reference, store, remove }: MentionProps) {
  const { path, line, column } = reference;
  return (
    <Chip icon={reference.type === 'file' ? 'file' : 'code'}>
      <button type="button" class="mention__name" onClick={() => store.openFile({ path, line, column })}>
        <bdi>{plain(placeOf(reference))}</bdi>
      </button>
      {remove && <IconButton icon="close" label={remove.label} small onClick={remove.run} />}
    </Chip>
  );
}

function Chip({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <span class="mention">
      <Icon name={icon} />
      {children}
    </span>
  );
}

interface SaidTextProps {
  text: string;
  command: string;
  references: Reference[];
}

/** SaidText shows the words of a message, with its command and files marked. */
export function SaidText({ text, command, references }: SaidTextProps) {
  const files = new Set(references.flatMap(({ type, path }) => (type === 'file' ? [path] : [])));
  const head = command === '' ? '' : `/${command}`;
  return (
    <p class="said__text" dir="auto">
      {head && <span class="mark">{head}</span>}
      {partsOf(text.slice(head.length), (path) => files.has(path)).map((part, index) =>
        'file' in part ? (
          <span key={index} class="mark">
            @{plain(part.file)}
          </span>
        ) : (
          plain(part.words)
        ),
      )}
    </p>
  );
}
