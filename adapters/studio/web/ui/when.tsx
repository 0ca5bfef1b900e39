import { useEffect, useState } from 'preact/hooks';

import { ago, moment } from '~/text';

/** When shows a relative time; its tooltip has the full time. */
export function When({ at }: { at: string }) {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => again((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  );
}
