import { useState } from 'preact/hooks';

/** Avatar shows a user's picture, or initials. */
export function Avatar({ name, url }: { name: string; url?: string | null }) {
  const [broken, setBroken] = useState(false);
  return (
    <span class="avatar" aria-hidden="true" data-initials={url && !broken ? undefined : initials(name)}>
      {url && !broken && <img src={url} alt="" referrerpolicy="no-referrer" onError={() => setBroken(true)} />}
    </span>
  );
}

function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s@._-]+/)
    .filter(Boolean);
  return (
    words
      .slice(0, 2)
      .map((word) => [...word][0]!.toUpperCase())
      .join('') || '?'
  );
}
