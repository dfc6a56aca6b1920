/*
 * What the routes answer, as schemas. The server's handlers and the commands take their types from here.
 */
import type { Static } from 'typebox'
import { REJECTION_VERDICTS } from '../engine/ingest/batch.ts'
import { Type } from '../engine/points/json-schema.ts'
import { NOTHING_REASONS, REDEMPTION_STATES, REVISION_CHANGES } from '../engine/points/model.ts'
import { DRAFT_ANSWERS } from '../resources/drafts/answers.ts'
import { JOB_KIND_NAMES } from '../resources/jobs/kinds/index.ts'
import { JOB_STATES } from '../resources/jobs/store.ts'
import { PREDICTION_OUTCOMES } from '../resources/predictions/store.ts'
import { STATISTICS_ANSWERS } from '../resources/statistics/answers.ts'
import { ACT_KINDS } from '../shared/audit/acts.ts'
import { ANSWER_PARTS } from '../shared/routes/answer-parts.ts'

const { exact, listOf, messageText, moment, momentOrNull, orNull, signed, text, texts, whole } = ANSWER_PARTS

const tokenId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the public id of the token' })

const tokenName = orNull(Type.String(), 'what the token is for; null: it belongs to a process alone')
const sessionId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the public id of the session' })

const issuedToken = Type.Object(
  {
    id: tokenId,
    token: Type.String({ pattern: '^laurel_', description: 'the secret text, shown only this once' }),
    name: text('what the token is for'),
    scopes: texts('what the token may do'),
    expires_at: momentOrNull('when the token expires; null: never'),
  },
  { title: 'IssuedToken', description: 'A token just made: the only moment at which its text is shown' },
)

const listedToken = Type.Object(
  {
    id: tokenId,
    name: text('what the token is for'),
    scopes: texts('what the token may do'),
    created_at: moment('when the token was made'),
    expires_at: momentOrNull('when the token expires; null: never'),
    revoked_at: momentOrNull('when the token was revoked; null: it was not'),
    last_used_at: momentOrNull('when the token was used last, to the hour; null: no use is known'),
  },
  { title: 'Token', description: 'A token without its secret' },
)

const rev = whole('1 for a new record, and one more for each change')

const player = Type.Object(
  {
    user_id: text('the key of the player'),
    name: text('the name; masked unless revealed'),
    email: text('e-mail address, or empty; masked unless revealed'),
    phone: text('phone number, or empty; masked unless revealed'),
    address: text('the address, or empty; masked unless revealed'),
    date_of_birth: orNull(Type.String(), 'date of birth, YYYY-MM-DD; masked unless revealed; null: unknown'),
    gender: text('as the shop sends it: male or female, unless its settings allow others'),
    refer_code: text('the code with which others name this player as their referrer, or empty'),
    state: text('state of residence'),
    district: text('district of residence, or empty'),
    referred_by: text('who referred the player, or empty'),
    pincode: text('pin code; masked unless revealed'),
    country: text('country of residence'),
    rev,
    created_at: moment('when the player was first sent'),
    updated_at: moment('when the record was last changed'),
  },
  { title: 'StoredPlayer', description: 'A player as stored' },
)

const stateVersion = orNull(
  whole('the version that the sender gave the state'),
  'the version that the sender gave the state; null: none',
)
const product = Type.Object(
  {
    sku: text('the key of the product'),
    price: exact('the price'),
    rev,
    state_version: stateVersion,
    created_at: moment('when the product was first sent'),
    updated_at: moment('when the record was last changed'),
  },
  { title: 'StoredProduct', description: 'A product as stored' },
)

const order = {
  order_id: text('the key of the order'),
  user_id: text('the key of the player; masked if it looks like an address or a number, unless revealed'),
  status: text('placed, cancelled or returned'),
  ordered_at: moment('when the order was placed'),
  total: exact('the amount of the order'),
  discount: exact('the discount'),
  qty: orNull(exact('the quantity of all lines'), 'the quantity of all lines, exact; null: it was not sent'),
  line_count: whole('how many product lines the order has'),
  referral_code: text('the code with which the customer ordered, or empty; masked like user_id'),
  subscript_points: Type.Boolean({ description: 'as the shop sent it' }),
  points: signed('what the order gives now'),
  referrer_id: orNull(Type.String(), 'the player who gets points for it; masked like user_id; null: none'),
  referrer_points: signed('what the order gives the referrer now'),
  program: whole('the version of the program at its first recording'),
  rev,
  state_version: stateVersion,
  recorded_at: moment('when the order was first recorded'),
  updated_at: moment('when the order was last recorded'),
}

const line = Type.Object(
  {
    sku: Type.Optional(text('the product')),
    amount: Type.Optional(exact('what the whole line costs; absent: the price in the catalogue times qty')),
    qty: exact('the quantity'),
  },
  { title: 'RecordedLine', description: 'A product line of a recorded order' },
)

const after = orNull(Type.String(), 'the cursor of the next page; null on the last')

const playerPage = Type.Object(
  { players: listOf(player, 'by user_id'), after },
  { title: 'PlayerPage', description: 'A page of players' },
)

const program = {
  version: whole('the number of the version, from 1'),
  name: text('the name that the file gives the program'),
  publisher: text('the id of the token that published it'),
  note: text('a remark of the publisher, or empty'),
  holds_from: text('the moment from which the version is in effect, or -infinity'),
  published_at: moment('when the version was published'),
  withdrawn_at: momentOrNull('when the version was withdrawn; null: it was not'),
  withdrawn_by: orNull(Type.String(), 'the id of the token that withdrew it; null: none did'),
}

const nextLevel = orNull(
  Type.Object(
    {
      name: text('the name of the level'),
      missing: Type.Integer({ minimum: 0, description: 'the points still needed to reach it' }),
    },
    { title: 'NextLevel', description: 'The next level, and the points needed to reach it' },
  ),
  'the next level; null on the highest',
)

const shopSettingValue = (description: string) =>
  orNull(Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]), description)

const shopSettings = Type.Object(
  {
    settings: listOf(
      Type.Object(
        {
          key: text('the key of the setting'),
          value: shopSettingValue('the value in effect; null: nothing is set'),
          default: shopSettingValue('the value where nothing is set'),
          about: text('what it means'),
          changed_at: momentOrNull('when the value was set; null: it was not'),
          changed_by: orNull(Type.String(), 'the id of the token that set it; null: none did'),
        },
        { title: 'ShopSetting', description: 'A setting of the shop' },
      ),
      'every setting',
    ),
  },
  { title: 'ShopSettings', description: 'The settings of the shop' },
)

/** a, b or c. */
const oneOfWords = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')

const askedJob = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the id of the job' }),
  kind: text(oneOfWords(JOB_KIND_NAMES)),
  asked_by: text('the id of the token that started it; service: the service started it by itself'),
  asked_at: moment('when it was asked for'),
}
const job = {
  ...askedJob,
  state: Type.Enum([...JOB_STATES], {
    type: 'string',
    description: 'interrupted: the process that ran it has ended; start the job again',
  }),
  began_at: momentOrNull('when it began; null: it has not'),
  ended_at: momentOrNull('when it ended; null: it has not'),
  snapshot_at: momentOrNull('the moment of the data that it reads; null: not yet, or it reads nothing'),
  pause_ms: orNull(
    whole('for how long'),
    'for how long copying the embedded database held up all requests; null: nothing was copied',
  ),
  progress: listOf(
    Type.Object(
      {
        of: text('what is counted: orders, players, predictions, entries or kinds'),
        done: whole('how many are done'),
        total: orNull(whole('how many there are'), 'how many there are; null: unknown before the end'),
      },
      { title: 'JobProgress', description: 'The progress of a job with one thing' },
    ),
    'its progress, to the second',
  ),
  error: orNull(Type.String(), 'why it failed; null: it has not'),
}
const jobAnswer = Type.Object(job, { title: 'Job', description: 'A job, without its result' })

const standing = {
  user_id: text('the key of the player'),
  points: signed('the balance: what can be spent'),
  earned: signed('what counts for the level'),
  level: text('the current level, under the program in effect'),
  next: nextLevel,
  name: text('the name of the player; masked for callers who may only read'),
}

const day = (description: string) => Type.String({ format: 'date', description })
const dayOrNull = (description: string) => orNull(Type.String({ format: 'date' }), description)

/** What a standing has in addition where a program has points that wait or expire, or where a day was asked for. */
const balance = {
  pending: Type.Optional(
    signed('points that cannot be spent yet; this and what follows only where a program has points'),
  ),
  held: Type.Optional(whole('points that are held for a redemption')),
  expired: Type.Optional(whole('points that have expired')),
  booked: Type.Optional(signed('the sum of all entries: points, pending, held and expired')),
  lots: Type.Optional(
    listOf(
      Type.Object(
        {
          points: whole('how many points'),
          usable_on: Type.Optional(
            dayOrNull('the first day on which they can be spent; null: not known yet; absent: they can be spent'),
          ),
          expires_on: dayOrNull('the first day on which they can no longer be spent; null: they do not expire'),
        },
        { title: 'Lot', description: 'Points that expire on the same day' },
      ),
      'what is left: first what can be spent, soonest to expire first, then what cannot be spent yet',
    ),
  ),
  next_expiry: Type.Optional(
    orNull(
      Type.Object(
        { points: whole('how many points'), on: day('the first day on which they can no longer be spent') },
        { title: 'NextExpiry', description: 'The points that expire next' },
      ),
      'of what can be spent, what expires next; null: nothing does',
    ),
  ),
}

const explanationFields = {
  earned: listOf(
    Type.Object(
      {
        rule: text('the name of the rule in the program'),
        points: exact('what the rule gave'),
        because: Type.Unsafe<Readonly<Record<string, string>>>({
          type: 'object',
          additionalProperties: Type.String(),
          description: 'the numbers that the rule used, by name; exact',
        }),
      },
      { title: 'EarnedRule', description: 'A rule that gave points' },
    ),
    'each rule that gave points, in the order of the program',
  ),
  not_applied: listOf(
    Type.Object(
      {
        rule: text('the name of the rule in the program'),
        kind: Type.Optional(text('why, for machines; only for a referral, such as not-first')),
        why: text('why, for people'),
      },
      { title: 'RuleNotApplied', description: 'A rule that gave nothing' },
    ),
    'each rule that gave nothing',
  ),
  rounding: exact('what rounding added: the points of all rules and the rounding add up to total_points'),
  level: Type.Object(
    {
      before: text('the level without this order'),
      after: text('the level with this order'),
      upgraded: Type.Boolean({ description: 'whether the order lifts the player to a higher level' }),
      counted: signed('the points that count for the level, this order included'),
      next: nextLevel,
    },
    { title: 'LevelChange', description: 'The level at the moment of the order' },
  ),
  notes: listOf(
    Type.Object(
      {
        kind: text(
          'paid-with-points, unknown-product, no-price, price-differs, unknown-referral-code, stale, conflict, or more: how many were left out',
        ),
        text: text('the note, for people'),
        line: Type.Optional(whole('the line of the order, counted from 0')),
        sku: Type.Optional(text('the product of the line')),
      },
      { title: 'Note', description: 'A remark on the order that does not affect its points' },
    ),
    'at most 20 remarks, and one that says how many more there are',
  ),
  nothing: Type.Optional(
    Type.Enum([...NOTHING_REASONS], {
      type: 'string',
      description: 'why the order earns nothing, if it does; absent in older records, from before it was kept',
    }),
  ),
  program: Type.Object(
    { version: whole('the number of the version'), name: text('the name of the program') },
    { title: 'AppliedProgram', description: 'The program that was applied' },
  ),
}
const explanation = Type.Object(explanationFields, {
  title: 'Explanation',
  description: 'What an order earns, and why: every rule, the rounding, the level, notes',
})

const spendable = Type.Object(
  {
    available: signed('what can be spent, including what is held'),
    pending: signed('what cannot be spent yet'),
    held: whole('what of it is held'),
  },
  { title: 'PredictedAccount', description: 'An account as of today, without the order or with it' },
)

const predictedBalanceAnswer = Type.Object(
  {
    before: spendable,
    earns: Type.Object(
      {
        points: whole('what the order earns'),
        usable_on: dayOrNull('the first day on which it can be spent; null: not known yet'),
        expires_on: dayOrNull('the first day on which it can no longer be spent; null: it does not expire'),
      },
      { title: 'EarnedPoints', description: 'What the order earns, and when it can be spent' },
    ),
    redeems: Type.Object(
      {
        points: whole('points_redeemed of the order'),
        pays: exact('what they pay'),
        from: listOf(
          Type.Object(
            {
              points: whole('how many points'),
              expires_on: dayOrNull(
                'the first day on which they could no longer have been spent; null: they do not expire',
              ),
            },
            { title: 'RedeemedLot', description: 'Points with the same expiry that the order takes' },
          ),
          'the points that it takes, soonest to expire first',
        ),
      },
      { title: 'RedeemedPoints', description: 'What the order redeems, and from which points' },
    ),
    redeemable: orNull(
      Type.Object(
        { most: whole('the most that the order could redeem'), pays: exact('what they would pay') },
        { title: 'Redeemable', description: 'What the order could redeem now' },
      ),
      'what the order could redeem now; null: its program has no redeem',
    ),
    after: spendable,
    next_expiry: orNull(
      Type.Object(
        { points: whole('how many points'), on: day('the first day on which they can no longer be spent') },
        { title: 'NextExpiryAfter', description: 'The points that expire next, with this order' },
      ),
      'of what can be spent with this order, what expires next; null: nothing does',
    ),
  },
  {
    title: 'PredictedBalance',
    description: 'What the order does to the balance; only where a program has points or redeem',
  },
)

const predictedExplanation = Type.Object(
  { ...explanationFields, balance: Type.Optional(predictedBalanceAnswer) },
  {
    title: 'PredictedExplanation',
    description:
      'What an order earns, and why: every rule, the rounding, the level, notes, and what it does to the balance',
  },
)

const fileFault = Type.Object(
  {
    path: text('where it is in the program, such as earn[0].per-amount.points; or empty'),
    line: Type.Optional(whole('its line in the text, from 1; absent where that cannot be determined')),
    column: Type.Optional(whole('the character in the line, from 1')),
    error: text('what is wrong, and what is expected'),
  },
  { title: 'FileFault', description: 'A mistake in a file that a person writes' },
)

const checkedOrder = Type.Object(
  {
    order_id: text('the key of the order in its case, or of the redemption'),
    user_id: text('the player'),
    mismatches: listOf(
      Type.Object(
        { what: text('what was compared'), expected: text('what the case says'), actual: text('what came out') },
        { title: 'Mismatch', description: 'What came out differently than expected' },
      ),
      'empty: everything came out as expected, or nothing was expected',
    ),
    refused: Type.Optional(text('why it is refused; then it changes nothing')),
    message: Type.Optional(messageText),
    total_points: Type.Optional(whole('what the order earns in all')),
    explanation: Type.Optional(explanation),
  },
  { title: 'CheckedOrder', description: 'The outcome of an order or a redemption of a case' },
)

const simulated = {
  version: orNull(whole('the number of the version'), 'the version of the program; null: the text that was sent'),
  message: messageText,
  total_points: whole('what the order would earn in all'),
}
const simulatedOrder = Type.Object(
  { ...simulated, explanation: predictedExplanation },
  {
    title: 'SimulatedOutcome',
    description: 'What an order would earn under the program that applies, and what it would do to the balance',
  },
)
const simulatedColumn = Type.Object(
  { ...simulated, explanation },
  {
    title: 'SimulatedColumn',
    description:
      'What an order would earn under another program; version 0 in its explanation stands for the text that was sent',
  },
)

const entry = Type.Object(
  {
    seq: whole('the number of the entry within the player, from 1'),
    kind: text(
      'order, referral (points for whoever referred the player of that order), adjustment, redemption (points spent, or given back), or reinstated (points given back that had expired)',
    ),
    points: signed('signed; for an order that changed, the difference, which may be 0'),
    counts: Type.Boolean({ description: 'whether the points count for the level' }),
    order_id: Type.Optional(text('the order; of an order or a referral')),
    revision: Type.Optional(whole('the revision of the order, from 1; of an order or a referral')),
    program: Type.Optional(whole('the version of the program; of an order or a referral')),
    change: Type.Optional(
      Type.Enum([...REVISION_CHANGES, 'undone'], {
        type: 'string',
        description:
          'what happened to the order; moved: to another moment; undone: an adjustment was taken back; absent for other adjustments, and in older entries, from before it was kept',
      }),
    ),
    at: moment("the order's moment, or when the adjustment was made"),
    recorded_at: moment('when the entry was recorded: entries are in this order'),
    id: Type.Optional(text('the identifier of the adjustment')),
    redemption_id: Type.Optional(text('the redemption that was spent, or given back')),
    reason: Type.Optional(text('why the adjustment or redemption was made; masked for callers who may only read')),
    usable_on: Type.Optional(
      dayOrNull('the first day on which the points can be spent; null: not known yet; absent if no program said so'),
    ),
    expires_on: Type.Optional(
      dayOrNull(
        'the first day on which they can no longer be spent; null: they do not expire; absent if no program said so',
      ),
    ),
    explanation: Type.Optional(explanation),
  },
  { title: 'Entry', description: 'A line of the ledger, which is append-only: a correction is an entry of its own' },
)

const upsertSummary = Type.Object(
  {
    message: messageText,
    inserted: whole('how many records were new'),
    updated: whole('how many records were known already'),
    skipped: whole('how many records were neither inserted nor updated'),
    unchanged: Type.Optional(whole('with unchanged=true: how many valid records changed nothing')),
    results: Type.Optional(
      listOf(
        Type.Object(
          {
            position: whole('the place of the record in data, counted from 0'),
            key: Type.Optional(text('the key of the record, where it has a usable one')),
            verdict: Type.Enum(['unchanged', 'invalid', ...REJECTION_VERDICTS], {
              type: 'string',
              description:
                'unchanged: nothing to do. invalid: path and error say why. stale: a newer state is recorded. conflict: another state has the same version. insufficient-points: the player has too few. not-allowed: the token does not have the scope redeem',
            }),
            path: Type.Optional(text('where the fault is, such as data[3].DOB')),
            error: Type.Optional(text('what is wrong, and what is expected')),
          },
          { title: 'SkippedRecord', description: 'A record that was neither inserted nor updated, and why' },
        ),
        'with details=true: the first 1,000 skipped records',
      ),
    ),
    results_more: Type.Optional(whole('how many more there are than results contains')),
  },
  { title: 'UpsertSummary', description: 'What became of the records: the three counts add up to those sent' },
)

const listedRedemption = {
  id: text('the identifier that the client gave it'),
  state: Type.Enum([...REDEMPTION_STATES], {
    type: 'string',
    description:
      'lapsed: the hold has run out; confirmed: spent; used: spent by its order; voided: released, or given back',
  }),
  points: whole('how many points'),
  pays: Type.Optional(
    exact('the part of an order that they pay for; absent for a reward, and where points have no value'),
  ),
  reward: Type.Optional(text('the reward that they buy')),
  order_id: Type.Optional(text('the order that they are held for, or that has used them')),
  reason: text('what for; masked for callers who may only read'),
  created_at: moment('when they were first held or spent'),
}
const voidedRedemption = {
  ...listedRedemption,
  account: Type.Object(
    { points: signed('what can be spent'), held: whole('what is held') },
    { title: 'Spendable', description: 'What the player has now' },
  ),
}
const drawn = {
  lots: listOf(
    Type.Object(
      {
        points: whole('how many points'),
        expires_on: dayOrNull('the first day on which they can no longer be spent; null: they do not expire'),
      },
      { title: 'DrawnLot', description: 'Points with the same expiry that a redemption takes' },
    ),
    'the points that it takes, soonest to expire first; none once it is voided or has lapsed',
  ),
}
const heldUntil = { held_until: Type.Optional(moment('until when they are held')) }
const redemption = { ...voidedRedemption, ...drawn, ...heldUntil }
const repeated = Type.Boolean({ description: 'whether the same was done before' })

/** The body of a 200, by method and path. */
export const ANSWERS = {
  'POST /api/predictions/orders': Type.Object(
    {
      message: messageText,
      total_points: whole('what the order earns in all'),
      explanation: Type.Optional(predictedExplanation),
    },
    { title: 'Prediction', description: 'What an order will earn, and the level held after it' },
  ),
  'POST /api/integration/players': upsertSummary,
  'POST /api/integration/products': upsertSummary,
  'POST /api/integration/orders': upsertSummary,
  'GET /api/players/:user_id': Type.Object(
    {
      ...standing,
      ...balance,
      entries: listOf(entry, 'a page of the ledger, newest first'),
      after,
    },
    { title: 'Account', description: 'Where a player stands, and the entries behind it' },
  ),
  'POST /api/players/:user_id/adjustments': Type.Object(
    {
      ...standing,
      ...balance,
      repeated: Type.Boolean({ description: 'whether this adjustment had been made before' }),
    },
    { title: 'AdjustedAccount', description: 'Where the player stands after the adjustment' },
  ),
  'POST /api/players/:user_id/adjustments/:adjustment_id/undo': Type.Object(
    { ...standing, ...balance, repeated: Type.Boolean({ description: 'whether it had been undone before' }) },
    { title: 'UndoneAccount', description: 'Where the player stands after an adjustment was undone' },
  ),
  'POST /api/players/:user_id/redemptions': Type.Object(
    { ...redemption, repeated },
    { title: 'MadeRedemption', description: 'The redemption that was made' },
  ),
  'GET /api/players/:user_id/redemptions': Type.Object(
    {
      redemptions: listOf(
        Type.Object(
          { ...listedRedemption, ...heldUntil },
          { title: 'ListedRedemption', description: 'Points that are held, were spent, or were given back' },
        ),
        'by id',
      ),
      after,
    },
    { title: 'RedemptionPage', description: "A page of a player's redemptions" },
  ),
  'GET /api/players/:user_id/redemptions/:redemption_id': Type.Object(redemption, {
    title: 'Redemption',
    description: 'Points that are held, were spent, or were given back',
  }),
  'POST /api/players/:user_id/redemptions/:redemption_id/confirm': Type.Object(
    { ...voidedRedemption, ...drawn, repeated },
    { title: 'ConfirmedRedemption', description: 'The redemption after it was confirmed' },
  ),
  'POST /api/players/:user_id/redemptions/:redemption_id/void': Type.Object(
    { ...voidedRedemption, repeated },
    { title: 'VoidedRedemption', description: 'The redemption after it was voided' },
  ),
  'POST /api/admin/balances': upsertSummary,
  'GET /api/admin/tokens': Type.Object({ tokens: listOf(listedToken, 'newest first') }),
  'POST /api/admin/tokens': issuedToken,
  'POST /api/admin/tokens/:id/revoke': Type.Object({ revoked: tokenId }),
  'POST /api/admin/tokens/:id/rotate': issuedToken,
  ...DRAFT_ANSWERS,
  'POST /api/admin/programs/check': Type.Object(
    {
      name: orNull(Type.String(), 'the name of the program; null where it has faults'),
      faults: listOf(fileFault, 'everything that is wrong with it: the first 100'),
      case_faults: listOf(fileFault, 'everything that is wrong with the test orders: the first 100'),
      cases: listOf(
        Type.Object(
          {
            name: text('the name of the case'),
            as_expected: Type.Boolean({ description: 'whether every order came out as expected' }),
            orders: listOf(checkedOrder, 'in the order of the file'),
          },
          { title: 'CheckedCase', description: 'The outcome of a case' },
        ),
        'in the order of the file; none where the program or the cases have faults',
      ),
      untried: texts('rules that gave something in none of the cases'),
    },
    { title: 'ProgramCheck', description: 'What is wrong with a program, and how its test orders came out' },
  ),
  'POST /api/admin/programs/diff': Type.Object(
    {
      from: text('what is compared: version 2, or text'),
      to: text('what it is compared with'),
      equal: Type.Boolean({ description: 'whether nothing changes' }),
      patch: text('a unified diff; empty where nothing changes'),
    },
    { title: 'ProgramDiff', description: 'What changes from one program to another' },
  ),
  'POST /api/admin/simulations': Type.Object(
    {
      holds: simulatedOrder,
      compared: orNull(simulatedColumn, 'the same under the program it was compared with; null: none was named'),
    },
    { title: 'Simulation', description: 'What an order would earn; none of it was kept' },
  ),
  'GET /api/admin/sessions': Type.Object({
    sessions: listOf(
      Type.Object(
        {
          id: sessionId,
          token_id: tokenId,
          name: tokenName,
          browser: text('Firefox, Chrome, Edge, Opera, Safari or other'),
          created_at: moment('when the person signed in'),
          last_used_at: moment('when the session was used last, to the minute'),
          expires_at: moment('when the session expires, whether it is used or not'),
        },
        { title: 'Session', description: 'A browser that is signed in to the console, without its cookie' },
      ),
      'newest first',
    ),
  }),
  'DELETE /api/admin/sessions/:id': Type.Object({ ended: sessionId }),
  'POST /api/admin/sign-in-codes': Type.Object(
    {
      code: text('the secret text, shown only this once'),
      token_id: tokenId,
      expires_at: moment('when the code expires'),
    },
    { title: 'SignInCode', description: 'A code that signs in to the console once' },
  ),
  'GET /api/admin/acts': Type.Object(
    {
      acts: listOf(
        Type.Object(
          {
            at: moment('when it was done'),
            by: text('the public id of the token that did it'),
            name: tokenName,
            act: Type.Enum([...ACT_KINDS], { type: 'string', description: 'what was done' }),
            subject: text('what it was done to: an id, masked where it looks like an e-mail address or a phone number'),
            detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
              type: 'object',
              description: 'more about it, without personal data; in CSV as JSON',
            }),
          },
          { title: 'Act', description: 'Something that a person did' },
        ),
        'newest first',
      ),
      after,
    },
    { title: 'ActPage', description: 'A page of what people did' },
  ),
  'GET /api/admin/players': playerPage,
  'POST /api/admin/players/search': playerPage,
  'GET /api/admin/players/:user_id': player,
  'GET /api/admin/players/:user_id/predictions': Type.Object(
    {
      predictions: listOf(
        Type.Object(
          {
            order_id: text('the key of the order that was asked about'),
            predicted_at: moment('when'),
            by: text('the id of the token that asked'),
            points: whole('what was predicted'),
            level: text('the level that was predicted'),
            program: whole('the version that it was predicted under'),
            outcome: Type.Enum([...PREDICTION_OUTCOMES], {
              type: 'string',
              description:
                'not-recorded: no such order has been; came-true, differed; not-compared: it was recorded seconds ago, or under too much load; asked-again: a later prediction counts; recorded-before: about a change to an order recorded earlier',
            }),
            reasons: orNull(Type.String(), 'what differed, + between, see docs/operating.md; null: nothing did'),
            recorded_points: orNull(whole('points'), 'what was recorded instead; null: nothing differed'),
            recorded_level: orNull(Type.String(), 'the level after it; null: nothing differed'),
            recorded_program: orNull(
              whole('a version'),
              'the version that it was recorded under; null: nothing differed',
            ),
            recorded_at: momentOrNull('when the order was first recorded; null: it is not'),
          },
          { title: 'StoredPrediction', description: 'What was predicted for a player, and what became of it' },
        ),
        'by order_id, the last one first, and of each the newest first',
      ),
      after,
    },
    { title: 'PredictionPage', description: 'A page of the stored predictions of a player' },
  ),
  'GET /api/admin/products': Type.Object(
    { products: listOf(product, 'by sku'), after },
    { title: 'ProductPage', description: 'A page of products' },
  ),
  'GET /api/admin/products/:product_sku_id': product,
  'GET /api/admin/orders': Type.Object(
    {
      orders: listOf(
        Type.Object(order, { title: 'ListedOrder', description: 'An order as recorded, without its lines' }),
        'by order_id; by day, newest first',
      ),
      after,
    },
    { title: 'OrderPage', description: 'A page of orders' },
  ),
  'GET /api/admin/orders/:order_id': Type.Object(
    {
      ...order,
      points_redeemed: Type.Optional(whole('the points that pay for a part of it, as it was sent; absent: none')),
      lines: listOf(line, 'the product lines, in the order in which they were sent'),
    },
    { title: 'RecordedOrder', description: 'An order as recorded' },
  ),
  'POST /api/admin/state-versions/:noun/:id/forget': Type.Object({ forgotten: text('the key of the record') }),
  'GET /api/admin/settings': shopSettings,
  'PUT /api/admin/settings': shopSettings,
  ...STATISTICS_ANSWERS,
  'POST /api/admin/jobs': Type.Object(askedJob, { title: 'AskedJob', description: 'A job that waits for its turn' }),
  'GET /api/admin/jobs': Type.Object({ jobs: listOf(jobAnswer, 'newest first') }),
  'GET /api/admin/jobs/:id': Type.Object(
    {
      ...job,
      result: Type.Unsafe<object | null>({
        type: ['object', 'null'],
        description: 'its result, as laurel prints it with --json; ids are masked unless revealed; null: none yet',
      }),
    },
    { title: 'JobWithResult', description: 'A job with its result' },
  ),
  'POST /api/admin/jobs/:id/cancel': jobAnswer,
  'GET /api/admin/programs': Type.Object({
    programs: listOf(
      Type.Object(
        { ...program, holds_now: Type.Boolean({ description: 'whether this version is in effect' }) },
        { title: 'ListedProgram', description: 'A version of the points program, without its file' },
      ),
      'oldest first',
    ),
  }),
  'POST /api/admin/programs': Type.Object(
    { version: program.version, name: program.name, from: moment('the moment from which it is in effect') },
    { title: 'Publication', description: 'The version just published' },
  ),
  'POST /api/admin/programs/:version/withdraw': Type.Object({ withdrawn: program.version }),
  'GET /api/admin/programs/:version': Type.Object(
    { ...program, source: text('the text of the file') },
    { title: 'Program', description: 'A version of the points program with its file' },
  ),
} as const

/** A route by method and path, like `GET /api/admin/tokens`. */
export type RouteName = keyof typeof ANSWERS
export type Answer<Name extends RouteName> = Static<(typeof ANSWERS)[Name]>
