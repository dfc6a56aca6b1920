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

/** E-mail addresses, and phone numbers as they are written abroad (+49...), at home (0170...) and in India (ten digits). */
const PERSONAL_ID = /^[^@\s]+@[^@\s]+$|^\+\d{7,15}$|^0\d{8,14}$|^[6-9]\d{9}$/

/** Whether a player's id is an e-mail address or a phone number. */
export function isPersonalId(userId: string): boolean {
  return PERSONAL_ID.test(userId)
}
