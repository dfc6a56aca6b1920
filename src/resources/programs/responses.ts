/*
 * The responses of the routes of programs.
 */
import { renamedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

const { listOf, orNull, text, timestamp, timestampOrNull, whole } = RESPONSE_PARTS

const program = {
  version: whole('version number, from 1'),
  name: text('program name'),
  publisher: text('ID of the token that published it'),
  note: text('note of the publisher, or empty'),
  ...renamedField('holds_from', 'effective_from', text('effective time of the version, or -infinity')),
  published_at: timestamp('when the version was published'),
  withdrawn_at: timestampOrNull('when the version was withdrawn; null: not withdrawn'),
  withdrawn_by: orNull(Type.String(), 'ID of the token that withdrew it; null: not withdrawn'),
}

export const PROGRAM_RESPONSES = {
  'GET /api/admin/programs': Type.Object({
    programs: listOf(
      Type.Object(
        {
          ...program,
          ...renamedField(
            'holds_now',
            'is_effective',
            Type.Boolean({ description: 'if true, this version is in effect' }),
          ),
        },
        { title: 'ListedProgram', description: 'A version of the points program, without its file' },
      ),
      'oldest first',
    ),
  }),
  'POST /api/admin/programs': Type.Object(
    { version: program.version, name: program.name, from: timestamp('effective time of the version') },
    { title: 'Publication', description: 'The version just published' },
  ),
  'POST /api/admin/programs/:version/withdraw': Type.Object({ withdrawn: program.version }),
  'GET /api/admin/programs/:version': Type.Object(
    { ...program, source: text('the text of the file') },
    { title: 'Program', description: 'A version of the points program with its file' },
  ),
} as const
