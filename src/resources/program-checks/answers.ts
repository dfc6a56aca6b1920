/*
 * The answers of the routes that check and compare the texts of programs.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, text, texts, whole, messageText } = ANSWER_PARTS
const { explanation } = SHARED_ANSWERS

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
    order_id: Type.Optional(text('the key of the order in its case')),
    redemption_id: Type.Optional(text('the key of the redemption in its case, where it is one')),
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

export const PROGRAM_CHECK_ANSWERS = {
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
} as const
