// npm run interop:paimon -- [first seed] [count] [merges]
import { runJava } from '../run-java.mjs'

process.exit(runJava('paimon', process.argv.slice(2)))
