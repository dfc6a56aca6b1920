/** What the service's short words mean, for people. */
export const NOTHING_WORDS: Readonly<Record<string, string>> = {
  'not-placed': 'cancelled or returned',
  'nothing-paid': 'nothing paid',
  'no-price': 'a line without a price',
  'no-rule-applies': 'no rule applies',
  ceiling: 'a ceiling took it all',
  'rounded-away': 'less than one point',
  other: 'another way',
  unknown: 'recorded before reasons were kept',
}

export const LINE_WORDS: Readonly<Record<string, string>> = {
  rounding: 'Rounding',
  referral: 'Referrals',
  later: 'Later changes of orders',
}

/** What was not the same when an order was recorded as when it was predicted. */
export const DIFFERED_WORDS: Readonly<Record<string, string>> = {
  program: 'another version of the program',
  player: 'facts of the player',
  price: 'a price of the catalogue',
  referral: 'the referral',
  order: 'the order itself',
  moment: 'the moment',
  'not-known': 'what was not kept',
  unexplained: 'nothing that is known',
}

/** What became of a prediction. */
export const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  'not-recorded': 'not ordered yet',
  'came-true': 'came true',
  differed: 'differed',
  'not-compared': 'not compared',
  'asked-again': 'asked again later',
  'recorded-before': 'about a change',
}

export const REDEMPTION_WORDS: Readonly<Record<string, string>> = {
  held: 'held',
  lapsed: 'lapsed',
  confirmed: 'spent',
  used: 'spent by its order',
  voided: 'given back',
}
