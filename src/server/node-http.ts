/*
 * `node:http` without an import: an import reads all exports of a module, and reading those of the fetch family loads their implementation
 * (docs/decisions/0145-what-a-command-loads.md).
 */
export const http = process.getBuiltinModule('node:http')
