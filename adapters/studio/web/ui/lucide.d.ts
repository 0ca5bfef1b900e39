// Lucide's types are those of its index, which loads all icons for every page; each by
// itself is loaded with the pages that show it.

declare module 'lucide/dist/esm/icons/*.mjs' {
  import type { IconNode } from 'lucide';

  const icon: IconNode;
  export default icon;
}
