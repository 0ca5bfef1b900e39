import { useRef, useState } from 'preact/hooks';

/** useOnce loads data on first use. It retries after a failure. */
export function useOnce<T>(load: () => Promise<T>, before: T): { data: T; load: () => void } {
  const [data, setData] = useState(before);
  const begun = useRef(false);
  const begin = () => {
    if (begun.current) return;
    begun.current = true;
    load().then(setData, () => {
      begun.current = false;
    });
  };
  return { data, load: begin };
}
