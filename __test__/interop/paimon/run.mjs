// npm run interop:paimon -- [first seed] [count]
import { runJava } from '../run-java.mjs'

const here = import.meta.dirname
process.exit(runJava({ name: 'paimon', here, main: 'lakefold.interop.Main', args: process.argv.slice(2) }))
