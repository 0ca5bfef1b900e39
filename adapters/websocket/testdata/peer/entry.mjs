export * from 'yjs'
export { WebsocketProvider } from 'y-websocket'
