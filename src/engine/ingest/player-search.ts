import { InvalidInput } from '../../errors.ts'
import { phoneText, stripPhonePunctuation, text } from './fields.ts'
import { optional, type RecordOf, type RecordWords, readRecord } from './record.ts'

/** The fields by which players can be searched (decision 122). */
export const playerSearchFields = {
  userId: optional('user_id', text, ''),
  email: optional('email', text, ''),
  phone: optional('phone', phoneText, ''),
  referralCode: optional('refer_code', text, ''),
}

export const PLAYER_SEARCH_WORDS: RecordWords<typeof playerSearchFields> = {
  title: 'PlayerSearch',
  description:
    'What is known of a player: at least one field that is not empty. Players who match any of them are found',
  fields: {
    userId: 'the key of the player, exactly',
    email: 'e-mail address, in any case of the letters A to Z',
    phone: 'phone number, with or without its +; blanks, dots, brackets and hyphens are ignored',
    referralCode: 'the referral code that others order with, exactly',
  },
}

/** The search terms, any of which may be empty. The phone number is normalised as it is stored, without the plus. */
export type PlayerSearch = RecordOf<typeof playerSearchFields>

/** Reads the search terms. Errors: InvalidInput, including when all of them are empty. */
export function readPlayerSearch(data: unknown): PlayerSearch {
  const { phone, ...rest } = readRecord(playerSearchFields, data, 'data')
  const search = { ...rest, phone: stripPhonePunctuation(phone).replace(/^\+/, '') }
  if (Object.values(search).every((sought) => sought === ''))
    throw new InvalidInput('data', 'expected at least one of user_id, email, phone, refer_code')
  return search
}
