// The layers of a preview's page: its elements with a known place in the sources, in order.
//
// Fields of a layer:
//
//	depth  how many layers are around it
//	tag    its name, in lower case
//	loc    its place in the sources, '' in pages that are files
//	name   the component that begins with it, '' if none does
//	says   the beginning of its text
//	trail  its position, as in picker.js
import { textOf } from '/@atelier/pins.js';

const most = 2000;

export function layersOf(isShown) {
  const layers = [];
  const isBuilt = document.querySelector('[data-loc]') !== null;
  const visit = (element, depth, trail) => {
    for (let at = 0; at < element.children.length && layers.length < most; at += 1) {
      const child = element.children[at];
      if (/^(atelier-.*|script|style|template|link|meta)$/.test(child.localName)) continue;
      const here = [...trail, at];
      const isLayer = (isBuilt ? child.hasAttribute('data-loc') : true) && isShown(child);
      if (isLayer) layers.push(layerOf(child, depth, here));
      // The shapes of a picture are of no interest.
      if (child.localName !== 'svg') visit(child, isLayer ? depth + 1 : depth, here);
    }
  };
  if (document.body) visit(document.body, 0, trailOf(document.body));
  return layers;
}

function layerOf(element, depth, trail) {
  return {
    depth,
    tag: element.localName.slice(0, 100),
    loc: (element.getAttribute('data-loc') ?? '').slice(0, 1200),
    name: componentOf(element),
    says: element.childElementCount > 0 && element.querySelector('div, p, ul, ol, section, h1, h2, h3, [data-loc]') ? '' : textOf(element).slice(0, 60),
    trail: trail.slice(0, 200),
  };
}

// componentOf returns the name of the component of React whose first element this is.
function componentOf(element) {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'));
  let at = key ? element[key] : null;
  // Only what is between this element and the next one around it begins here.
  for (at = at?.return; at && typeof at.type !== 'string'; at = at.return) {
    const name = typeof at.type === 'function' ? (at.type.displayName ?? at.type.name) : '';
    if (/^[A-Z]/.test(name ?? '')) return String(name).slice(0, 60);
  }
  return '';
}

export function trailOf(element) {
  const trail = [];
  for (let at = element; at.parentElement; at = at.parentElement) trail.unshift([...at.parentElement.children].indexOf(at));
  return trail.slice(0, 200);
}

// marksOf returns the marks of further elements, and of where a dragged one is put.
export function marksOf(mark) {
  const root = document.createElement('div');
  const all = [];
  const several = {
    root,
    put(elements) {
      while (all.length < elements.length) {
        const one = mark('2px solid #3b4cca', 'transparent');
        all.push(one);
        root.append(one.box);
      }
      all.forEach((one, at) => one.put(elements[at] ?? null));
    },
  };
  const bar = document.createElement('div');
  bar.style.cssText = 'position: absolute; display: none; background: #3b4cca; border-radius: 2px; box-shadow: 0 0 0 1px #fff;';
  const line = {
    root: bar,
    put(to) {
      bar.style.display = to ? 'block' : 'none';
      if (!to) return;
      const at = to.element.getBoundingClientRect();
      const [left, top] = to.inRow ? [to.after ? at.right : at.left - 3, at.top] : [at.left, to.after ? at.bottom : at.top - 3];
      Object.assign(bar.style, { left: `${left}px`, top: `${top}px`, width: to.inRow ? '3px' : `${at.width}px`, height: to.inRow ? `${at.height}px` : '3px' });
    },
  };
  return { several, line };
}
