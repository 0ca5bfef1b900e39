import { ApiError } from '~/api/client';
import { sentence, t } from '~/text';
import { Banner } from './banner';
import { Button } from './button';

/** inWords explains an error and what to do about it. */
export function inWords(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  switch (error.code) {
    case 'offline':
      return t.shell.offline;
    case 'rate_limited':
      return error.retryAfter > 0 ? t.shell.tooMany(error.retryAfter) : t.shell.tooManyShort;
    case 'internal':
      return t.shell.internal(String(error.body.requestId ?? ''));
    default:
      return sentence(error.message);
  }
}

/** Failure shows a loading error, with a retry button. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Banner
      kind="error"
      actions={
        retry && (
          <Button small icon="reload" onClick={retry}>
            {t.shell.retry}
          </Button>
        )
      }
    >
      {inWords(error)}
    </Banner>
  );
}
