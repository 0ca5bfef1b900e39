import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { TestMail } from '~/api/types';
import { t } from '~/text';
import { Empty, Failure, Icon, IconButton, Loading, When } from '~/ui';
import { useAddress } from './address';
import type { DataDesk } from './desk';
import { Head } from './head';
import { piecesOf } from './links';

/** Mails shows the mails to users of the test data. */
export function Mails({ desk }: { desk: DataDesk }) {
  const { data, error, reload } = useLoad(desk.store.id, (signal) =>
    api.get<{ items: TestMail[] }>(desk.path('/test/mails'), { signal }),
  );
  const [open, setOpen] = useState<string | null>(null);
  const address = useAddress(desk, open !== null);
  useSignalEffect(() => {
    if (desk.changes.value > 0) void reload();
  });
  const items = data?.items;
  return (
    <section class="mails" aria-labelledby="mails">
      <Head
        desk={desk}
        id="mails"
        title={t.data.mails}
        actions={<IconButton icon="reload" label={t.data.reload} onClick={() => void reload()} />}
      />
      <p class="soft mails__hint">{t.data.mailsHint}</p>
      {error && <Failure error={error} retry={() => void reload()} />}
      {!items && !error && <Loading />}
      {items?.length === 0 && (
        <Empty icon="send" title={t.data.noMails}>
          {t.data.noMailsHint}
        </Empty>
      )}
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((mail) => (
            <li key={mail.id} class="mail">
              <button
                type="button"
                class="mail__head"
                aria-expanded={open === mail.id}
                onClick={() => setOpen(open === mail.id ? null : mail.id)}
              >
                <Icon name={open === mail.id ? 'down' : 'next'} />
                <span class="mail__main">
                  <bdi class="mail__subject">{mail.subject}</bdi>
                  <span class="row__note">
                    {t.data.mailTo} <bdi>{mail.to}</bdi> · <When at={mail.createdAt} />
                  </span>
                </span>
              </button>
              {open === mail.id && <Text text={mail.text} address={address} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Text({ text, address }: { text: string; address: string | null }) {
  return (
    <p class="mail__text" dir="auto">
      {piecesOf(text, address).map((piece, index) =>
        piece.href ? (
          <a key={index} href={piece.href} target="_blank" rel="noopener noreferrer">
            {piece.text}
          </a>
        ) : (
          <span key={index}>{piece.text}</span>
        ),
      )}
    </p>
  );
}
