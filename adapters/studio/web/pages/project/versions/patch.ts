/** FilePatch is the part of a patch for one file. */
export interface FilePatch {
  path: string;
  /** text starts with the first hunk; it is empty for binary files. */
  text: string;
}

/**
 * filePatches splits a patch by file. Paths in a patch may be quoted, so it matches each
 * part with the given paths, which have the same order. Listed files may be missing in the
 * patch.
 */
export function filePatches(patch: string, paths: string[]): Map<string, FilePatch> {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  const found = new Map<string, FilePatch>();
  let next = 0;
  for (const part of parts) {
    const head = part.slice(0, part.indexOf('\n'));
    const at = paths.findIndex(
      (path, index) => index >= next && (head.endsWith(` b/${path}`) || head.endsWith(` "b/${quoted(path)}"`)),
    );
    if (at < 0) continue;
    const hunk = /^@@ /m.exec(part);
    found.set(paths[at]!, { path: paths[at]!, text: hunk ? part.slice(hunk.index) : '' });
    next = at + 1;
  }
  return found;
}

// quoted formats a path with unusual characters as git does in a patch.
function quoted(path: string): string {
  return [...new TextEncoder().encode(path)]
    .map((byte) => {
      if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
      return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
    })
    .join('');
}
