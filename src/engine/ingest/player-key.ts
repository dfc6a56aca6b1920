import { Type } from '../points/json-schema.ts'
import { nonBlankKey } from './fields.ts'
import { type Field, InvalidValue } from './record.ts'

/** How the handles of players begin (decision 218): no player's id does. */
export const HANDLE_PREFIX = 'player~'

/** The id of a player to store: not blank, and not a handle. */
export const playerKey: Field<string> = {
  schema: Type.String({ ...nonBlankKey.schema, not: { pattern: `^${HANDLE_PREFIX}` } }),
  read: (value) => {
    const read = nonBlankKey.read(value)
    if (read.startsWith(HANDLE_PREFIX))
      throw new InvalidValue(`an identifier without the prefix ${HANDLE_PREFIX} (reserved for handles)`, value)
    return read
  },
}
