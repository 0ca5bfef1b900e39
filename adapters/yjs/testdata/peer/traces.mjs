// Writes what the real Yjs makes of some histories: node traces.mjs <directory>.
// A trace has the updates in the order in which a replica that listens gets them, and
// what that replica holds at the end. Ids and edits are fixed, so a trace written anew
// is the same.
import { writeFileSync } from 'node:fs'
import * as Y from './yjs.mjs'
import { edit, generator, manager } from './edits.mjs'

const text = bytes => Buffer.from(bytes).toString('base64')

// history has replicas with ids 1, 2, … or the given ones, and remembers what they write.
const history = (ids = [1, 2, 3], options = {}) => {
  const updates = []
  const docs = ids.map(id => {
    const doc = new Y.Doc(options)
    doc.clientID = id
    doc.on('update', (update, origin) => origin !== 'remote' && updates.push(update))
    return doc
  })
  const sync = () => {
    for (const from of docs) for (const to of docs) if (from !== to) Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)), 'remote')
  }
  return { docs, updates, sync }
}

const file = (doc, path = 'a.txt') => {
  const files = doc.getMap('files')
  if (!(files.get(path) instanceof Y.Text)) files.set(path, new Y.Text())
  return files.get(path)
}

const traces = {
  strings: () => {
    const { docs: [a, b], updates, sync } = history()
    file(a).insert(0, 'aß漢😀👩‍👩‍👧\r\n')
    sync()
    file(a).insert(1, 'one')
    file(b).insert(1, 'two')
    file(b).delete(0, 1)
    sync()
    file(a).insert(4, '😀')
    return updates
  },
  formats: () => {
    const { docs: [a, b], updates, sync } = history()
    file(a).insert(0, 'plain bold plain')
    file(a).format(6, 4, { bold: true, link: { href: 'x' } })
    sync()
    file(a).format(0, 8, { bold: null })
    file(b).insert(7, 'inside', { italic: true })
    file(b).delete(5, 4)
    sync()
    return updates
  },
  embeds: () => {
    const { docs: [a, b], updates, sync } = history()
    file(a).insert(0, 'before after')
    file(a).insertEmbed(7, { image: 'ü.png', n: [1, null] })
    sync()
    file(b).insertEmbed(3, new Y.Map([['k', 'v']]))
    file(a).delete(5, 4)
    sync()
    return updates
  },
  'nested maps': () => {
    const { docs: [a, b], updates, sync } = history()
    const meta = a.getMap('meta')
    meta.set('one', new Y.Map([['deep', new Y.Map([['deeper', 1]])], ['list', Y.Array.from([1, 2, 3])]]))
    sync()
    b.getMap('meta').get('one').get('deep').set('deeper', 'new')
    meta.get('one').get('list').insert(1, ['x', 'y'])
    meta.get('one').set('', 'an empty key')
    sync()
    b.getMap('meta').delete('one')
    meta.get('one').get('list').push([4])
    sync()
    return updates
  },
  values: () => {
    const { docs: [a, b], updates, sync } = history()
    const list = a.getArray('list')
    list.push([1, -1, 64, -64, 2 ** 31, -(2 ** 31), 2 ** 53, 0.5, 1e300, -0, true, false, null, 'text 😀', [1, [2]], { a: { b: undefined } }])
    a.getMap('meta').set('binary', new Uint8Array([0, 255]))
    a.getMap('meta').set('big', 9007199254740993n)
    a.getMap('meta').set('nothing', undefined)
    sync()
    b.getArray('list').delete(3, 5)
    list.insert(5, ['between'])
    sync()
    return updates
  },
  'values in JSON': () => {
    const { docs: [a, b], updates, sync } = history()
    a.transact(transaction => {
      const list = a.getArray('list')
      const content = new Y.ContentJSON([1, 'two', { three: [3] }, undefined, null])
      new Y.Item(Y.createID(1, 0), null, null, null, null, list, null, content).integrate(transaction, 0)
    })
    sync()
    b.getArray('list').delete(1, 2)
    sync()
    return updates
  },
  xml: () => {
    const { docs: [a, b], updates, sync } = history()
    const page = a.getXmlFragment('page')
    const element = new Y.XmlElement('p')
    page.insert(0, [element, new Y.XmlText('text'), new Y.XmlHook('hook')])
    element.setAttribute('class', 'x')
    element.insert(0, [new Y.XmlElement('b'), new Y.XmlText('inside')])
    sync()
    b.getXmlFragment('page').get(0).removeAttribute('class')
    b.getXmlFragment('page').get(0).delete(0, 1)
    element.setAttribute('class', 'y')
    sync()
    page.delete(0, 1)
    sync()
    return updates
  },
  subdocs: () => {
    const { docs: [a, b], updates, sync } = history()
    a.getMap('meta').set('sub', new Y.Doc({ guid: 'sub', meta: { title: 'ü' }, autoLoad: true }))
    a.getArray('list').push([new Y.Doc({ guid: 'other', gc: false })])
    sync()
    b.getMap('meta').delete('sub')
    sync()
    return updates
  },
  'undo and redo': () => {
    const { docs: [a, b], updates, sync } = history()
    file(a).insert(0, 'the first text')
    sync()
    const steps = new Y.UndoManager(a.getMap('files'), { captureTimeout: 0 })
    file(a).insert(4, 'very ')
    file(b).delete(0, 4)
    file(a).delete(0, 3)
    sync()
    steps.undo()
    steps.undo()
    file(b).insert(3, 'b')
    sync()
    steps.redo()
    sync()
    return updates
  },
  'without collection': () => {
    const { docs: [a, b], updates, sync } = history([1, 2], { gc: false })
    file(a).insert(0, 'to be deleted and kept')
    sync()
    file(a).delete(3, 10)
    file(b).insert(8, 'here')
    sync()
    a.getMap('files').delete('a.txt')
    file(b).insert(0, 'late')
    sync()
    return updates
  },
  'ids of 53 bits': () => {
    const { docs: [a, b, c], updates, sync } = history([2 ** 53 - 1, 2 ** 32, 2 ** 52 + 1])
    file(a).insert(0, 'abc')
    sync()
    file(a).insert(1, 'from a')
    file(b).insert(1, 'from b')
    file(c).insert(1, 'from c')
    sync()
    return updates
  },
  'one path made twice': () => {
    const { docs: [a, b, c], updates, sync } = history([1, 2, 3])
    file(a).insert(0, 'from a')
    file(b).insert(0, 'from b')
    file(c).insert(0, 'from c')
    sync()
    file(b).insert(0, 'won: ')
    sync()
    return updates
  },
  'cut surrogate pairs': () => {
    const { docs: [a, b], updates, sync } = history()
    file(a).insert(0, 'x😀y😀z')
    sync()
    file(b).insert(2, '-')
    file(b).delete(6, 1)
    sync()
    return updates
  },
  'out of order': () => {
    const { docs: [a, b], updates, sync } = history()
    for (const letter of 'letters') file(a).insert(0, letter)
    sync()
    for (const letter of 'more') file(b).insert(2, letter)
    file(b).delete(0, 5)
    return updates.reverse()
  },
  merged: () => {
    const { docs: [a, b], updates, sync } = history()
    for (const letter of 'letters') file(a).insert(1 % (file(a).length + 1), letter)
    sync()
    file(b).delete(1, 3)
    file(b).insert(2, 'b')
    const odd = updates.filter((_, i) => i % 2 === 1)
    const even = updates.filter((_, i) => i % 2 === 0)
    return [Y.mergeUpdates(odd), Y.mergeUpdates(even), Y.mergeUpdates(updates)]
  },
  overlapping: () => {
    const { docs: [a], updates } = history([1])
    file(a).insert(0, 'ab')
    const early = updates.splice(0)
    file(a).insert(2, 'cd😀')
    file(a).insert(6, 'ef')
    return [...early, Y.encodeStateAsUpdate(a, Y.encodeStateVectorFromUpdate(Y.mergeUpdates([...early, updates[0]]))), Y.encodeStateAsUpdate(a)]
  },
  'children of what is gone': () => {
    const { docs: [a, b], updates, sync } = history()
    a.getMap('meta').set('list', new Y.Array())
    sync()
    b.getMap('meta').get('list').push([new Y.Map([['k', new Y.Text('deep')]]), 1, 2])
    a.getMap('meta').delete('list')
    b.getMap('meta').get('list').get(0).get('k').insert(0, 'very ')
    return [updates[0], ...updates.slice(1).reverse()]
  },
  ...Object.fromEntries([1, 2, 3, 4].map(seed => [`at random ${seed}`, () => {
    const { docs, updates, sync } = history([10 + seed, 5, 2 ** 40 + seed])
    const random = generator(seed)
    const managers = docs.map(manager)
    for (let n = 0; n < 150; n++) {
      const by = random(docs.length)
      edit(random, docs[by], seed === 4 ? managers[by] : null, seed > 2)
      if (random(10) === 0) sync()
    }
    for (let n = updates.length - 1; n > 0; n--) {
      const other = Math.max(0, n - random(8))
      ;[updates[n], updates[other]] = [updates[other], updates[n]]
    }
    return updates
  }]))
}

for (const [name, make] of Object.entries(traces)) {
  const updates = make()
  const doc = new Y.Doc()
  doc.on('afterTransaction', transaction => { transaction._needFormattingCleanup = false })
  for (const update of updates) Y.applyUpdate(doc, update)
  const texts = {}
  doc.getMap('files').forEach((value, path) => {
    if (value?.constructor === Y.Text) texts[path] = value.toString()
  })
  if (doc.store.pendingStructs || doc.store.pendingDs) throw new Error(`${name}: something is pending`)
  const trace = { texts, vector: text(Y.encodeStateVector(doc)), state: text(Y.encodeStateAsUpdate(doc)), updates: updates.map(text) }
  writeFileSync(`${process.argv[2]}/${name.replaceAll(' ', '_')}.json`, JSON.stringify(trace, null, 1) + '\n')
}
