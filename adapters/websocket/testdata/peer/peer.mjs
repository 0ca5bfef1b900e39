// Clients of the stock y-websocket, commanded over stdin and stdout. They meet in the
// service alone: channels between windows of one browser are off.
import { createInterface } from 'node:readline'
import { Doc, Text, WebsocketProvider } from './y-websocket.mjs'

const clients = []
const warned = []
console.warn = line => warned.push(String(line))

const commands = {
  // open makes a client that connects.
  open: ({ url, room, params, protocols }) => {
    const doc = new Doc()
    const provider = new WebsocketProvider(url, room, doc, { params, protocols, disableBc: true, maxBackoffTime: 500 })
    const client = { doc, provider, closed: 0 }
    provider.on('closed', ({ code }) => { client.closed = code })
    clients.push(client)
    return {}
  },
  connect: ({ at }) => void clients[at].provider.connect(),
  disconnect: ({ at }) => void clients[at].provider.disconnect(),
  destroy: ({ at }) => void clients[at].provider.destroy(),
  // insert writes a text into a file, which it makes when there is none.
  insert: ({ at, path, index, text }) => {
    const files = clients[at].doc.getMap('files')
    if (!files.has(path)) files.set(path, new Text())
    files.get(path).insert(index, text)
  },
  // type writes many characters, each a change of its own, at places that seed tells.
  type: ({ at, path, times, seed }) => {
    const text = clients[at].doc.getMap('files').get(path)
    for (; times > 0; times--) {
      seed = (seed * 48271) % 2147483647
      text.insert(seed % (text.length + 1), 'abcdefgh'[seed % 8])
    }
  },
  // mix writes, deletes and replaces in several files, and now and then makes or takes
  // away one, as seed tells.
  mix: ({ at, paths, times, seed }) => {
    const files = clients[at].doc.getMap('files')
    const random = below => {
      seed = (seed * 48271) % 2147483647
      return seed % below
    }
    for (; times > 0; times--) {
      const path = paths[random(paths.length)]
      const text = files.get(path)
      const kind = random(100)
      if (!text || kind === 0) {
        files.set(path, new Text('made\n'))
      } else if (kind === 1) {
        files.delete(path)
      } else {
        const place = random(text.length + 1)
        if (kind > 60) text.delete(place, Math.min(random(8), text.length - place))
        if (kind < 80) text.insert(place, ['a', 'word ', 'two\nlines\n', 'ü', '😀', '<b>'][random(6)])
      }
    }
  },
  show: ({ at, field, value }) => void clients[at].provider.awareness.setLocalStateField(field, value),
  state: ({ at }) => {
    const { doc, provider, closed } = clients[at]
    const texts = {}
    doc.getMap('files').forEach((text, path) => { texts[path] = text.toString() })
    const others = [...provider.awareness.getStates()].filter(([id]) => id !== doc.clientID).map(([, state]) => state)
    return { texts, others, synced: provider.synced, connected: provider.wsconnected, wants: provider.shouldConnect, closed, warned }
  }
}

createInterface({ input: process.stdin }).on('line', line => {
  const command = JSON.parse(line)
  process.stdout.write(JSON.stringify(commands[command.do](command) ?? {}) + '\n')
}).on('close', () => process.exit(0))
