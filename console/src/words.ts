/** The service's short words, spelled out for people. */
export const NOTHING_WORDS: Readonly<Record<string, string>> = {
  'not-placed': 'cancelled or returned',
  'not-participating': 'the player does not participate',
  'nothing-paid': 'nothing paid',
  'no-price': 'a line without a price',
  'no-rule-applies': 'no rule applies',
  ceiling: 'reduced to 0 by a ceiling',
  'rounded-away': 'less than one point',
  other: 'another reason',
  unknown: 'recorded before reasons were stored',
}

export const LINE_WORDS: Readonly<Record<string, string>> = {
  rounding: 'Rounding',
  referral: 'Referrals',
  later: 'Later changes to orders',
}

/** What differed between the prediction and the recording of an order. */
export const DIFFERED_WORDS: Readonly<Record<string, string>> = {
  program: 'another program version',
  player: "the player's data",
  price: 'a catalogue price',
  referral: 'the referral',
  order: 'the order itself',
  moment: 'the order time',
  'not-known': 'not known',
  unexplained: 'unexplained',
}

/** The outcome of a prediction. */
export const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  'not-recorded': 'not ordered yet',
  'came-true': 'came true',
  differed: 'differed',
  'not-compared': 'not compared',
  'asked-again': 'superseded',
  'recorded-before': 'order already recorded',
}

export const REDEMPTION_WORDS: Readonly<Record<string, string>> = {
  held: 'held',
  lapsed: 'lapsed',
  confirmed: 'spent',
  used: 'spent by its order',
  voided: 'voided',
}
