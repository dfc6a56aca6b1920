/*
 * The answers of the routes of programs.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'

const { listOf, orNull, text, moment, momentOrNull, whole } = ANSWER_PARTS

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

export const PROGRAM_ANSWERS = {
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
