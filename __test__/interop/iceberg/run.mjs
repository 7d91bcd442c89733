// npm run interop:iceberg -- [first seed] [count]
import { runJava } from '../run-java.mjs'

process.exit(runJava('iceberg', process.argv.slice(2)))
