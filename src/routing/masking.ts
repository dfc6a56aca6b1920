/*
 * Personal data as shown to callers who may only read: that there is some, and little of it (decision 67).
 */

const HIDDEN = '•••'
/** E-mail addresses, and phone numbers as they are written abroad (+49...), at home (0170...) and in India (ten digits). */
const PERSONAL_ID = /^[^@\s]+@[^@\s]+$|^\+\d{7,15}$|^0\d{8,14}$|^[6-9]\d{9}$/

type OrderIds = Readonly<{ user_id: string; referrer_id: string | null; referral_code: string }>

/** An order without what identifies its player. Its own id and its products identify nobody, and stay. */
export function maskedOrder<Shown extends OrderIds>(order: Shown): Shown {
  const { user_id, referrer_id, referral_code } = order
  return {
    ...order,
    user_id: maskedId(user_id),
    referrer_id: referrer_id === null ? null : maskedId(referrer_id),
    referral_code: maskedId(referral_code),
  }
}

/** The first letter of each word, so that a person who knows the name recognises it. */
export function maskedName(name: string): string {
  return name.replaceAll(/\S+/g, maskedStart)
}

/** An id, or a code that serves as one, unless it looks like an e-mail address or a phone number. */
export function maskedId(id: string): string {
  return PERSONAL_ID.test(id) ? maskedStart(id) : id
}

/** Free text, or a value of which even a part would reveal too much. */
export function masked(text: string): string {
  return text === '' ? '' : HIDDEN
}

/** How the fields of a job's result are masked, by name; all others stay. */
const RESULT_MASKS: Readonly<Record<string, (value: string) => string>> = {
  user_id: maskedId,
  user_ids: maskedId,
  referral_code: maskedId,
  // Sentences about players and their orders.
  differences: masked,
}

/** The result of a job without data that identifies players. */
export function maskedResult(result: object): object {
  return maskedIn(result, undefined) as object
}

function maskedIn(value: unknown, mask: ((value: string) => string) | undefined): unknown {
  if (typeof value === 'string') return mask === undefined ? value : mask(value)
  if (Array.isArray(value)) return value.map((one) => maskedIn(one, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskedIn(inner, RESULT_MASKS[name])]))
}

/** The first letter, so that a person who knows the text recognises it. */
export function maskedStart(text: string): string {
  const [first = ''] = text
  return text === '' ? '' : `${first}${HIDDEN}`
}
