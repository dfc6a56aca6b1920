/*
 * The same as bin/laurel.js, to run the sources directly: `node src/cli/main.ts serve`.
 */
import '../../bin/laurel.js'
