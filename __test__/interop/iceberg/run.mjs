// npm run interop:iceberg -- [first seed] [count]
import { runJava } from '../run-java.mjs'

const here = import.meta.dirname
process.exit(runJava({ name: 'iceberg', here, main: 'lakefold.interop.Main', args: process.argv.slice(2) }))
