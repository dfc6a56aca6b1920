import { InvalidInput } from '../errors.ts'
import { phoneText, text, withoutPhoneMarks } from './fields.ts'
import { optional, type RecordOf, type RecordWords, readRecord } from './record.ts'

/** What a player can be searched by (decision 122). */
export const playerSearchFields = {
  userId: optional('user_id', text, ''),
  email: optional('email', text, ''),
  phone: optional('phone', phoneText, ''),
  referralCode: optional('refer_code', text, ''),
}

export const PLAYER_SEARCH_WORDS: RecordWords<typeof playerSearchFields> = {
  title: 'PlayerSearch',
  description: 'What is known of a player: at least one field that is not empty. Who has any of them is found',
  fields: {
    userId: 'the key of the player, exactly',
    email: 'e-mail address, in any case of the letters A to Z',
    phone: 'phone number, with or without its +; blanks, dots, brackets and hyphens do not count',
    referralCode: 'the code that others order with, exactly',
  },
}

/** What is sought, each may be empty; of the phone number only what is stored of one, without the plus. */
export type PlayerSearch = RecordOf<typeof playerSearchFields>

/** Reads what is sought. Errors: InvalidInput, also where it is nothing. */
export function readPlayerSearch(data: unknown): PlayerSearch {
  const { phone, ...rest } = readRecord(playerSearchFields, data, 'data')
  const search = { ...rest, phone: withoutPhoneMarks(phone).replace(/^\+/, '') }
  if (Object.values(search).every((sought) => sought === ''))
    throw new InvalidInput('data', 'expected at least one of user_id, email, phone, refer_code')
  return search
}
