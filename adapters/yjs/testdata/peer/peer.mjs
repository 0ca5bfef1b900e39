// Replicas of the real Yjs, commanded over stdin and stdout.
import { createInterface } from 'node:readline'
import * as Y from './yjs.mjs'
import { edit, generator, manager } from './edits.mjs'

let replicas = []
let random = generator(1)

const bytes = text => new Uint8Array(Buffer.from(text, 'base64'))
const text = bytes => Buffer.from(bytes).toString('base64')

// open makes a replica. One that only listens has no undo manager, which would keep
// deleted content, and does not tidy up the formats that others leave.
const open = ({ id, gc, listens }) => {
  const doc = new Y.Doc({ gc })
  if (id !== undefined) doc.clientID = id
  if (listens) doc.on('afterTransaction', transaction => { transaction._needFormattingCleanup = false })
  const replica = { doc, sent: [], manager: listens ? null : manager(doc) }
  doc.on('update', (update, origin) => origin !== 'remote' && replica.sent.push(text(update)))
  return replica
}

// describe writes a struct as a line.
const describe = s => {
  const id = i => (i ? `${i.client}:${i.clock}` : '-')
  const at = `${id(s.id)}+${s.length} ${s.constructor.name}`
  if (!s.content) return at
  const parent = s.parent === null ? '-' : typeof s.parent === 'string' ? s.parent : id(s.parent)
  return `${at} ${id(s.origin)} ${id(s.rightOrigin)} ${parent} ${s.parentSub ?? '-'} ${content(s.content)}`
}

const content = c => {
  const plain = { ...c, type: undefined, doc: undefined }
  const name = c.getRef() + (c.type ? c.type.constructor.name + (c.type.nodeName ?? c.type.hookName ?? '') : '') + (c.doc ? c.doc.guid : '')
  return name + JSON.stringify(plain, (_, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? null : v))
}

const commands = {
  // reset begins anew: with replicas of the given ids, and a seed.
  reset: ({ seed, clients }) => {
    random = generator(seed)
    replicas = clients.map(open)
    return {}
  },
  // edit lets a replica change its document and returns the updates.
  edit: ({ at, times, rich, undo }) => {
    const { doc, sent } = replicas[at]
    const manager = undo ? replicas[at].manager : null
    for (; times > 0; times--) {
      if (random(4) > 0) edit(random, doc, manager, rich)
      else doc.transact(() => { for (let n = random(5); n > 0; n--) edit(random, doc, manager, rich) })
    }
    return { updates: sent.splice(0) }
  },
  // set writes a whole text.
  set: ({ at, path, value }) => {
    const { doc, sent } = replicas[at]
    doc.getMap('files').set(path, new Y.Text(value))
    return { updates: sent.splice(0) }
  },
  // apply lets a replica take in updates.
  apply: ({ at, updates }) => {
    for (const update of updates) Y.applyUpdate(replicas[at].doc, bytes(update), 'remote')
    return {}
  },
  // merge makes one update of several.
  merge: ({ updates }) => ({ updates: [text(Y.mergeUpdates(updates.map(bytes)))] }),
  // diff returns what a replica has and the owner of a state vector lacks.
  diff: ({ at, vector }) => ({ updates: [text(Y.encodeStateAsUpdate(replicas[at].doc, bytes(vector)))] }),
  // state tells what a replica holds; whole says whether to encode all of it.
  state: ({ at, whole }) => {
    const { doc } = replicas[at]
    const texts = {}
    doc.getMap('files').forEach((value, path) => {
      if (value?.constructor === Y.Text) texts[path] = value.toString()
    })
    const state = whole ? text(Y.encodeStateAsUpdate(doc)) : undefined
    return {
      texts, state, vector: text(Y.encodeStateVector(doc)),
      pending: doc.store.pendingStructs !== null || doc.store.pendingDs !== null
    }
  },
  // structs lists what a state consists of.
  structs: ({ state }) => {
    const { structs, ds } = Y.decodeUpdate(bytes(state))
    const deletes = [...ds.clients].map(([client, ranges]) => `${client}: ${ranges.map(r => `${r.clock}+${r.len}`).join(' ')}`)
    return { lines: [...structs.map(describe), ...deletes] }
  },
  // frames writes one frame of each kind, as a client or a server of y-websocket does.
  frames: ({ at }) => {
    const { doc } = replicas[at]
    const known = new Y.awareness.Awareness(doc)
    known.setLocalState({ user: { name: 'Zoë' }, cursor: null })
    const write = fill => {
      const encoder = Y.encoding.createEncoder()
      fill(encoder)
      return text(Y.encoding.toUint8Array(encoder))
    }
    const frames = [
      e => { Y.encoding.writeVarUint(e, 0); Y.sync.writeSyncStep1(e, doc) },
      e => { Y.encoding.writeVarUint(e, 0); Y.sync.writeSyncStep2(e, doc) },
      e => { Y.encoding.writeVarUint(e, 0); Y.sync.writeUpdate(e, Y.encodeStateAsUpdate(doc)) },
      e => {
        Y.encoding.writeVarUint(e, 1)
        Y.encoding.writeVarUint8Array(e, Y.awareness.encodeAwarenessUpdate(known, [doc.clientID]))
      },
      e => Y.encoding.writeVarUint(e, 3),
      e => { Y.encoding.writeVarUint(e, 2); Y.auth.writePermissionDenied(e, 'no ü') }
    ].map(write)
    known.destroy()
    return { updates: frames }
  },
  // read takes in frames as a client of y-websocket does, and says what they did.
  read: ({ at, updates }) => {
    const { doc } = replicas[at]
    const known = new Y.awareness.Awareness(new Y.Doc())
    known.setLocalState(null)
    const lines = updates.map(update => {
      const decoder = Y.decoding.createDecoder(bytes(update))
      const answer = Y.encoding.createEncoder()
      switch (Y.decoding.readVarUint(decoder)) {
        case 0: return 'sync ' + Y.sync.readSyncMessage(decoder, answer, doc, 'remote') + ' answered by ' + (Y.encoding.length(answer) > 0)
        case 1: {
          Y.awareness.applyAwarenessUpdate(known, Y.decoding.readVarUint8Array(decoder), 'remote')
          return 'awareness ' + JSON.stringify([...known.getStates()])
        }
        case 2: {
          let said = ''
          Y.auth.readAuthMessage(decoder, doc, (_, reason) => { said = reason })
          return 'denied ' + said
        }
        case 3: return 'query'
      }
    })
    known.destroy()
    return { lines }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  let answer
  try {
    answer = commands[command.do](command)
  } catch (failure) {
    answer = { failure: String(failure.stack) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
