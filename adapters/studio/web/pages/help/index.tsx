import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { useLoad } from '~/api/load';
import { Gone } from '~/app/gone';
import { markNewsRead } from '~/app/news';
import { enter, mayHaveSession, me } from '~/app/session';
import { Shell } from '~/app/shell';
import { openShortcuts } from '~/app/shortcutlist';
import { keysOf, type ShortcutId } from '~/app/shortcuts';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { currentLanguage, t } from '~/text';
import { loadManual, type Manual } from '~/text/languages';
import { Button, Failure, Loading, TextField } from '~/ui';
import { blocksOf, type News, search, spansOf, type Topic } from './manual';

/** HelpPage is the manual, and what is new. It needs no session. */
export default function HelpPage({ topic }: { topic?: string }) {
  const [asked, setAsked] = useState(!!me.value || !mayHaveSession());
  useEffect(() => {
    if (!asked)
      enter()
        .catch(() => false)
        .finally(() => setAsked(true));
  }, []);
  const { data, error, reload } = useLoad('manual', () => loadManual(currentLanguage()));
  const body = error ? (
    <Failure error={error} retry={reload} />
  ) : data ? (
    <Body manual={data} topic={topic} />
  ) : (
    <Loading />
  );
  if (!asked) return <Loading />;
  if (me.value) return <Shell>{body}</Shell>;
  return (
    <>
      <VisitorBar />
      <main id="main" class="page">
        {body}
      </main>
    </>
  );
}

function Body({ manual, topic }: { manual: Manual; topic: string | undefined }) {
  const current = manual.topics.find(({ id }) => id === topic);
  if (topic !== undefined && topic !== 'news' && !current) return <Gone />;
  return (
    <div class="help">
      <nav class="help__nav" aria-label={t.help.topics}>
        <a class="tab" href="/help" aria-current={topic === undefined ? 'page' : undefined}>
          {t.help.title}
        </a>
        {manual.topics.map(({ id, title }) => (
          <a key={id} class="tab" href={`/help/${id}`} aria-current={id === topic ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <a class="tab" href="/help/news" aria-current={topic === 'news' ? 'page' : undefined}>
          {t.help.news}
        </a>
      </nav>
      <div class="help__body">
        {current ? (
          <Article topic={current} all={manual.topics} />
        ) : topic === 'news' ? (
          <NewsPage news={manual.news} />
        ) : (
          <Overview topics={manual.topics} />
        )}
      </div>
    </div>
  );
}

function Overview({ topics }: { topics: Topic[] }) {
  useTitle(t.help.title);
  const [query, setQuery] = useState('');
  const found = search(topics, query);
  return (
    <>
      <h1>{t.help.title}</h1>
      <p class="soft">{t.help.hint}</p>
      <TextField
        label={t.help.search}
        hideLabel
        type="search"
        placeholder={t.help.search}
        value={query}
        autocomplete="off"
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <p class="visually-hidden" role="status">
        {query && t.help.found(found.length)}
      </p>
      {found.length === 0 && <p class="soft">{t.help.none}</p>}
      <ul class="help__topics">
        {found.map(({ id, title, about }) => (
          <li key={id}>
            <a class="help__topic" href={`/help/${id}`}>
              <strong>{title}</strong>
              <span class="soft">{about}</span>
            </a>
          </li>
        ))}
      </ul>
      <div class="help__more">
        <Button icon="list" onClick={openShortcuts}>
          {t.keys.title}
        </Button>
      </div>
    </>
  );
}

function Article({ topic, all }: { topic: Topic; all: Topic[] }) {
  useTitle(`${topic.title} · ${t.help.title}`);
  const { path } = useLocation();
  useEffect(() => scrollTo(0, 0), [path]);
  const next = all[all.indexOf(topic) + 1];
  return (
    <article class="help__article">
      <h1>{topic.title}</h1>
      <p class="soft">{topic.about}</p>
      {topic.picture && (
        <img src={`/help/${topic.picture.name}.jpg`} alt={topic.picture.alt} width={880} height={550} />
      )}
      <Text text={topic.text} />
      {next && (
        <p class="help__next">
          <a href={`/help/${next.id}`}>{t.help.next(next.title)}</a>
        </p>
      )}
    </article>
  );
}

function NewsPage({ news }: { news: News[] }) {
  useTitle(t.help.news);
  useEffect(markNewsRead, []);
  return (
    <article class="help__article">
      <h1>{t.help.news}</h1>
      {news.map(({ id, title, text }) => (
        <section key={id} aria-label={title}>
          <h2>{title}</h2>
          <Text text={text} />
        </section>
      ))}
    </article>
  );
}

function Text({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text).map((block, index) => {
        if (block.kind === 'heading') return <h2 key={index}>{block.text}</h2>;
        if (!('items' in block))
          return (
            <p key={index}>
              <Line text={block.text} />
            </p>
          );
        const List = block.kind === 'steps' ? 'ol' : 'ul';
        return (
          <List key={index}>
            {block.items.map((item) => (
              <li key={item}>
                <Line text={item} />
              </li>
            ))}
          </List>
        );
      })}
    </>
  );
}

function Line({ text }: { text: string }) {
  return (
    <>
      {spansOf(text).map((span, index) => {
        if (span.kind === 'bold') return <strong key={index}>{span.text}</strong>;
        if (span.kind === 'code') return <code key={index}>{span.text}</code>;
        if (span.kind === 'key')
          return (
            <kbd key={index} class="kbd">
              {keysOf(span.text as ShortcutId)}
            </kbd>
          );
        if (span.kind === 'link')
          return (
            <a key={index} href={span.to}>
              {span.text}
            </a>
          );
        return span.text;
      })}
    </>
  );
}
