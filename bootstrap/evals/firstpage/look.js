// Looks at the page once it has loaded and no longer moves, and reports on the console: a line for
// each fault, the colour of the ground, and the end. It runs before the page's own scripts.
(() => {
  const mark = 'MARK';
  const { axe } = window;
  const tell = console.warn.bind(console);
  const report = (text) => tell(`${mark} ${String(text).replace(/\s+/g, ' ').slice(0, 400)}`);
  const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));

  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });

  // A page is at rest when nothing has changed for some frames and no transition runs.
  async function rest() {
    let quiet = 0;
    new MutationObserver(() => {
      quiet = 0;
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let frames = 0; quiet < 10 && frames < 300; frames++, quiet++) await frame();
    const ending = document.getAnimations().filter((animation) => animation.effect?.getTiming().iterations !== Infinity);
    await Promise.race([Promise.allSettled(ending.map(({ finished }) => finished)), new Promise((over) => setTimeout(over, 5000))]);
  }

  function ground() {
    for (const element of [document.body, document.documentElement]) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour)) return colour;
    }
    return getComputedStyle(document.documentElement).colorScheme.includes('dark') ? 'the scheme’s' : 'rgb(255, 255, 255)';
  }

  async function look() {
    await rest();
    report(`ground ${ground()}`);
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) report(`the page is ${wide} pixels wider than the window`);
    if (shift > 0.1) report(`content moves while the page loads, by ${shift.toFixed(2)}`);
    const headings = [...document.querySelectorAll('h1')].filter((heading) => heading.checkVisibility());
    if (headings.length !== 1) report(`there are ${headings.length} visible headings of the first level`);
    if (document.body.innerText.trim().length < 20) report('there is hardly any text');
    for (const image of document.images) if (image.complete && image.naturalWidth === 0) report(`the picture ${image.getAttribute('src')} is missing`);
    if (/lorem ipsum/i.test(document.body.innerText)) report('there is lorem ipsum');
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    for (const { id, nodes } of violations) report(`${id}: ${nodes[0].target.join(' ')}: ${nodes[0].failureSummary}`);
  }

  addEventListener('load', () => look().catch((error) => report(`the page cannot be looked at: ${error}`)).finally(() => report('end')));
})();
