// What people who look at the page would object to.
(() => {
  const flaws = [];
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

  // The colours, one over the other, as red, green and blue. Most elements have those of
  // another.
  const mixed = new Map();
  function mix(colours) {
    const key = colours.join();
    if (!mixed.has(key)) mixed.set(key, paint(colours));
    return mixed.get(key);
  }

  function paint(colours) {
    pen.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
    }
    return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }

  // Relative luminance and contrast as WCAG 2 defines them.
  function luminance(rgb) {
    const [r, g, b] = rgb.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(a, b) {
    const [dark, bright] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  }

  const backdrops = new Map([[null, ['white']]]);
  function backdrop(element) {
    if (!backdrops.has(element)) backdrops.set(element, [...backdrop(element.parentElement), getComputedStyle(element).backgroundColor]);
    return backdrops.get(element);
  }

  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) flaws.push(`the page is ${width} pixels wide in a window of ${innerWidth}`);

  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim()).join(' ');
    const box = element.getBoundingClientRect();
    if (!own || !element.checkVisibility() || box.width < 2 || element.matches(':disabled')) continue;
    const style = getComputedStyle(element);
    const under = backdrop(element);
    const text = element instanceof SVGElement ? style.fill : style.color;
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    const got = contrast(mix(under), mix([...under, text]));
    const range = document.createRange();
    range.selectNodeContents(element);
    if (range.getClientRects()[0].height < 12) flaws.push(`"${own.slice(0, 30)}" is too small to read`);
    if (got < (large ? 3 : 4.5)) flaws.push(`"${own.slice(0, 30)}" has a contrast of ${got.toFixed(2)}`);
  }

  for (const element of document.querySelectorAll('body *')) {
    const cut = element.checkVisibility() && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
    if (cut && getComputedStyle(element).overflowX !== 'visible') flaws.push(`${element.localName}.${element.className} cuts off what is in it`);
  }

  for (const element of document.querySelectorAll('button, input, summary, nav a')) {
    const box = element.getBoundingClientRect();
    if (element.checkVisibility() && Math.min(box.width, box.height) < 16) flaws.push(`${element.localName} "${element.textContent}" is too small to hit`);
  }
  return flaws;
})();
