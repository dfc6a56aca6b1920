/*
 * The responses of the routes that check and compare the texts of programs.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, texts, whole, messageText } = RESPONSE_PARTS
const { explanation } = SHARED_RESPONSES

const fileFault = Type.Object(
  {
    path: text('path in the program, such as earn[0].per-amount.points; or empty'),
    line: Type.Optional(whole('line in the text, from 1; absent if unknown')),
    column: Type.Optional(whole('column in the line, from 1')),
    error: text('error message'),
    excerpt: Type.Optional(text('that line, of a long one a part, and below it a caret under the column')),
    see: Type.Optional(text('paragraph of the documents about it, like docs/program-reference.md#money')),
  },
  { title: 'FileFault', description: 'An error in a file' },
)

const checkedOrder = Type.Object(
  {
    order_id: Type.Optional(text('order ID in its case')),
    redemption_id: Type.Optional(text('redemption ID in its case, if it is one')),
    user_id: text('player ID'),
    mismatches: listOf(
      Type.Object(
        { what: text('what was compared'), expected: text('expected value'), actual: text('actual value') },
        { title: 'Mismatch', description: 'A difference from the expected result' },
      ),
      'differences; empty: as expected, or nothing was expected',
    ),
    refused: Type.Optional(text('why it is refused, if it is; it then changes nothing')),
    message: Type.Optional(messageText),
    total_points: Type.Optional(whole('total points of the order')),
    explanation: Type.Optional(explanation),
  },
  { title: 'CheckedOrder', description: 'The outcome of an order or a redemption of a case' },
)

export const PROGRAM_CHECK_RESPONSES = {
  'POST /api/admin/programs/check': Type.Object(
    {
      name: orNull(Type.String(), 'program name; null if it has errors'),
      faults: listOf(fileFault, 'errors of the program, at most 100'),
      case_faults: listOf(fileFault, 'errors of the test orders, at most 100'),
      cases: listOf(
        Type.Object(
          {
            name: text('the name of the case'),
            as_expected: Type.Boolean({ description: 'if true, every order came out as expected' }),
            orders: listOf(checkedOrder, 'in the order of the file'),
          },
          { title: 'CheckedCase', description: 'The outcome of a case' },
        ),
        'in the order of the file; empty if the program or the cases have errors',
      ),
      untried: texts('rules not covered by any case'),
      warnings: addedField(texts('what rules do that is hardly meant, as far as the program or its cases show it')),
    },
    { title: 'ProgramCheck', description: 'Errors of a program, and results of its test orders' },
  ),
  'POST /api/admin/programs/diff': Type.Object(
    {
      from: text('the first program: version 2, or text'),
      to: text('the second program'),
      equal: Type.Boolean({ description: 'if true, the texts are equal' }),
      patch: text('unified diff; empty if the texts are equal'),
    },
    { title: 'ProgramDiff', description: 'The differences between two programs' },
  ),
} as const
