/**
 * An issue of a program: where it is (`earn[0].per-amount.every`), and what is expected there.
 *
 * - `at`: where in the text at the path, from 0: conditions have a syntax of their own
 * - `isName`: it is about the name at the end of the path, not its value
 * - `see`: the heading of docs/program-reference.md about it; absent: that of the path
 */
export type Issue = Readonly<{ path: string; error: string; at?: number; isName?: true; see?: string }>

/** Reports an issue at a field below a path, like `.every`; at the path itself if the field is empty. */
export type ReportIssue = (field: string, error: string, more?: Pick<Issue, 'at' | 'see'>) => void
