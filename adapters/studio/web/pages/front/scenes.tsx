// The examples of the front page: small pictures of the demo's applications that put
// themselves together. They are elements, so that they weigh nothing and follow the theme;
// styles/front.css moves them, for less than five seconds.

import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { Icon } from '~/ui';

// turn is the position in the order in which the parts of a scene appear.
function turn(at: number): string {
  return `--turn: ${at}`;
}

function Scene({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <span class={`scene scene--${name}`} aria-hidden="true">
      <span class="scene__window">
        <span class="scene__top">
          <i />
          <i />
          <i />
        </span>
        <span class="scene__page">{children}</span>
      </span>
    </span>
  );
}

/** days are the strengths, 0 to 3, of the days of a month of habits. */
const days = '0102132033121303223313233333';

export function Habits() {
  const { title, done, items } = t.front.scenes.habits;
  return (
    <Scene name="habits">
      <b class="scene__title" style={turn(0)}>
        {title}
      </b>
      <span class="scene__note" style={turn(1)}>
        {done}
      </span>
      <span class="scene__columns">
        <span class="scene__card" style={turn(2)}>
          {items.map((item, index) => (
            <span key={item} class="scene__row" style={turn(3 + index)}>
              <span class="scene__tick" style={turn(14 + index * 4)}>
                <Icon name="check" />
              </span>
              <span>{item}</span>
            </span>
          ))}
        </span>
        <span class="scene__month" style={turn(3)}>
          {[...days].map((strength, index) => (
            <i key={index} data-strength={strength} style={turn(6 + index / 2)} />
          ))}
        </span>
      </span>
    </Scene>
  );
}

export function Bakery() {
  const { name, headline, open, breads } = t.front.scenes.bakery;
  return (
    <Scene name="bakery">
      <span class="scene__hero" style={turn(1)}>
        <span>
          <span class="scene__note">{name}</span>
          <b class="scene__title" style={turn(3)}>
            {headline}
          </b>
          <span class="scene__pill" style={turn(12)}>
            {open}
          </span>
        </span>
        <svg class="scene__loaf" viewBox="0 0 96 64" aria-hidden="true" style={turn(5)}>
          <ellipse cx="48" cy="56" rx="40" ry="5" class="scene__shade" />
          <path class="scene__crust" d="M6 44C6 22 25 10 48 10s42 12 42 34c0 9-18 12-42 12S6 53 6 44z" />
          <path class="scene__score" d="M24 38c2-9 5-15 9-19M42 38c1-10 3-17 6-22M60 38c1-9 3-15 6-18" />
        </svg>
      </span>
      <span class="scene__prices">
        {breads.map(([bread, price], index) => (
          <span key={bread} class="scene__row" style={turn(8 + index * 3)}>
            <span>{bread}</span>
            <span class="scene__dots" />
            <b>{price}</b>
          </span>
        ))}
      </span>
    </Scene>
  );
}

export function Quiz() {
  const { at, question, choices, right, points } = t.front.scenes.quiz;
  return (
    <Scene name="quiz">
      <span class="scene__row scene__score-line" style={turn(0)}>
        <span class="scene__note">{at}</span>
        <b class="scene__points" style={turn(24)}>
          {points}
        </b>
      </span>
      <span class="scene__bar" style={turn(1)}>
        <i style={turn(24)} />
      </span>
      <b class="scene__title" style={turn(3)}>
        {question}
      </b>
      <span class="scene__choices">
        {choices.map((choice, index) => (
          <span
            key={choice}
            class={index === right ? 'scene__choice scene__choice--right' : 'scene__choice'}
            style={turn(6 + index * 2)}
          >
            <span>{choice}</span>
            {index === right && (
              <span class="scene__tick" style={turn(22)}>
                <Icon name="check" />
              </span>
            )}
          </span>
        ))}
      </span>
    </Scene>
  );
}
