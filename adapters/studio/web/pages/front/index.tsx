import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { config } from '~/app/config';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { askForWish, keepWish, keptWish, longestWish } from '~/app/wish';
import type { WishImages } from '~/pages/wish-images';
import { t } from '~/text';
import { hasKeyboard, LinkButton, WishBox } from '~/ui';
import { Bakery, Habits, Quiz } from './scenes';

const scenes: Record<string, () => JSX.Element> = { habits: Habits, bakery: Bakery, quiz: Quiz };

/**
 * FrontPage is what visitors without a session see: what the service is, the prompt, and
 * examples. What they type becomes their first project's prompt.
 */
export default function FrontPage() {
  useTitle(undefined);
  const { route } = useLocation();
  const [text, setText] = useState(keptWish);
  const [images, setImages] = useState<WishImages | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (hasKeyboard()) field.current!.focus({ preventScroll: true });
  }, []);
  // Not needed to type, so not part of what the page waits for.
  useEffect(() => {
    void import('~/pages/wish-images').then(async ({ beginWishImages }) => setImages(await beginWishImages()));
  }, []);
  const type = (next: string) => {
    setText(next);
    keepWish(next);
  };
  const build = () => {
    if (text.trim() === '') return;
    askForWish(text);
    route('/signup');
  };
  const pick = (prompt: string) => {
    type(prompt);
    field.current!.focus();
  };
  return (
    <div class="front">
      <VisitorBar>
        {config.fresh ? (
          <LinkButton kind="primary" href="/signup">
            {t.auth.createAccount}
          </LinkButton>
        ) : (
          <LinkButton href="/login">{t.auth.signIn}</LinkButton>
        )}
      </VisitorBar>
      <main class="front__main" id="main" tabIndex={-1}>
        <div class="front__words">
          {config.fresh && (
            <p class="front__fresh">
              {t.front.fresh} <a href="/signup">{t.auth.titles.first}</a>
            </p>
          )}
          {!config.fresh && (config.signup === 'invite' || config.signup === 'closed') && (
            <p class="front__fresh">
              {t.front.invited} <a href="/signup">{t.front.invitedWhy}</a>
            </p>
          )}
          <h1>{t.front.headline}</h1>
          <p class="front__lead">{t.front.lead}</p>
        </div>
        <div
          class="front__wish"
          onDragOver={(event) => {
            if (images && event.dataTransfer?.types.includes('Files')) event.preventDefault();
          }}
          onDrop={(event) => images?.take(event, event.dataTransfer)}
        >
          <WishBox
            field={field}
            text={text}
            maxLength={longestWish}
            onText={type}
            onBuild={build}
            onPaste={(event) => images?.take(event, event.clipboardData)}
            above={images && <images.Above />}
          >
            {images && <images.Add />}
          </WishBox>
        </div>
        <section class="front__examples" aria-labelledby={id}>
          <h2 class="visually-hidden" id={id}>
            {t.dashboard.examplesTitle}
          </h2>
          <ul>
            {t.dashboard.examples.map(({ id: app, name, prompt }) => {
              const Scene = scenes[app];
              if (!Scene) return null;
              return (
                <li key={app} class="example">
                  <Scene />
                  <button type="button" class="example__words" onClick={() => pick(prompt)}>
                    <span class="example__name">{name}</span>
                    <span class="example__prompt">{prompt}</span>
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      </main>
    </div>
  );
}
