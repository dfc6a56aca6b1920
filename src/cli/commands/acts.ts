import type { Command } from 'commander'
import { defineAuditLog } from './audit.ts'

/** `laurel acts`, the former name of `laurel audit` (decision 219). */
export function defineActs(command: Command): void {
  defineAuditLog(command, 'GET /api/admin/acts', ({ acts, after }) => ({ entries: acts, after }))
}
