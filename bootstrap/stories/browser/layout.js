// Where everything on the page is and what it looks like, one element a line, as
// soon as nothing moves any more.
(async () => {
  const layout = () =>
    [...document.querySelectorAll('body, body *:not(script)')]
      .map((element) => {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        const place = [box.x, box.y, box.width, box.height].map((value) => value.toFixed(1)).join(' ');
        return `${element.localName} ${place} ${style.color} ${style.backgroundColor} ${style.font}`;
      })
      .join('\n');
  const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
  for (let before = ''; ; ) {
    await frame();
    await frame();
    const now = layout();
    if (now === before) return now;
    before = now;
  }
})();
