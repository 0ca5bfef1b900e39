import { t } from '~/text';
import { Icon } from '~/ui';
import type { Attachment } from './events';
import { Frames } from './frames';
import type { CheckItem } from './log';

/** CheckView shows what became of a check that was played at the end of a run. */
export function CheckView({ item, imageAt }: { item: CheckItem; imageAt: (picture: Attachment) => string }) {
  return (
    <>
      <p class={item.passed ? 'quiet' : 'quiet quiet--failed'}>
        <Icon name={item.passed ? 'check' : 'alert'} />
        <span>
          {item.passed ? t.checks.inChat.passed : t.checks.inChat.failed} <bdi>{item.title}</bdi>
          {item.message && (
            <>
              {' '}
              · <bdi>{item.message}</bdi>
            </>
          )}
        </span>
      </p>
      {item.picture && <Frames frames={[item.picture]} addressOf={imageAt} />}
    </>
  );
}
