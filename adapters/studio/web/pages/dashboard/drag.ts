// Drag and drop of projects onto folders. The projects' menus offer the same to keyboards.

import { useState } from 'preact/hooks';

import { complain } from '~/ui';
import { moveProject } from './actions';
import type { Desk } from './desk';

// kind is the data type of a dragged project.
const kind = 'application/x-atelier-project';

/** dragOf makes an element draggable as a project. */
export function dragOf(id: string) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer?.setData(kind, id);
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
    },
  };
}

/** useDrop makes an element a drop target for projects; '' is the root folder. */
export function useDrop(desk: Desk, folder: string) {
  const [over, setOver] = useState(false);
  const fits = (event: DragEvent) => event.dataTransfer?.types.includes(kind) === true;
  return {
    'data-over': over || undefined,
    onDragOver: (event: DragEvent) => {
      if (!fits(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!fits(event)) return;
      event.preventDefault();
      moveProject(desk, event.dataTransfer!.getData(kind), folder).catch(complain);
    },
  };
}
