/*
 * A separate process with the embedded database in the given directory.
 * It prints `open`, then writes rows and prints the number of each, until it is killed.
 */
import { openPglite } from '../../src/database/embedded/driver.ts'

const driver = await openPglite(process.argv[2]!, {
  onFatal(error) {
    throw error
  },
})
process.stdout.write('open\n')
const session = await driver.session(performance.now() + 10_000)
await session.script('create table if not exists kept (n int8 primary key)')
for (let n = 1; ; n++) {
  await session.query('insert into kept values ($1)', [n])
  process.stdout.write(`${n}\n`)
}
