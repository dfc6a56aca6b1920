/*
 * What the service and a thread beside it tell each other (side-thread.ts, side-task.ts).
 */

/** A piece of work, or the response to a call. */
export type ToThread = Readonly<{ input: unknown } | { response: unknown }>

/** That it has started, the result, why the input is refused, or a question that only the service can answer. */
export type FromThread = Readonly<
  | { started: true }
  | { result: unknown }
  | { refused: Readonly<{ kind: 'InvalidInput' | 'Unavailable'; path: string; message: string }> }
  | { call: string; question: unknown }
>
