/*
 * Steps that write, sent to the server in one message and answered once: pg sends a statement only when the one before has been answered, and
 * a COPY takes two rounds.
 */
import type { Connection, Submittable } from 'pg'
import type { WrittenSteps } from '../db/driver.ts'
import { countIn, encodeSteps, type NamedStep } from '../db/wire-messages.ts'

/** To be given to `client.query`. `done` resolves once the server has answered. Steps return no rows. */
export class Batch implements Submittable {
  readonly done: Promise<WrittenSteps>
  readonly #bytes: Uint8Array
  readonly #rowCounts: number[] = []
  readonly #resolve: (result: WrittenSteps) => void

  /** Errors: TypeError for a parameter that cannot be encoded. */
  constructor(steps: readonly NamedStep[]) {
    this.#bytes = encodeSteps(steps)
    const { promise, resolve } = Promise.withResolvers<WrittenSteps>()
    this.done = promise
    this.#resolve = resolve
  }

  submit(connection: Connection): void {
    connection.stream.write(this.#bytes)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rowCounts.push(countIn(text))
  }

  /** Of the server, or of a lost connection. The library does not call `handleReadyForQuery` after it. */
  handleError(error: Error): void {
    this.#resolve({ rowCounts: this.#rowCounts, error })
  }

  handleReadyForQuery(): void {
    this.#resolve({ rowCounts: this.#rowCounts })
  }

  handleCopyInResponse(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {
    this.#rowCounts.push(0)
  }
}
