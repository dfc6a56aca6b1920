import { connect } from 'node:net'
import type { TestApp } from './test-app.ts'

/** Distinguishes its requests from others. */
export const LEAVING_HOST = 'leaving'

/** Sends a complete request on a connection of its own. Returns its response, and two ways to disconnect before it. */
export function sendAndLeave(app: TestApp, path: string, data: unknown) {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const body = JSON.stringify({ data })
  const head = `POST ${path} HTTP/1.1\r\nhost: ${LEAVING_HOST}\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json`
  socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  socket.on('error', () => undefined)
  const answered = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  return { answered, finish: () => void socket.end(), reset: () => void socket.resetAndDestroy() }
}
