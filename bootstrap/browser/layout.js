// Where everything on the page is and what it looks like, one element a line.
[...document.querySelectorAll('body, body *:not(script)')]
  .map((element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const place = [box.x, box.y, box.width, box.height].map((value) => value.toFixed(1)).join(' ');
    return `${element.localName} ${place} ${style.color} ${style.backgroundColor} ${style.font}`;
  })
  .join('\n');
