/*
 * The same as bin/laurel.js, for whoever runs the sources: `node src/cli/main.ts serve`.
 */
import '../../bin/laurel.js'
