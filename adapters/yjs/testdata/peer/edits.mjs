// What people do to a document, at random.
import * as Y from './yjs.mjs'

// generator returns a function that draws a number below its argument.
export const generator = seed => n => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n)
}

const paths = ['index.html', 'src/app.ts', 'src/ü.css', 'a', '../bad', 'readme.md']
const plain = ['a', 'b', ' ', '\n', '\r\n', 'ü', '漢', 'const x = 1\n', 'é', '​']
const astral = [...plain, '😀', '👩‍👩‍👧', '🇩🇪', '𝒳']

const pick = (random, list) => list[random(list.length)]

const words = (random, rich) => {
  let text = ''
  for (let n = 1 + random(4); n > 0; n--) text += pick(random, rich ? plain : astral)
  return text
}

// boundary draws a place in a text that is within no surrogate pair.
const boundary = (random, text, length) => {
  const at = random(length + 1)
  const code = text.length === length ? text.charCodeAt(at) : 0
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

const value = random => pick(random, [
  1, -7, 2 ** 31 + 5, 0.5, Math.PI, true, false, null, undefined, 'text 😀', [1, [2, { a: 'b' }]],
  { x: 1, y: [null, 'z'] }, new Uint8Array([1, 2, 3]), 12n
])

const type = random => pick(random, [
  () => new Y.Map(), () => new Y.Array(), () => new Y.Text('nested'), () => new Y.XmlFragment(),
  () => new Y.XmlElement('p'), () => new Y.XmlText('x'), () => new Y.Doc({ guid: 'sub' + random(5), meta: { a: 1 } })
])()

const editText = (random, text, rich) => {
  const content = text.toString()
  const from = boundary(random, content, text.length)
  const to = boundary(random, content, text.length)
  const [at, end] = from < to ? [from, to] : [to, from]
  const length = Math.min(end - at, rich ? 20 : end - at)
  switch (random(rich ? 9 : 4)) {
    case 0: case 1: case 2:
      return text.insert(at, words(random, rich))
    case 3:
      return random(3) === 0 || length < 30 ? text.delete(at, length) : undefined
    case 4: case 5:
      return length > 0 && text.format(at, length, pick(random, [{ bold: true }, { bold: null }, { link: { href: 'x' } }]))
    case 6:
      return text.insertEmbed(at, pick(random, [{ image: 'a.png' }, new Y.Map(), { n: 1 }]))
    case 7:
      return text.insert(at, words(random, rich), { italic: true })
    case 8:
      return length > 0 && text.delete(at, length)
  }
}

const editFiles = (random, doc, rich) => {
  const files = doc.getMap('files')
  const path = pick(random, paths)
  const text = files.get(path)
  if (!(text instanceof Y.Text) || text instanceof Y.XmlText || random(40) === 0) {
    return random(12) === 0 ? files.set(path, value(random)) : files.set(path, new Y.Text(words(random, rich)))
  }
  if (random(60) === 0) return files.delete(path)
  editText(random, text, rich)
}

const editTree = (random, node, depth) => {
  if (node instanceof Y.XmlElement && random(3) === 0) {
    return random(4) === 0 ? node.removeAttribute('k') : node.setAttribute('k', 'v' + random(9))
  }
  if (node instanceof Y.Text) return editText(random, node, true)
  if (node instanceof Y.Map) {
    const key = 'k' + random(4)
    const child = node.get(key)
    if (child instanceof Y.AbstractType && depth < 4 && random(3) > 0) return editTree(random, child, depth + 1)
    return random(5) === 0 ? node.delete(key) : node.set(key, random(3) === 0 ? type(random) : value(random))
  }
  const isXml = node instanceof Y.XmlFragment
  const at = random(node.length + 1)
  if (node.length > 0 && random(4) === 0) return node.delete(random(node.length), 1)
  const child = at < node.length ? node.get(at) : null
  if (child instanceof Y.AbstractType && depth < 4 && random(2) === 0) return editTree(random, child, depth + 1)
  if (isXml) return node.insert(at, [pick(random, [() => new Y.XmlElement('div'), () => new Y.XmlText('text'), () => new Y.XmlHook('hook')])()])
  node.insert(at, random(3) === 0 ? [type(random)] : [[value(random)], { v: value(random) }, random(9)])
}

// edit changes a document once. manager, if any, undoes and redoes.
export const edit = (random, doc, manager, rich) => {
  const kind = random(20)
  if (kind < 13) return editFiles(random, doc, rich)
  if (kind === 13) return editTree(random, doc.getMap('meta'), 0)
  if (kind === 14) return editTree(random, doc.getArray('list'), 0)
  if (kind === 15) return editTree(random, doc.getXmlFragment('page'), 0)
  if (kind === 16) return editText(random, doc.getText('rich'), true)
  if (!manager) return editFiles(random, doc, rich)
  if (kind === 17) return manager.undo()
  if (kind === 18) return manager.redo()
  manager.stopCapturing()
}

// manager returns an undo manager of all that edit changes.
export const manager = doc => new Y.UndoManager([
  doc.getMap('files'), doc.getMap('meta'), doc.getArray('list'), doc.getXmlFragment('page'), doc.getText('rich')
])
