// Lucide only declares types for its index, which would load all icons for every page.
// Pages import their icons individually.

declare module 'lucide/dist/esm/icons/*.mjs' {
  import type { IconNode } from 'lucide';

  const icon: IconNode;
  export default icon;
}
